import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConfigError } from './config.ts';

/** Listens, and gives the port that was taken. Rejects with ConfigError for a host that is none of this machine, and else with the system's error (EADDRINUSE, EACCES …). */
export function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const refuse = (error: NodeJS.ErrnoException) => reject(asHostError(host, error));
    server.once('error', refuse);
    server.listen(port, host, () => {
      server.off('error', refuse);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

// The same for both listeners: whose host it is, the text itself tells.
function asHostError(host: string, error: NodeJS.ErrnoException): Error {
  const { code = '', syscall } = error;
  if (syscall === 'getaddrinfo')
    return new ConfigError(`HOST or ADMIN_HOST: "${host}" has no address (${code})`);
  if (code === 'EADDRNOTAVAIL' || code === 'EINVAL' || code === 'EAFNOSUPPORT')
    return new ConfigError(`HOST or ADMIN_HOST: "${host}" is no address of this machine (${code})`);
  return error;
}
