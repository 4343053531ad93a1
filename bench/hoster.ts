import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openTokenStore } from '#shared/lifecycle/backend';
import { readConfig } from '#shared/settings/config';
import { makeToken } from '#shared/stores/tokens/make-token';
import { openLogger } from '#shared/telemetry/logger';
import { startService } from '../test/kit/service-process.ts';
import { goodZone, servers, upperZones } from '../test/lab/domain-health/domains.ts';
import { openNameServers } from '../test/lab/domain-health/name-servers.ts';
import { openLab } from '../test/lab/kit/lab.ts';
import type { Section } from './section.ts';
import { median, percentile } from './statistics.ts';

const domains = Array.from({ length: 120 }, (_, at) => `d${at}.test`);
/** Of these a token asks beside them, one after the other. */
const ofToken = Array.from({ length: 200 }, (_, at) => `t${at}.test`);
const besideEveryMs = 500;
const longestMs = 90_000;
const [hoster] = servers.well;

/** dns-checks of 120 domains whose name servers are the same two, asked at once by 120 anonymous callers, with default limits; and what others wait meanwhile. */
export async function bench(): Promise<Section> {
  const lab = await openLab({
    sites: { 'http://site.test': (_request, response) => void response.end('hello') },
  });
  const zones = [...domains, ...ofToken, 'site.test'].map((domain) => goodZone(domain));
  const names = await openNameServers(Object.assign({}, upperZones, ...zones));
  const folder = mkdtempSync(join(tmpdir(), 'hoster-'));
  const settings = lab.settings({
    ...names.settings,
    DATA_DIR: folder,
    LOG_LEVEL: 'info',
    TRUST_PROXY: '1',
    TARGET_ALLOW_CIDRS: '127.0.0.0/8',
  });
  const token = await insertToken(settings);
  const service = await startService({
    program: process.execPath,
    args: ['cli/diag.js', 'serve'],
    environment: settings,
  });
  try {
    const ask = openCaller(service.url, token);
    // The code of both checks is loaded.
    await ask('/api/tools/dns-check/site.test', 'token');
    await ask('/api/tools/redirect-check?url=http%3A%2F%2Fsite.test%2Fwarm', 'token');
    const before = names.questions.length;
    const alone = await askBeside(ask, async () => delay(5000));
    const start = performance.now();
    const answers: TimedAnswer[] = [];
    const beside = await askBeside(ask, async () => {
      const asked = domains.map((domain, at) => ask(`/api/tools/dns-check/${domain}`, at));
      answers.push(...(await Promise.all(asked)));
    });
    const tookS = (performance.now() - start) / 1000;
    const packets = names.questions.slice(before).filter(({ server }) => server === hoster).length;
    return sectionOf({ tookS, packets, answers, alone, beside });
  } finally {
    service.kill('SIGTERM');
    await service.closed;
    await Promise.all([names.close(), lab.close()]);
    rmSync(folder, { recursive: true });
  }
}

type TimedAnswer = { readonly waitMs: number; readonly state: string };
type Beside = { readonly token: readonly number[]; readonly anonymous: readonly number[] };
type AskHoster = (path: string, caller: number | 'token') => Promise<TimedAnswer>;

async function insertToken(settings: Readonly<Record<string, string>>): Promise<string> {
  const store = await openTokenStore(readConfig(settings), openLogger('silent'));
  const { text, token } = makeToken(
    { name: 'bench', scopes: ['tools'], limits: {}, expiresAt: null },
    Date.now(),
  );
  await store.insert(token);
  await store.close();
  return text;
}

/** Asks as a patient client does, until there is a report. An anonymous caller has a network of its own. */
function openCaller(url: string, token: string): AskHoster {
  return async (path, caller) => {
    const headers: Record<string, string> =
      caller === 'token'
        ? { authorization: `Bearer ${token}` }
        : { 'x-forwarded-for': `20.${caller % 250}.${Math.floor(caller / 250)}.1` };
    const start = performance.now();
    for (;;) {
      const answer = await fetch(`${url}${path}${path.includes('?') ? '&' : '?'}wait=50`, { headers });
      const body = (await answer.json()) as { readonly state?: string };
      const waitMs = performance.now() - start;
      if (answer.status === 200) return { waitMs, state: body.state ?? '' };
      if (waitMs > longestMs) return { waitMs, state: `none (${answer.status})` };
      await delay(1000 * Number(answer.headers.get('retry-after') ?? 1));
    }
  };
}

let asked = 0;

/** Asks for a dns-check at the hoster with a token and an unrelated redirect without one, again and again, until it is done. */
async function askBeside(ask: AskHoster, act: () => Promise<unknown>): Promise<Beside> {
  let isOver = false;
  const ending = act().finally(() => {
    isOver = true;
  });
  const waits: { token: Promise<TimedAnswer>[]; anonymous: Promise<TimedAnswer>[] } = {
    token: [],
    anonymous: [],
  };
  while (!isOver) {
    asked += 1;
    waits.token.push(ask(`/api/tools/dns-check/${ofToken[asked % ofToken.length]}`, 'token'));
    waits.anonymous.push(
      ask(`/api/tools/redirect-check?url=http%3A%2F%2Fsite.test%2F${asked}`, 1000 + asked),
    );
    await Promise.race([delay(besideEveryMs), ending]);
  }
  await ending;
  const read = async (all: readonly Promise<TimedAnswer>[]) =>
    (await Promise.all(all)).map(({ waitMs }) => waitMs);
  return { token: await read(waits.token), anonymous: await read(waits.anonymous) };
}

type Measured = {
  readonly tookS: number;
  readonly packets: number;
  readonly answers: readonly TimedAnswer[];
  readonly alone: Beside;
  readonly beside: Beside;
};

function sectionOf({ tookS, packets, answers, alone, beside }: Measured): Section {
  const whole = answers.filter(({ state }) => state === 'complete').length;
  const states = [...new Set(answers.map(({ state }) => state))].map(
    (state) => `${answers.filter((answer) => answer.state === state).length} ${state}`,
  );
  const row = (what: string, all: readonly number[]) => [
    what,
    (median(all) / 1000).toFixed(2),
    (percentile(all, 0.95) / 1000).toFixed(2),
    (Math.max(...all) / 1000).toFixed(2),
  ];
  console.log(states.join(', '), `${tookS.toFixed(1)} s`, `${packets} packets`);
  return {
    title: 'Many domains at one hoster',
    about: `dns-checks of ${domains.length} domains with the same two name servers, asked at once by as many anonymous callers, with default limits in one process: ${tookS.toFixed(1)} s, ${(whole / tookS).toFixed(1)} whole reports a second (${states.join(', ')}). Each name server got ${(packets / tookS).toFixed(0)} questions a second. Beside them, every ${besideEveryMs} ms, a token asks for a dns-check at the same hoster, and another anonymous caller for a redirect-check of a site elsewhere.`,
    columns: ['answer after, s', 'median', 'p95', 'longest'],
    rows: [
      row('dns-check of a token, alone', alone.token),
      row('dns-check of a token, beside them', beside.token),
      row('redirect-check elsewhere, alone', alone.anonymous),
      row('redirect-check elsewhere, beside them', beside.anonymous),
      row(
        'each of the dns-checks',
        answers.map(({ waitMs }) => waitMs),
      ),
    ],
    limits:
      'the pace of a name server’s address for anonymous callers, 50 packets a second after a burst of 500, and the CPU of the checks.',
  };
}
