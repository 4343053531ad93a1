import { request as httpRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { type AdminServer, openAdminServer } from '#shared/lifecycle/admin-server';
import { openLogger } from '#shared/telemetry/logger';

const sources = {
  readiness: async () => ({ isReady: true, checks: {}, about: {} }),
  metrics: { text: async () => ({ type: 'text/plain', body: 'up 1\n' }) },
};
let admin: AdminServer;
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await admin.close();
});

async function open(publicUrl?: string, host = '127.0.0.1'): Promise<void> {
  admin = await openAdminServer({ host, port: 0, defaultPort: 0, publicUrl }, sources, openLogger('silent'));
}

function ask(
  path: string,
  headers: Record<string, string> = {},
  localAddress = '127.0.0.1',
): Promise<number> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port: admin.port, path, headers, localAddress, agent: false };
    const request = httpRequest(options, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
    });
    request.on('error', reject);
    request.end();
  });
}

/** Sends half a request. Resolves when the connection is closed, with how long it was open. */
function sendHalf(text: string): Promise<{ readonly openMs: number; readonly answer: string }> {
  return new Promise((resolve) => {
    const start = performance.now();
    let answer = '';
    const socket = connect({ port: admin.port, host: '127.0.0.1' }, () => socket.write(text));
    sockets.push(socket);
    socket.setEncoding('latin1').on('data', (piece: string) => void (answer += piece));
    socket.on('error', () => undefined); // a reset is one way of being closed
    socket.on('close', () => resolve({ openMs: performance.now() - start, answer }));
  });
}

test(
  'of 3,000 half requests a hundred stay open for 10 s at most, and probes from elsewhere get in',
  { timeout: 60_000 },
  async () => {
    await open();
    const halves = Array.from({ length: 3000 }, () =>
      sendHalf('GET /readyz HTTP/1.1\r\nHost: localhost\r\n'),
    );
    expect(await ask('/readyz', {}, '127.0.0.2')).toBe(200);
    const closed = await Promise.all(halves);
    expect(closed.filter(({ answer }) => answer !== '')).toHaveLength(100);
    expect(await ask('/livez')).toBe(200);
    expect(Math.max(...closed.map(({ openMs }) => openMs))).toBeLessThan(40_000);
  },
);

test('a body is not read: the connection ends behind the answer', async () => {
  await open();
  const { answer } = await sendHalf(
    'GET /livez HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000000\r\n\r\nabc',
  );
  expect(answer).toMatch(/^HTTP\/1\.1 200 [^]*Connection: close/i);
});

test('without PUBLIC_URL a name other than localhost is refused', async () => {
  await open(undefined, '0.0.0.0');
  const asked = ['localhost', '127.0.0.1', '[::1]:1', 'evil.test', 'api:3001'];
  const found = await Promise.all(asked.map((host) => ask('/metrics', { host })));
  expect(found).toEqual([200, 200, 200, 400, 400]);
  // What a proxy says of the Host is never read.
  expect(await ask('/metrics', { host: 'evil.test', 'x-forwarded-host': 'localhost' })).toBe(400);
});

test('on loopback the name of PUBLIC_URL is known too, and no other', async () => {
  await open('https://diag.test');
  const found = await Promise.all(['diag.test', 'evil.test'].map((host) => ask('/livez', { host })));
  expect(found).toEqual([200, 400]);
});
