import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { formatNames } from '#shared/render/formats';
import { openLab } from '../kit/lab.ts';
import { hostile } from '../redirect-check/hostile.ts';
import { openWorld, type Servers } from '../redirect-check/world.ts';
import { openTcpServer } from '../ssl-check/servers.ts';
import { openHostileDns } from './dns-servers.ts';
import { hostileTls } from './tls-servers.ts';
import { faultsOf, startWatchedService } from './watched-service.ts';
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
afterAll(async () => {
  for (const close of closers) await close();
});

const good = '/api/tools/redirect-check?url=http%3A%2F%2Fgood.test%2F';

/** Asks a service for all of these, 32 at once. @param warm paths that are asked before, so that code is compiled @returns what others noticed of it */
async function attack(
  environment: Readonly<Record<string, string>>,
  paths: readonly string[],
  warm: readonly string[],
): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'hostile-lab-'));
  closers.push(async () => rmSync(folder, { recursive: true }));
  const ownData = { ...environment, DATA_DIR: folder };
  const service = await startWatchedService(ownData, await createToken(ownData));
  closers.unshift(() => service.close());
  for (const path of [good, good, ...warm])
    if ((await service.statusOf(path)) !== 200) throw new Error(`${path} is not answered`);
  const checks = await service.ask(paths, good, 32);
  const first = faultsOf(`${paths.length} checks of hostile servers`, checks);
  const exports = [...new Set(checks.reportIds)].flatMap((id) =>
    formatNames.map((format) => `/api/reports/${id}/export?format=${format}`),
  );
  const second = faultsOf(`${exports.length} exports of their reports`, await service.ask(exports, good, 8));
  // Some reports come later than a GET waits, where the machine is busy.
  const isMost = exports.length > (formatNames.length * paths.length) / 2;
  return [...first, ...second, ...(isMost ? [] : [`${exports.length} exports are too few`])];
}

async function createToken(environment: Readonly<Record<string, string>>): Promise<string> {
  const args = ['cli/diag.js', 'token', 'create', '--name', 'reader'];
  const env = { PATH: process.env['PATH'] ?? '', ...environment };
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  return /dtk_\w+/.exec(stdout)?.[0] ?? '';
}

test(
  'while every hostile web server of the lab is checked, the service is never blocked for 100 ms, and another caller is answered',
  {
    timeout: 120_000,
  },
  async () => {
    const world = await openWorld(servers);
    closers.push(() => world.close());
    const toolPath = (tool: string, url: string) =>
      `/api/tools/${tool}?url=${encodeURIComponent(world.place(url))}`;
    const targets = hostile.flatMap(({ start }) =>
      ['redirect-check', 'security-header-check'].map((tool) => toolPath(tool, start)),
    );
    const warm = [toolPath('security-header-check', 'http://good.test/')];
    expect(await attack(world.settings, targets, warm)).toEqual([]);
  },
);

test(
  'while hostile name servers and TLS servers are checked, the same holds',
  {
    timeout: 120_000,
  },
  async () => {
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
  },
);
