import { once } from 'node:events';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterAll, expect, test, vi } from 'vitest';
import { makeToken } from '#shared/stores/tokens/make-token';
import { openService } from '../../api/kit.ts';
import { openHostileDns } from './dns-servers.ts';
import { forbidden, manners, openRebinding, ownAddresses } from './rebinding-names.ts';

// The one address that the policy lets through. All others of this machine are watched at the same port.
const allowed = '127.0.0.2';
const { asked, rebind } = openRebinding(allowed);
const dns = await openHostileDns({ test: rebind });
const free = createServer();
await once(free.listen(0, allowed), 'listening');
const { port } = free.address() as AddressInfo;
await new Promise((resolve) => free.close(resolve));

const service = await openService({
  settings: {
    ...dns.settings,
    RATE_LIMIT: 'off',
    TARGET_ALLOW_CIDRS: `${allowed}/32`,
    TARGET_PORTS: `443,${port}`,
    TARGET_PORT_MAP: '',
  },
});
const names = Object.keys(forbidden).flatMap((label) => manners.map((manner) => `${manner}-${label}.test`));
const identity = await service.lab.authority.issue([...names, 'hook.test']);

/** What the allowed address got, by the name that led there. */
const got: string[] = [];
let redirect: string | undefined;
const receiver = createHttpsServer(identity, (request, response) => {
  request.resume();
  got.push(request.headers.host ?? '');
  if (redirect === undefined) response.writeHead(204).end();
  else response.writeHead(307, { location: redirect }).end();
});
await once(receiver.listen(port, allowed), 'listening');

const reached: string[] = [];
const servers: Server[] = [receiver];
for (const address of new Set(['127.0.0.1', '::1', ...ownAddresses])) {
  const trap = createServer((socket) => {
    reached.push(`${address} from port ${socket.remotePort}`);
    socket.destroy();
  });
  await once(trap.listen(port, address), 'listening');
  servers.push(trap);
}
afterAll(async () => {
  await service.close();
  await dns.close();
  receiver.closeAllConnections();
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
});

const { text, token } = makeToken(
  { name: 'test', scopes: ['tools', 'reports:read', 'watch'], limits: {}, expiresAt: null },
  Date.now(),
);
await service.backend.tokenStore.insert(token);
async function call(method: string, path: string, body?: unknown) {
  const answer = await fetch(`http://127.0.0.1:${service.port}${path}`, {
    method,
    headers: { authorization: `Bearer ${text}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}
const soon = { timeout: 60_000, interval: 200 };
const wish = { check: 'dns-check', targets: ['a.test'], everySeconds: 86_400 };
const telling = (url: string) => ({ ...wish, notify: { webhook: { url } } });

/** Begins to tell a receiver. @returns the path of the watch */
async function watch(url: string): Promise<string> {
  const made = await call('POST', '/api/watches', telling(url));
  expect([url, made.status]).toEqual([url, 201]);
  return `/api/watches/${String(made.body['watchId'])}`;
}

async function attemptsOf(path: string): Promise<readonly number[]> {
  const { deliveries } = (await call('GET', `${path}/deliveries`)).body as {
    deliveries?: { attempts: number }[];
  };
  return (deliveries ?? []).map(({ attempts }) => attempts);
}

const texts = [
  '127.0.0.1',
  '2130706433',
  '0x7f.1',
  '0177.0.0.1',
  '127.1',
  'localhost',
  'localhost.',
  'a.localhost',
  '0.0.0.0',
  '10.0.0.1',
  '169.254.169.254',
  '192.168.0.1',
  '100.64.0.1',
  '[::1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:a00:1]',
  '[::7f00:1]',
  '[64:ff9b::7f00:1]',
  '[fe80::1]',
  '[fd00::2]',
  ...ownAddresses.map((address) => (address.includes(':') ? `[${address}]` : address)),
];
test('an address that is written out is refused before anything is kept', async () => {
  const made = await watch(`https://hook.test:${port}/`);
  for (const host of texts) {
    const url = `https://${host}:${port}/in`;
    expect([url, (await call('POST', '/api/watches', telling(url))).status]).toEqual([url, 422]);
    const patched = await call('PATCH', made, { notify: { webhook: { url } } });
    expect([url, patched.status]).toEqual([url, 422]);
  }
  expect(reached).toEqual([]);
});

// With every address allowed, 26 of these 48 names reach one of the traps; the other addresses are on no machine.
test(
  'a name that leads to an address that is not allowed takes no attempt there, first or later',
  { timeout: 180_000 },
  async () => {
    const paths = await Promise.all(names.map((name) => watch(`https://${name}:${port}/in`)));
    await vi.waitFor(async () => {
      for (const path of paths) expect((await attemptsOf(path))[0]).toBeGreaterThan(0);
    }, soon);
    // Those that were led to the allowed address first are led elsewhere now; what failed is tried again after 5 s.
    for (let round = 0; round < 2; round += 1) {
      for (const path of paths) expect((await call('POST', `${path}/test`)).status).toBe(202);
      await vi.waitFor(async () => {
        for (const path of paths) expect(Math.min(...(await attemptsOf(path)))).toBeGreaterThan(0);
      }, soon);
    }
    expect(reached).toEqual([]);
    expect(names.filter((name) => !asked.includes(name))).toEqual([]);
    // Nothing was sent at all where one of the addresses is not allowed.
    const mixed = got.filter((host) => /^(?:both|alias|only)-/.test(host));
    expect(mixed).toEqual([]);
  },
);

test('a receiver that sends elsewhere is not followed', { timeout: 120_000 }, async () => {
  const before = got.length;
  for (const to of [
    `https://127.0.0.1:${port}/`,
    `https://[::1]:${port}/`,
    `https://only-loopback.test:${port}/`,
  ]) {
    redirect = to;
    const path = await watch(`https://hook.test:${port}/`);
    await vi.waitFor(async () => expect((await attemptsOf(path))[0]).toBeGreaterThan(0), soon);
  }
  expect(got.length - before).toBeGreaterThanOrEqual(3);
  expect(reached).toEqual([]);
});
