import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Config, readConfig } from '#shared/settings/config';

/** Starts a target on loopback, and gives the settings of a service that may visit it and refuses nobody. */
export async function openBenchTarget(
  answer: RequestListener,
): Promise<{ readonly config: Config; readonly target: string }> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const config = readConfig({
    DATA_DIR: ':memory:',
    PORT: '0',
    TARGET_ALLOW_CIDRS: '127.0.0.0/8',
    TARGET_PORTS: String(port),
    LIMIT_ANON_REQUESTS: '100000000/60',
    LIMIT_ANON_SCANS: '100000000/60',
    LIMIT_TOKEN_REQUESTS: '100000000/60',
  });
  return { config, target: `http://127.0.0.1:${port}` };
}
