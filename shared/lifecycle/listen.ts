import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
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

/** A port to try in place of one that is in use. */
export function otherPort(port: number): number {
  return port <= 65_435 ? port + 100 : port - 100;
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
    if (code === 'EADDRINUSE' && port !== undefined)
      throw new ConfigError(
        `${setting}: port ${port} is in use by another program. Try ${setting}=${otherPort(port)} npm start`,
      );
    if (code === 'EACCES') throw new ConfigError(`${setting}: cannot listen there (${code})`);
    throw error;
  };
}

/** One turn may end without a look at the sockets, where the wait for it began behind that look. */
const quietTurns = 2;

/** Closes a server: who has connected already is let in first, answers that are under way end, and after `graceMs` what is left is cut off. */
export async function closeServer(server: Server, graceMs: number): Promise<void> {
  await untilNoneArrives(server, graceMs);
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearTimeout(timer);
}

/**
 * Waits until a turn of the event loop finds nobody at the door. Node accepts one connection a turn: a process with much to do can have many
 * that wait in the system's queue, and closing a listener resets them all. A turn also reads what has arrived on connections that look idle.
 */
async function untilNoneArrives(server: Server, mostMs: number): Promise<void> {
  const until = performance.now() + mostMs;
  let arrived = 0;
  const count = () => {
    arrived += 1;
  };
  server.on('connection', count).on('drop', count);
  let quiet = 0;
  while (quiet < quietTurns && performance.now() < until) {
    const before = arrived;
    await turn();
    quiet = arrived > before ? 0 : quiet + 1;
  }
  server.off('connection', count).off('drop', count);
}
