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

/** Asks a service for all of these, 32 at once. @param warm paths that are asked before, so that code is compiled @returns what others noticed of it */
async function attack(
  environment: Readonly<Record<string, string>>,
  paths: readonly string[],
  warm: readonly string[],
): Promise<string[]> {
  const service = await startWatchedService(environment);
  closers.push(() => service.close());
  for (const path of [good, good, ...warm])
    if ((await service.statusOf(path)) !== 200) throw new Error(`${path} is not answered`);
  const { statuses, blockedMs, other } = await service.ask(paths, good, 32);
  console.info(
    `${paths.length} checks of hostile servers: event loop blocked for ${Math.round(blockedMs)} ms at most (an idle thread was late by ${Math.round(other.ownLagMs)} ms); ${other.asked} cached GETs of another caller, the slowest ${Math.round(other.longestMs)} ms, of which the service took ${Math.round(other.heldUpMs)} ms`,
  );
  // On a busy machine the service waits for a core with all others: what an idle thread was late tells that, and so does the kernel.
  const isBlocked = Math.min(blockedMs, other.heldUpMs) >= 100 + 2 * other.ownLagMs;
  return [
    ...(statuses.every((status) => status < 300) ? [] : ['a check was not answered']),
    ...(other.failed === 0 && other.asked > 20 ? [] : ['the other caller was not answered']),
    ...(isBlocked ? [`the event loop was blocked for ${Math.round(blockedMs)} ms`] : []),
  ];
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
  const warm = [toolPath('security-header-check', 'http://good.test/')];
  expect(await attack(world.settings, targets, warm)).toEqual([]);
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
  const warm = [dnsPath('good.test'), sslPath('good.test', lab.web.httpsPort)];
  expect(await attack(settings, targets, warm)).toEqual([]);
});
