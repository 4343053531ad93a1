import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { LoopSamples } from '../test/kit/loop-watch.ts';
import { runnerPidOf } from '../test/kit/runner-process.ts';
import { startService } from '../test/kit/service-process.ts';
import { openHostileDns } from '../test/lab/hostile/dns-servers.ts';
import { hostileTls } from '../test/lab/hostile/tls-servers.ts';
import { hostileZones } from '../test/lab/hostile/zones.ts';
import { openLab } from '../test/lab/kit/lab.ts';
import { hostile } from '../test/lab/redirect-check/hostile.ts';
import { openWorld } from '../test/lab/redirect-check/world.ts';
import { openTcpServer } from '../test/lab/ssl-check/servers.ts';
import type { Section } from './section.ts';

/** Each server is checked so often; code is compiled after the first. */
const rounds = 3;
/** The longest of the table; of the others the number is reported. */
const shown = 8;

type Scenario = { readonly name: string; readonly check: string; readonly paths: readonly string[] };
type World = {
  readonly settings: Readonly<Record<string, string>>;
  readonly scenarios: readonly Scenario[];
  close(): Promise<unknown>;
};

/** What the longest turn of the event loop costs, in the process that reads what hostile servers send: one server at a time. */
export async function bench(): Promise<Section> {
  const found: { readonly name: string; readonly check: string; readonly ms: number }[] = [];
  for (const open of [openWebServers, openNameServers, openTlsServers]) {
    const world = await open();
    try {
      const longest = await measure(world);
      world.scenarios.forEach(({ name, check }, at) => found.push({ name, check, ms: longest[at] ?? 0 }));
    } finally {
      await world.close();
    }
  }
  found.sort((one, other) => other.ms - one.ms);
  const beyond = found.filter(({ ms }) => ms > 100).length;
  return {
    title: 'How long a hostile server holds the event loop',
    about: `Each of ${found.length} hostile servers of the tests is checked ${rounds} times. The table has the CPU of the longest turn of the event loop, in the process that reads what targets send, for the worst ${shown}. ${beyond} took more than 100 ms.`,
    columns: ['server', 'check', 'longest turn, ms'],
    rows: found.slice(0, shown).map(({ name, check, ms }) => [name, check, ms.toFixed(0)]),
    limits:
      'garbage collection and the compilation of code, which are part of a turn, and the 8 ms of work that one turn may do.',
  };
}

/** @returns the longest turn of each scenario, ms */
async function measure({ settings, scenarios }: World): Promise<readonly number[]> {
  const folder = mkdtempSync(join(tmpdir(), 'diag-bench-'));
  const file = join(folder, 'loop.json');
  const service = await startService({
    program: process.execPath,
    args: [
      '--import',
      fileURLToPath(new URL('../test/kit/loop-watch.ts', import.meta.url)),
      fileURLToPath(new URL('../cli/diag.js', import.meta.url)),
      'serve',
    ],
    environment: {
      ...settings,
      DATA_DIR: join(folder, 'data'),
      RATE_LIMIT: 'off',
      LOG_LEVEL: 'info',
      LOOP_WATCH_FILE: file,
    },
  });
  try {
    const runner = runnerPidOf(service.child.pid);
    // Code is loaded and compiled before the first part begins.
    for (const { paths } of scenarios.slice(0, 3)) await fetchAll(service.url, paths.slice(0, 1));
    for (const { name, paths } of scenarios) {
      process.kill(runner, 'SIGUSR2');
      await fetchAll(service.url, paths.slice(1));
      if (runnerPidOf(service.child.pid) !== runner) throw new Error(`${name} ended the process`);
    }
    process.kill(runner, 'SIGUSR2');
    service.kill('SIGTERM');
    await service.closed;
    const parts = JSON.parse(readFileSync(`${file}.runner`, 'utf8')) as readonly LoopSamples[];
    return scenarios.map((_, at) => Math.max(0, ...(parts[at + 1]?.heldMs ?? [])));
  } finally {
    service.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  }
}

async function fetchAll(origin: string, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const answer = await fetch(`${origin}${path}`);
    if (answer.status >= 400)
      throw new Error(`${path} is answered by ${answer.status}: ${await answer.text()}`);
    await answer.body?.cancel();
    await after(50);
  }
}

/** The same path so often, each for a check of its own, and one more to begin with. */
const each = (path: (round: number) => string) =>
  Array.from({ length: rounds + 1 }, (_, round) => path(round));

async function openWebServers(): Promise<World> {
  const byHost = <Part>(part: (scenario: (typeof hostile)[number]) => Part | undefined) =>
    Object.fromEntries(
      hostile.flatMap((scenario) => {
        const host = /\/\/([a-z0-9-]+\.test)/.exec(scenario.start)?.[1];
        const value = part(scenario);
        return host === undefined || value === undefined ? [] : [[host, value]];
      }),
    );
  const world = await openWorld({
    sites: {},
    sockets: byHost(({ connected }) => connected),
    certificates: byHost(({ certificate }) => certificate),
    names: { 'silent.test': 'silent', 'garbage.test': 'garbage', 'servfail.test': { rcode: 2 } },
  });
  // A server that is slow is no heavy one, and takes its time here as everywhere.
  const heavy = hostile.filter(({ name }) => /^(?:sends|sets|floods|shows)/.test(name));
  const scenarios = heavy.flatMap(({ name, start }) =>
    ['redirect-check', 'security-header-check'].map((check) => ({
      name,
      check,
      paths: each((round) => {
        const url = new URL(world.place(start));
        url.searchParams.set('round', String(round));
        return `/api/tools/${check}?url=${encodeURIComponent(url.href)}`;
      }),
    })),
  );
  return { settings: world.settings, scenarios, close: () => world.close() };
}

async function openNameServers(): Promise<World> {
  const [dns, lab] = await Promise.all([openHostileDns(hostileZones), openLab({ sites: {} })]);
  return {
    settings: lab.settings({ ...dns.settings, TARGET_ALLOW_CIDRS: '127.0.0.0/8' }),
    scenarios: Object.keys(hostileZones).map((zone) => ({
      name: zone,
      check: 'dns-check',
      paths: each((round) => `/api/tools/dns-check/${zone}?dkimSelector=round${round}`),
    })),
    close: () => Promise.all([dns.close(), lab.close()]),
  };
}

async function openTlsServers(): Promise<World> {
  const lab = await openLab({ sites: {} });
  const servers = await Promise.all(
    hostileTls.map(([, serve]) => Promise.all(each(() => '').map(() => openTcpServer(serve)))),
  );
  return {
    settings: lab.settings({ TARGET_ALLOW_CIDRS: '127.0.0.0/8', TARGET_PORTS: '26-65535,80' }),
    scenarios: hostileTls.map(([name], at) => ({
      name,
      check: 'ssl-check',
      paths: each((round) => `/api/tools/ssl-check/t${at}.test?port=${servers[at]?.[round]?.port ?? 0}`),
    })),
    close: () => Promise.all([lab.close(), ...servers.flat().map((server) => server.close())]),
  };
}
