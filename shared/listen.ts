import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

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
