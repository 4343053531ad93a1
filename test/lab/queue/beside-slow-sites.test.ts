import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { openService } from '../../api/kit.ts';

// Real sockets: each site has an address of its own. A slow one answers when the test is over, or is given up by its check; a quick one after a while.
const quickMs = 400;
const slots = 6;
const slowChecks = 60;
let begun: ('slow' | 'quick')[] = [];
let isOver = false;
const held = new Set<ServerResponse>();
const server = createServer((request, response) => {
  const isQuick = request.url === '/quick';
  begun.push(isQuick ? 'quick' : 'slow');
  response.statusCode = 204;
  if (isQuick) setTimeout(() => response.end(), quickMs);
  else if (isOver) response.end();
  else held.add(response);
});
let service: Awaited<ReturnType<typeof openService>>;
let hosts = 0;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  const { port } = server.address() as AddressInfo;
  service = await openService({
    settings: {
      WORKER_CONCURRENCY: String(slots),
      RATE_LIMIT: 'on',
      TRUST_PROXY: '1',
      TARGET_ALLOW_CIDRS: '127.0.0.0/8',
      TARGET_PORTS: String(port),
    },
  });
});
afterEach(() => {
  isOver = true;
  for (const response of held) response.end();
  held.clear();
});
afterAll(async () => {
  await service.close();
  server.close().closeAllConnections();
});

function ask(caller: string, site: 'slow' | 'quick', waitS: number) {
  hosts += 1;
  const { port } = server.address() as AddressInfo;
  const target = `http://127.77.${hosts >> 8}.${hosts & 255}:${port}/${site}`;
  const path = `/api/tools/redirect-check?url=${encodeURIComponent(target)}&wait=${waitS}`;
  return service.get(path, { 'x-forwarded-for': caller });
}

/** How many slow checks began between the asking for a quick one and its own begin: by the order, whatever the time. In one line for all it would be most of them. */
async function slowBefore(caller: string): Promise<number> {
  begun = [];
  expect((await ask(caller, 'quick', 50)).status).toBe(200);
  return begun.indexOf('quick');
}

test.for([
  { name: 'three callers in networks of their own', callerOf: (index: number) => `198.51.${index % 3}.7` },
  { name: 'a thousand /64 of one /48', callerOf: (index: number) => `2001:db8:1:${index.toString(16)}::1` },
  { name: 'many addresses of one /24', callerOf: (index: number) => `203.0.113.${index}` },
])('a quick check does not wait for slow sites of $name', async ({ callerOf }) => {
  isOver = false;
  for (let index = 0; index < slowChecks; index += 1)
    expect((await ask(callerOf(index), 'slow', 0)).status).toBe(202);
  for (const caller of ['192.0.2.1', '2001:db9::1', '192.0.2.1'])
    expect(await slowBefore(caller)).toBeLessThan(2 * slots);
});
