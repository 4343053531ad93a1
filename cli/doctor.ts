import { Resolver } from 'node:dns/promises';
import { mkdtempSync, rmSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { openBackend } from '#shared/backend';
import { type Config, countProcesses, misspeltSettings, readConfig } from '#shared/config';
import { openLogger } from '#shared/logger';
import { describeMisspelling } from '#shared/misspelt-settings';
import { tryBrowser } from '../worker/probes/browser/try-browser.ts';
import { browserSettingsOf } from '../worker/start/probe-settings.ts';
import { openServer, type ServerOptions } from './connection.ts';
import { exitStatus } from './exit-status.ts';

/** What an examination has found: it works, it is not there and need not be, it is probably a mistake, or it is broken. */
type Found = { readonly state: 'ok' | 'none' | 'warn' | 'broken'; readonly words: string };
type Examination = readonly [name: string, look: () => Promise<Found> | Found, withinMs?: number];

const within = 5000;
/** A browser that was never started reads its files first. */
const browserStartMs = 20_000;

/** Examines what checks need on this machine, a line each, with the time that it took; gives 5 where something that is set up is broken. */
export async function examine(options: ServerOptions): Promise<number> {
  const config = readConfig();
  let isBroken = false;
  for (const [name, look, withinMs] of examinations(config, options)) {
    const start = performance.now();
    const { state, words } = await withDeadline(look, withinMs ?? within);
    const tookMs = Math.round(performance.now() - start);
    isBroken ||= state === 'broken';
    console.log(`${state.padEnd(6)}  ${name.padEnd(8)}  ${String(tookMs).padStart(5)} ms  ${words}`);
  }
  return isBroken ? exitStatus.server : exitStatus.ok;
}

function examinations(config: Config, options: ServerOptions): readonly Examination[] {
  return [
    ['node', () => ({ state: 'ok', words: process.versions.node })],
    ['settings', () => lookAtSettings(config)],
    ['store', () => lookAtFolder(config.DATA_DIR)],
    ['dns', () => lookAtDns(config)],
    ['ipv6', lookAtIpv6],
    ['browser', () => lookAtBrowser(config), browserStartMs + within],
    ['backend', () => lookAtBackend(config)],
    ['server', () => lookAtServer(options)],
  ];
}

async function withDeadline(look: Examination[1], withinMs: number): Promise<Found> {
  const late = new Promise<Found>((resolve) => {
    const words = `no answer within ${withinMs} ms`;
    setTimeout(() => resolve({ state: 'broken', words }), withinMs).unref();
  });
  const found = Promise.resolve()
    .then(look)
    .catch((error: unknown): Found => ({
      state: 'broken',
      words: (error as Error).message.split('\n')[0] ?? '',
    }));
  return Promise.race([found, late]);
}

function lookAtSettings(config: Config): Found {
  // Refused by those that listen, which this one does not.
  countProcesses(config);
  const misspelt = misspeltSettings();
  if (misspelt.length > 0) return { state: 'warn', words: misspelt.map(describeMisspelling).join(' ') };
  return { state: 'ok', words: 'all are valid, and no variable looks like a misspelt one' };
}

function lookAtFolder(folder: string): Found {
  if (folder === ':memory:') return { state: 'ok', words: 'nothing is kept (DATA_DIR=:memory:)' };
  try {
    rmSync(mkdtempSync(join(folder, '.doctor-')), { recursive: true });
    return { state: 'ok', words: `${folder} can be written` };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      return { state: 'none', words: `${folder} is made when it is needed` };
    return { state: 'broken', words: `DATA_DIR: ${(error as Error).message}` };
  }
}

async function lookAtDns({ DNS_SERVERS }: Config): Promise<Found> {
  const resolver = new Resolver({ timeout: 2000, tries: 1 });
  if (DNS_SERVERS && DNS_SERVERS.every((server) => /^[\d.:[\]a-f]+$/i.test(server)))
    resolver.setServers(DNS_SERVERS);
  const servers = resolver.getServers().join(', ');
  try {
    await resolver.resolveNs('.');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    // Any answer, also one that says no, comes from a resolver that works.
    if (!/^E(?:NOTFOUND|NODATA|SERVFAIL|REFUSED)$/.test(code)) throw error;
  }
  return { state: 'ok', words: `${servers} answers` };
}

function lookAtIpv6(): Found {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const isThere = addresses.some(
    ({ family, internal, address }) => family === 'IPv6' && !internal && /^[23]/.test(address),
  );
  return isThere
    ? { state: 'ok', words: 'this machine has a public IPv6 address' }
    : { state: 'none', words: 'no public IPv6 address: checks see IPv4 only' };
}

async function lookAtBrowser(config: Config): Promise<Found> {
  const { browser, noSandbox } = browserSettingsOf(config);
  let words = '';
  // As a worker starts it: one that is there and does not start loads no page.
  const fault = await tryBrowser(browser, {
    noSandbox,
    startMs: browserStartMs,
    signal: new AbortController().signal,
    onFound: ({ product, source }) => {
      words = `${product} starts (${source})`;
    },
  });
  if (!fault) return { state: 'ok', words };
  const isSet = config.BROWSER_PATH !== undefined;
  return {
    state: isSet ? 'broken' : 'none',
    words: `pagespeed-check is off: ${fault.reason}. ${fault.fix}`,
  };
}

async function lookAtBackend(config: Config): Promise<Found> {
  if (config.REDIS_URL === undefined)
    return { state: 'none', words: 'one process: no Redis and no MongoDB are set' };
  const backend = await openBackend(config, openLogger('silent'));
  try {
    const [queue, store] = await Promise.all([backend.jobQueue.ping(), backend.reportStore.ping()]);
    if (queue === true && store === true) return { state: 'ok', words: 'Redis and MongoDB answer' };
    return {
      state: 'broken',
      words: `Redis: ${queue === true ? 'ok' : queue}; MongoDB: ${store === true ? 'ok' : store}`,
    };
  } finally {
    await backend.close(0);
  }
}

async function lookAtServer(options: ServerOptions): Promise<Found> {
  const isNamed = options.server !== undefined || Boolean(process.env['DIAG_SERVER']);
  try {
    const { kind, limits } = await openServer(options, { retryForS: 0 }).me();
    const left = `${limits.scans.remaining} of ${limits.scans.limit} scans left`;
    return { state: 'ok', words: `answers; caller: ${kind}, ${left}` };
  } catch (error) {
    return { state: isNamed ? 'broken' : 'none', words: (error as Error).message };
  }
}
