import { afterAll, expect, test } from 'vitest';
import { openLab } from '../kit/lab.ts';
import { hostile } from '../redirect-check/hostile.ts';
import { openWorld, type Servers } from '../redirect-check/world.ts';
import { openTcpServer } from '../ssl-check/servers.ts';
import { openHostileDns } from './dns-servers.ts';
import { hostileTls } from './tls-servers.ts';
import { startWatchedService } from './watched-service.ts';
import { hostileZones } from './zones.ts';

const byHost = <Part>(part: (scenario: (typeof hostile)[number]) => Part | undefined) =>
  Object.fromEntries(
    hostile.flatMap((scenario) => {
      const host = /\/\/([a-z0-9-]+\.test)/.exec(scenario.start)?.[1];
      const found = part(scenario);
      return host === undefined || found === undefined ? [] : [[host, found]];
    }),
  );
const servers: Servers = {
  sites: {
    'http://good.test': (_request, response) =>
      void response.writeHead(200, { 'content-type': 'text/html' }).end('hello'),
  },
  sockets: byHost(({ connected }) => connected),
  certificates: byHost(({ certificate }) => certificate),
  names: { 'silent.test': 'silent', 'garbage.test': 'garbage', 'servfail.test': { rcode: 2 } },
};
const closers: (() => Promise<unknown>)[] = [];
afterAll(() => Promise.all(closers.map((close) => close())));

const good = '/api/tools/redirect-check?url=http%3A%2F%2Fgood.test%2F';

/** Asks a service for all of these, 16 at once, and holds that nobody else notices. @param warm paths that are asked before, so that code is compiled */
async function attack(
  environment: Readonly<Record<string, string>>,
  paths: readonly string[],
  warm: readonly string[],
): Promise<void> {
  const service = await startWatchedService(environment);
  closers.push(() => service.close());
  for (const path of [good, good, ...warm]) expect(await service.statusOf(path)).toBe(200);
  const { statuses, blockedMs, other } = await service.ask(paths, good, 16);
  console.info(
    `${paths.length} checks of hostile servers: event loop blocked for ${Math.round(blockedMs)} ms at most (an idle thread was late by ${Math.round(other.ownLagMs)} ms); ${other.asked} cached GETs of another caller, the slowest ${Math.round(other.longestMs)} ms, of which the service took ${Math.round(other.heldUpMs)} ms`,
  );
  expect(new Set(statuses.map((status) => Math.floor(status / 100)))).toEqual(new Set([2]));
  expect([other.failed, other.asked > 20]).toEqual([0, true]);
  // On a busy machine the service waits for a core with all others: what an idle thread was late tells that, and so does the kernel.
  expect(Math.min(blockedMs, other.heldUpMs)).toBeLessThan(100 + 2 * other.ownLagMs);
}

test('while every hostile web server of the lab is checked, the service is never blocked for 100 ms, and another caller is answered', {
  timeout: 120_000,
}, async () => {
  const world = await openWorld(servers);
  closers.push(() => world.close());
  const toolPath = (tool: string, url: string) =>
    `/api/tools/${tool}?url=${encodeURIComponent(world.place(url))}`;
  const targets = hostile.flatMap(({ start }) =>
    ['redirect-check', 'security-header-check'].map((tool) => toolPath(tool, start)),
  );
  await attack(world.settings, targets, [toolPath('security-header-check', 'http://good.test/')]);
});

test('while hostile name servers and TLS servers are checked, the same holds', {
  timeout: 120_000,
}, async () => {
  const [dns, lab] = await Promise.all([
    openHostileDns(hostileZones),
    openLab({ sites: { 'http://good.test': (_request, response) => void response.end('hello') } }),
  ]);
  const tls = await Promise.all(hostileTls.map(([, serve]) => openTcpServer(serve)));
  closers.push(
    () => dns.close(),
    () => lab.close(),
    ...tls.map((server) => () => server.close()),
  );
  const settings = lab.settings({
    ...dns.settings,
    TARGET_ALLOW_CIDRS: '127.0.0.0/8',
    TARGET_PORTS: '26-65535,80',
    TARGET_PORT_MAP: `80=${lab.web.httpPort}`,
  });
  const dnsPath = (domain: string) => `/api/tools/dns-check/${domain}`;
  const sslPath = (domain: string, port: number) => `/api/tools/ssl-check/${domain}?port=${port}`;
  const targets = [
    ...Object.keys(hostileZones).map(dnsPath),
    ...tls.map(({ port }, at) => sslPath(`t${at}.test`, port)),
  ];
  await attack(settings, targets, [dnsPath('good.test'), sslPath('good.test', lab.web.httpsPort)]);
});
