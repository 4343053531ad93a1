import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { openLab } from '../kit/lab.ts';
import { openHostileDns } from './dns-servers.ts';
import { forbidden, manners, openRebinding, ownAddresses } from './rebinding-names.ts';
import { startWatchedService } from './watched-service.ts';

// The one address that the policy lets through. All others of this machine are watched at the same port.
const allowed = '127.0.0.2';
const { asked, rebind } = openRebinding(allowed);
const reached: string[] = [];
const servers: Server[] = [];

const site = createHttpServer((request, response) => {
  const to = /^\/to\/([\w.-]+)/.exec(request.url ?? '')?.[1];
  if (to === undefined) response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>hello');
  else response.writeHead(302, { location: `http://${to}:${port}/` }).end();
});
await once(site.listen(0, allowed), 'listening');
const { port } = site.address() as AddressInfo;
for (const address of new Set(['127.0.0.1', '::1', ...ownAddresses])) {
  const trap = createServer((socket) => {
    reached.push(`${address} after ${asked.at(-1) ?? ''}`);
    socket.destroy();
  });
  await once(trap.listen(port, address), 'listening');
  servers.push(trap);
}

const lab = await openLab({});
const dns = await openHostileDns({ test: rebind });
const service = await startWatchedService(
  lab.settings({
    ...dns.settings,
    TARGET_ALLOW_CIDRS: `${allowed}/32`,
    TARGET_PORTS: `80,443,${port}`,
    FRESH_SECONDS: '0',
  }),
);
afterAll(() =>
  Promise.all([
    service.close(),
    dns.close(),
    lab.close(),
    ...[site, ...servers].map((server) => new Promise((resolve) => server.close(resolve))),
  ]),
);

/** Every check that opens connections, of the name itself and of a site that sends its visitors there. */
function pathsOf(name: string): readonly string[] {
  const url = (text: string) => encodeURIComponent(text);
  return ['redirect-check', 'security-header-check'].flatMap((tool) => [
    `/api/tools/${tool}?url=${url(`http://${name}:${port}/`)}`,
    `/api/tools/${tool}?url=${url(`http://site.test:${port}/to/${name}`)}`,
    `/api/tools/${tool}?url=${url(`https://${name}:${port}/`)}`,
  ]);
}

// With every address allowed, 26 of these 48 names reach one of the traps; the other addresses are on no machine.
test.for(Object.keys(forbidden))(
  'a name that leads to the address called %s takes no check to a place that is not allowed',
  { timeout: 60_000 },
  async (label) => {
    const names = manners.map((manner) => `${manner}-${label}.test`);
    const paths = names.flatMap((name) => [
      ...pathsOf(name),
      `/api/tools/ssl-check/${name}?port=${port}`,
      `/api/tools/dns-check/${name}`,
    ]);
    // Twice: the second run meets the second answer.
    for (let round = 0; round < 2; round += 1) {
      const statuses = await Promise.all(paths.map((path) => service.statusOf(path)));
      expect(statuses.filter((status) => status !== 200)).toEqual([]);
    }
    expect(reached).toEqual([]);
    expect(names.filter((name) => !asked.includes(name))).toEqual([]);
  },
);
