import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { lookAtMongo } from '#shared/backends/look-at-mongo';
import { lookAtRedis } from '#shared/backends/look-at-redis';
import { whoAnswers } from '#shared/backends/who-answers';
import { type Backend, openBackend } from '#shared/lifecycle/backend';
import { otherPort } from '#shared/lifecycle/listen';
import { problems } from '#shared/model/problem';
import { type Config, misspeltSettings, readConfig } from '#shared/settings/config';
import { describeMisspelling } from '#shared/settings/misspelt-settings';
import { openLogger } from '#shared/telemetry/logger';
import { DiagnosticsProblem } from '../client/diagnostics.ts';
import { tryBrowser } from '../worker/probes/browser/try-browser.ts';
import { lookAtResolvers } from '../worker/probes/dns/look-at-resolvers.ts';
import { kindOf } from '../worker/probes/vantage/ways.ts';
import { browserSettingsOf } from '../worker/start/browser-settings.ts';
import { isLab } from '../worker/start/probe-settings.ts';
import { listOldData, oldAfterDays } from '../worker/start/reference-data.ts';
import { hasPublicIpv6 } from '../worker/start/watch-network.ts';
import { openServer, type ServerOptions } from './connection.ts';
import { say, show } from './door.ts';
import { exitStatus } from './exit-status.ts';
import { lookAtMail } from './look-at-mail.ts';
import { surveyNetwork, type SurveyedNetwork, tellMissing } from './look-at-network.ts';

/** What an examination has found: it works, it is not there and need not be, it is probably a mistake, or it is broken. */
type Diagnosis = { readonly state: 'ok' | 'none' | 'warn' | 'broken'; readonly words: string };
type Examination = readonly [name: string, look: () => Promise<Diagnosis> | Diagnosis, withinMs?: number];

const within = 5000;
/** A network in which nothing answers is known after some seconds of silence. */
const surveyMs = 10_000;
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
    say(show`${state.padEnd(6)}  ${name.padEnd(8)}  ${String(tookMs).padStart(5)} ms  ${words}`);
  }
  return isBroken ? exitStatus.server : exitStatus.ok;
}

function examinations(config: Config, options: ServerOptions): readonly Examination[] {
  let surveyed: ReturnType<typeof surveyNetwork> | undefined;
  const survey = () => (surveyed ??= surveyNetwork(config));
  return [
    ['node', () => ({ state: 'ok', words: process.versions.node })],
    ['settings', () => lookAtSettings()],
    ['tables', () => lookAtTables(Date.now())],
    ['store', () => lookAtFolder(config.DATA_DIR)],
    ['dns', () => lookAtDns(config)],
    ['ipv6', async () => lookAtIpv6(await survey()), surveyMs],
    ['network', async () => lookAtNetwork(await survey()), surveyMs],
    ['smtp', () => lookAtSmtp(config), smtpMs + 1000],
    ['browser', () => lookAtBrowser(config), browserStartMs + within],
    ['redis', () => lookAtQueue(config)],
    ['mongodb', () => lookAtReports(config)],
    ['backend', () => lookAtBackend(config)],
    ['server', () => lookAtServer(options, config)],
  ];
}

async function withDeadline(look: Examination[1], withinMs: number): Promise<Diagnosis> {
  const late = new Promise<Diagnosis>((resolve) => {
    const words = `no answer within ${withinMs} ms`;
    setTimeout(() => resolve({ state: 'broken', words }), withinMs).unref();
  });
  const found = Promise.resolve()
    .then(look)
    .catch((error: unknown): Diagnosis => ({
      state: 'broken',
      words: (error as Error).message.split('\n')[0] ?? '',
    }));
  return Promise.race([found, late]);
}

function lookAtSettings(): Diagnosis {
  const misspelt = misspeltSettings();
  if (misspelt.length > 0) return { state: 'warn', words: misspelt.map(describeMisspelling).join(' ') };
  return { state: 'ok', words: 'all are valid, and no variable looks like a misspelt one' };
}

function lookAtTables(nowMs: number): Diagnosis {
  const old = listOldData(nowMs).map(({ name, day }) => `${name} is of ${day}`);
  if (old.length === 0)
    return { state: 'ok', words: `what checks judge by is at most ${oldAfterDays} days old` };
  const fix = 'Install a newer version, or renew them as docs/data.md says under "Data with an age".';
  return { state: 'warn', words: `${old.join(', ')}. ${fix}` };
}

