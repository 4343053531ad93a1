import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openService } from '../../api/kit.ts';

// Real sockets: sites that answer their only hop after so many ms, as the path says, each at an address of its own.
const server = createServer((request, response) => {
  setTimeout(() => response.writeHead(204).end(), Number((request.url ?? '').split('/')[1]));
});
const slowMs = 8000;
const quickMs = 400;
/** Far below what a slow run holds its slot for, and far above a quick run on a busy machine. */
const soonMs = 5000;
let service: Awaited<ReturnType<typeof openService>>;
let hosts = 0;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  const { port } = server.address() as AddressInfo;
  service = await openService({
    settings: {
      WORKER_CONCURRENCY: '6',
      RATE_LIMIT: 'on',
      TRUST_PROXY: '1',
      TARGET_ALLOW_CIDRS: '127.0.0.0/8',
      TARGET_PORTS: String(port),
    },
  });
});
afterAll(async () => {
  await service.close();
  server.close().closeAllConnections();
});

function ask(caller: string, hopMs: number, waitS: number) {
  hosts += 1;
  const { port } = server.address() as AddressInfo;
  const target = `http://127.77.${hosts >> 8}.${hosts & 255}:${port}/${hopMs}`;
  const path = `/api/tools/redirect-check?url=${encodeURIComponent(target)}&wait=${waitS}`;
  return service.get(path, { 'x-forwarded-for': caller });
}

async function timeOfQuick(caller: string): Promise<number> {
  const start = performance.now();
  expect((await ask(caller, quickMs, 30)).status).toBe(200);
  return performance.now() - start;
}

test.for([
  { name: 'three callers in networks of their own', callerOf: (index: number) => `198.51.${index % 3}.7` },
  { name: 'a thousand /64 of one /48', callerOf: (index: number) => `2001:db8:1:${index.toString(16)}::1` },
  { name: 'many addresses of one /24', callerOf: (index: number) => `203.0.113.${index}` },
])('a quick check does not wait for slow sites of $name', async ({ callerOf }) => {
  for (let index = 0; index < 60; index += 1)
    expect((await ask(callerOf(index), slowMs, 0)).status).toBe(202);
  for (const caller of ['192.0.2.1', '2001:db9::1', '192.0.2.1'])
    expect(await timeOfQuick(caller)).toBeLessThan(soonMs);
});
