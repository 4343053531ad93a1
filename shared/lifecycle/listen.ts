import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConfigError } from '../settings/config.ts';

/** Listens, and gives the port that was taken. Rejects with the system's error (EADDRINUSE, EACCES, ENOTFOUND …). */
export function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** Turns a port that is taken or forbidden, or a host that is none of this machine, into a ConfigError that names its setting. @param setting PORT or ADMIN_PORT */
export function asConfigError(setting: string, port: number | undefined) {
  return (error: unknown): never => {
    const {
      code = '',
      syscall,
      hostname,
      address,
    } = error as NodeJS.ErrnoException & {
      readonly hostname?: string;
      readonly address?: string;
    };
    const host = setting.replace('PORT', 'HOST');
    if (syscall === 'getaddrinfo') throw new ConfigError(`${host}: "${hostname}" has no address (${code})`);
    if (code === 'EADDRNOTAVAIL' || code === 'EINVAL' || code === 'EAFNOSUPPORT')
      throw new ConfigError(`${host}: "${address}" is no address of this machine (${code})`);
    if (code === 'EADDRINUSE') throw new ConfigError(`${setting}: port ${port} is taken by another process`);
    if (code === 'EACCES') throw new ConfigError(`${setting}: cannot listen there (${code})`);
    throw error;
  };
}