/** What has room for this has room for nearly every report. */
const trialBytes = 1_000_000;
const littleBytes = 200_000_000;

function lookAtFolder(folder: string): Diagnosis {
  if (folder === ':memory:') return { state: 'ok', words: 'nothing is kept (DATA_DIR=:memory:)' };
  try {
    writeAWhile(folder);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return { state: 'none', words: `${folder} is made when it is needed` };
    const fix =
      code === 'ENOSPC'
        ? 'Its disk is full: free some space, or let DATA_DIR name another disk.'
        : 'Let the user of the service write there, or let DATA_DIR name another folder.';
    return { state: 'broken', words: `DATA_DIR: ${message}. ${fix}` };
  }
  const { bavail, bsize } = statfsSync(folder);
  const freeMb = Math.round((bavail * bsize) / 1e6);
  return bavail * bsize < littleBytes
    ? { state: 'warn', words: `${folder} can be written, but only ${freeMb} MB are free: make room` }
    : { state: 'ok', words: `${folder} can be written, ${freeMb} MB are free` };
}

function writeAWhile(folder: string): void {
  const trial = mkdtempSync(join(folder, '.doctor-'));
  try {
    writeFileSync(join(trial, 'trial'), randomBytes(trialBytes));
  } finally {
    rmSync(trial, { recursive: true });
  }
}

async function lookAtDns(config: Config): Promise<Diagnosis> {
  const { DNS_SERVERS } = config;
  const { answering, faults } = await lookAtResolvers(DNS_SERVERS, { isLab: isLab(config) });
  const setting = DNS_SERVERS ? 'DNS_SERVERS' : 'the resolvers of this system';
  if (faults.length === 0 && answering.length > 0)
    return { state: 'ok', words: `${answering.join(', ')} answers` };
  const fix = DNS_SERVERS
    ? 'Start it, or correct DNS_SERVERS.'
    : 'Correct /etc/resolv.conf, or let DNS_SERVERS name a resolver.';
  return {
    state: answering.length > 0 ? 'warn' : 'broken',
    words: `${setting}: ${faults.join('; ') || 'there is none'}. ${fix}`,
  };
}

function lookAtIpv6(surveyed: SurveyedNetwork | undefined): Diagnosis {
  if (!hasPublicIpv6()) return { state: 'none', words: 'no public IPv6 address: checks see IPv4 only' };
  const missing = surveyed?.missing.filter((way) => kindOf(way) === 'ipv6') ?? [];
  return missing.length > 0
    ? {
        state: 'warn',
        words: `this machine has a public IPv6 address, but ${tellMissing({ missing, clock: null })}`,
      }
    : { state: 'ok', words: 'this machine has a public IPv6 address' };
}

/** What targets are never blamed for. */
function lookAtNetwork(surveyed: SurveyedNetwork | undefined): Diagnosis {
  if (!surveyed)
    return { state: 'none', words: 'nobody is asked (targets are on this machine, or CONTROLS is off)' };
  const missing = surveyed.missing.filter((way) => kindOf(way) !== 'ipv6');
  const words = tellMissing({ ...surveyed, missing });
  return words === ''
    ? { state: 'ok', words: 'names, name servers and hosts can be asked from here' }
    : { state: 'warn', words };
}

/** A lost connection takes five seconds to tell. */
const smtpMs = 12_000;

async function lookAtSmtp(config: Config): Promise<Diagnosis> {
  if (!config.PROBE_SMTP) return { state: 'none', words: 'smtp-check is off (PROBE_SMTP)' };
  const { faults, unknown, port } = await lookAtMail(config, smtpMs);
  const name = faults.length > 0 ? faults.join('. Also: ') : unknown.join('; ');
  const nameWords = name === '' ? '' : `SMTP_HELO: ${name}`;
  if (port === 'blocked') {
    const words = `${config.SMTP_CONTROL_HOST} does not answer on port 25: this network seems to block it. Ask its provider to open port 25, or switch PROBE_SMTP off`;
    return { state: 'broken', words: `${words}${nameWords === '' ? '' : `. ${nameWords}`}` };
  }
  const way =
    port === 'open' ? 'port 25 is open' : 'whether port 25 is open is not known (SMTP_CONTROL_HOST)';
  if (nameWords === '')
    return { state: 'ok', words: `${config.SMTP_HELO} leads to its address and back; ${way}` };
  const harm = faults.length > 0 ? '. Until then mail hosts may turn this service away' : '';
  return { state: 'warn', words: `${nameWords}${harm}; ${way}` };
}

async function lookAtBrowser(config: Config): Promise<Diagnosis> {
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

const noBackend: Diagnosis = { state: 'none', words: 'one process: no Redis and no MongoDB are set' };

async function lookAtQueue({ REDIS_URL }: Config): Promise<Diagnosis> {
  if (REDIS_URL === undefined) return noBackend;
  const { server, cause } = await lookAtRedis(REDIS_URL);
  if (cause === undefined) return { state: 'ok', words: `${server} takes jobs` };
  const fix = 'Start it, or correct REDIS_URL (or the file of REDIS_URL_FILE).';
  return { state: 'broken', words: `REDIS_URL: ${server}: ${cause}. ${fix}` };
}

async function lookAtReports({ MONGODB_URL }: Config): Promise<Diagnosis> {
  if (MONGODB_URL === undefined) return noBackend;
  const { server, cause } = await lookAtMongo(MONGODB_URL);
  if (cause === undefined) return { state: 'ok', words: `${server} keeps reports` };
  const fix = 'Start it, or correct MONGODB_URL (or the file of MONGODB_URL_FILE).';
  return { state: 'broken', words: `MONGODB_URL: ${server}: ${cause}. ${fix}` };
}

/** Both as the service sees them, once it is connected: what else it would be degraded for. */
async function lookAtBackend(config: Config): Promise<Diagnosis> {
  if (config.REDIS_URL === undefined) return noBackend;
  const backend = await openBackend(config, openLogger('silent'));
  try {
    const until = performance.now() + within - 1500;
    for (;;) {
      const [queue, store] = await Promise.all([backend.jobQueue.ping(), backend.reportStore.ping()]);
      const clock = backend.jobQueue.clockState?.() ?? true;
      if (clock !== true) return { state: 'broken', words: `${clock}. Set it, by NTP for example.` };
      if (queue === true && store === true) return await lookAtDelivery(backend);
      const words = [queue, store].filter((state) => state !== true).join('; ');
      if (performance.now() > until)
        return { state: 'broken', words: `${words}. The lines above and docs/operating.md say what to do.` };
      await delay(100);
    }
  } finally {
    await backend.close(0);
  }
}

async function lookAtDelivery({ jobQueue }: Pick<Backend, 'jobQueue'>): Promise<Diagnosis> {
  const state = (await jobQueue.deliveryState?.()) ?? true;
  if (state !== true) return { state: 'broken', words: state };
  return { state: 'ok', words: 'the service can use both: its settings of them are right' };
}

async function lookAtServer(options: ServerOptions, { HOST, PORT }: Config): Promise<Diagnosis> {
  const named = options.server ?? (process.env['DIAG_SERVER'] || undefined);
  const own = `http://${isEverywhere(HOST) ? '127.0.0.1' : hostInUrl(HOST)}:${PORT}`;
  const server = named ?? own;
  try {
    const { kind, limits } = await openServer({ ...options, server }, { retryForS: 0 }).me();
    const left = `${limits.scans.remaining} of ${limits.scans.limit} scans left`;
    return { state: 'ok', words: `${server} answers; caller: ${kind}, ${left}` };
  } catch (error) {
    const { message } = error as Error;
    if (named !== undefined)
      return {
        state: 'broken',
        words: `${server}: ${message}. Start it, or correct --server or DIAG_SERVER.`,
      };
    if (isOfService(error)) return { state: 'ok', words: `${server} answers: ${message}` };
    const other = await whoAnswers(isEverywhere(HOST) ? '127.0.0.1' : HOST, PORT, 1000);
    return other === undefined
      ? { state: 'none', words: `no service answers at ${server}: start it with ${startCommand()}` }
      : {
          state: 'broken',
          words: `${other} uses port ${PORT}. End it, or choose another port: PORT=${otherPort(PORT)} ${startCommand()}`,
        };
  }
}

/** Only this service answers with problems of its own. */
function isOfService(error: unknown): boolean {
  return error instanceof DiagnosticsProblem && Object.hasOwn(problems, error.code);
}

/** A clone has scripts of npm; who installed the package has the command alone. */
function startCommand(): string {
  return import.meta.url.endsWith('.ts') ? 'npm start' : 'npx --no -- diag serve';
}

const isEverywhere = (host: string) => host === '0.0.0.0' || host === '::';
const hostInUrl = (host: string) => (host.includes(':') ? `[${host}]` : host);
