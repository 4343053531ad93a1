// The same question by each way that asks for a report: the same report, at the same cost, under the same limits.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { pagespeedCheck } from '#shared/catalogue/pagespeed-check/spec';
import { redirectCheck } from '#shared/catalogue/redirect-check/spec';
import { type Job, randomId } from '#shared/model/job';
import { openJobKeys } from '#shared/queue/job-keys';
import { makeToken } from '#shared/stores/tokens/make-token';
import { keepGolden } from '../kit/golden-report.ts';
import { openService } from './kit.ts';

const questions = ['unknown', 'known', 'floor', 'aged', 'older', 'stored', 'denied', 'joined'] as const;
type Question = (typeof questions)[number];

/** How a way is asked. `stored`: only what is there; the floor of the check is 30 s. */
type Wish = 'usual' | 'new' | 'stored' | { readonly maxAgeS: number };
type Asker = Awaited<ReturnType<typeof drawAccount>>;
type Way = {
  /** Gives the id of the report, or the code of the problem; undefined where the way has no such wish. */
  ask(as: Asker, host: string, wish: Wish): Promise<string> | undefined;
};

const held: ServerResponse[] = [];
let isHolding = false;
const visits = new Map<string, number>();
const folder = mkdtempSync(join(tmpdir(), 'diag-ways-'));

const ways: { readonly [name: string]: Way } = {
  'GET of the tool': {
    async ask(as, host, wish) {
      const more = wish === 'new' ? '&fresh=1' : typeof wish === 'object' ? `&maxAge=${wish.maxAgeS}` : '';
      const headers: Record<string, string> = wish === 'stored' ? { 'cache-control': 'only-if-cached' } : {};
      const { body } = await as.call(`/api/tools/redirect-check?url=http://${host}/&wait=50${more}`, {
        headers,
      });
      return idOrCode(body);
    },
  },
  '/probe': {
    ask(as, host, wish) {
      if (wish === 'stored') return undefined;
      const maxAge = wish === 'new' ? 0 : typeof wish === 'object' ? wish.maxAgeS : 3600;
      const path = `/probe?module=redirect-check&target=http://${host}/&maxAge=${maxAge}`;
      return as.call(path).then(({ body, status }) => (status === 200 ? as.newest(host) : idOrCode(body)));
    },
  },
  MCP: {
    ask(as, host, wish) {
      if (wish === 'stored') return undefined;
      const maxAge = wish === 'new' ? 0 : typeof wish === 'object' ? wish.maxAgeS : undefined;
      return as.callTool({ url: `http://${host}/`, ...(maxAge === undefined ? {} : { maxAge }) });
    },
  },
  batch: {
    ask(as, host, wish) {
      if (wish === 'stored') return undefined;
      const age = wish === 'new' ? { fresh: true } : typeof wish === 'object' ? { maxAge: wish.maxAgeS } : {};
      return as.batch({ check: 'redirect-check', targets: [`http://${host}/`], ...age });
    },
  },
  'page of a report': {
    ask(as, host, wish) {
      if (wish !== 'stored') return undefined;
      return as.shown(host);
    },
  },
  'button of a page': {
    ask: (as, host, wish) =>
      wish === 'new'
        ? as.form(`/u/redirect-check?url=${encodeURIComponent(`http://${host}/`)}`, {}, host)
        : undefined,
  },
  'field of the first page': {
    ask: (as, host, wish) =>
      wish === 'usual'
        ? as.form('/go', { target: `http://${host}/`, check: 'redirect-check' }, host)
        : undefined,
  },
  watch: { ask: (as, host, wish) => (wish === 'new' ? as.watch(`http://${host}/`) : undefined) },
  'part of a domain-health': {
    ask(as, host, wish) {
      if (typeof wish === 'object' || wish === 'stored') return undefined;
      const more = wish === 'new' ? '&fresh=1' : '';
      return as.part(host, `/api/tools/domain-health/${host}?parts=ssl&wait=50${more}`);
    },
  },
};

const hostOf = (way: string, question: Question) =>
  `${question}-${way
    .toLowerCase()
    .replace(/[^a-z]+/g, '-')
    .replace(/^-|-$/g, '')}.test`;
const hosts = Object.keys(ways).flatMap((way) => questions.map((question) => hostOf(way, question)));
writeFileSync(join(folder, 'denied'), hosts.filter((host) => host.startsWith('denied-')).join('\n'));
const site = (host: string) => (_request: unknown, response: ServerResponse) => {
  visits.set(host, (visits.get(host) ?? 0) + 1);
  if (isHolding) held.push(response);
  else response.writeHead(204).end();
};
const service = await openService({
  sites: Object.fromEntries(hosts.map((host) => [`http://${host}`, site(host)])),
  settings: { MCP: 'on', TARGET_DENY_NAMES_FILE: join(folder, 'denied'), WORKER_CONCURRENCY: '50' },
});
const { backend } = service;
afterAll(async () => {
  for (const response of held) response.destroy();
  await service.close();
  rmSync(folder, { recursive: true });
});

type Body = { readonly [name: string]: unknown };
const idOrCode = (body: Body) => String(body['reportId'] ?? body['code']);

/** An account of its own, and how it asks by each way. */
async function drawAccount() {
  const wish = { name: 'test', limits: {}, expiresAt: null, account: randomId() };
  const scopes = ['tools', 'reports:read', 'watch'] as const;
  const { text, token } = makeToken({ ...wish, scopes: [...scopes] }, Date.now());
  await backend.tokenStore.insert(token);
  const base = `http://127.0.0.1:${service.port}`;
  const own = { authorization: `Bearer ${text}`, 'sec-fetch-site': 'same-origin' };
  const call = async (path: string, init: RequestInit = {}) => {
    const headers = { ...own, ...(init.headers as Record<string, string>) };
    const answer = await fetch(`${base}${path}`, { redirect: 'manual', ...init, headers });
    const sent = await answer.text();
    const isJson = answer.headers.get('content-type')?.includes('json') === true && sent.startsWith('{');
    const { status } = answer;
    const location = answer.headers.get('location') ?? '';
    return { status, location, text: sent, body: (isJson ? JSON.parse(sent) : {}) as Body };
  };
  const send = (path: string, body: object) =>
    call(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const newest = async (host: string, check = 'redirect-check') => {
    const { body } = await call(`/api/reports?check=${check}&target=http://${host}/`);
    return String((body['reports'] as readonly Body[] | undefined)?.[0]?.['reportId']);
  };
  const shown = async (host: string) => {
    const page = await call(`/u/redirect-check?url=http://${host}/`);
    return (
      /\/r\/([0-9a-f]{32})/.exec(page.text)?.[1] ?? (page.status === 200 ? 'not_cached' : codeOf(page.text))
    );
  };
  const quota = { policy: 'scans', points: 600, windowS: 60 } as const;
  return {
    call,
    newest,
    shown,
    /** Scans that it has paid, by whatever name. */
    async spent() {
      const names = [`token:${token.tokenId}`, `account:${token.account}`];
      const all = await Promise.all(names.map((name) => backend.rateLimiter.look(quota, name)));
      return all.reduce((sum, { remaining }) => sum + quota.points - remaining, 0);
    },
    async isGiven(reportId: string) {
      return (await call(`/api/reports/${reportId}`)).status === 200;
    },
    async callTool(given: object, name = 'redirect-check') {
      const message = {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name, arguments: given },
      };
      const answer = await call('/mcp', {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        body: JSON.stringify(message),
      });
      const line = answer.text.startsWith('{')
        ? answer.text
        : (answer.text.split('\n').find((one) => one.startsWith('data: {')) ?? '').slice('data: '.length);
      const { result } = JSON.parse(line) as { result: { content: readonly { text: string }[] } };
      const told = JSON.parse(result.content[0]?.text ?? '{}') as Body;
      return /\/([0-9a-f]{32})$/.exec(String(told['url']))?.[1] ?? idOrCode(told);
    },
    async batch(body: object) {
      const made = await send('/api/batches', body);
      const { batchId } = made.body as { batchId: string };
      const results = await call(`/api/batches/${batchId}/results?wait=50`);
      const line = JSON.parse(results.text) as { report: Body | null; problem: Body | null };
      return idOrCode(line.report ?? line.problem ?? {});
    },
    async form(path: string, fields: Record<string, string>, host: string) {
      const started = await call(path, { method: 'POST', body: new URLSearchParams(fields) });
      if (started.status === 422) return 'target_not_allowed';
      expect(started.status).toBe(303);
      const job = /job=([0-9a-f]{32})/.exec(started.location)?.[1];
      if (job !== undefined) await call(`/api/jobs/${job}?wait=50`);
      return shown(host);
    },
    async watch(target: string, check = 'redirect-check', options = {}) {
      const made = await send('/api/watches', {
        check,
        targets: [target],
        options,
        everySeconds: 86_400,
      });
      if (made.status !== 201) return idOrCode(made.body);
      const watchId = String(made.body['watchId']);
      const first = async () => (await backend.watches.listTargets(watchId, { limit: 1 }))[0];
      // Any report answers the first turn; the second comes now, and not at the moment of the day that is its own.
      await expect.poll(async () => (await first())?.reportId ?? null, { timeout: 50_000 }).not.toBeNull();
      const againAt = Date.now();
      await backend.watches.schedule(watchId, true, () => againAt);
      await expect.poll(async () => (await first())?.dueAt, { timeout: 50_000 }).toBeGreaterThan(againAt);
      return String((await first())?.reportId);
    },
    async part(host: string, path: string) {
      const { body } = await call(path);
      const entries = (body['entryPoints'] ?? []) as readonly { url: string; report: Body | null }[];
      const own_ = entries.find(({ url }) => url === `http://${host}/`);
      return String(own_?.report?.['reportId'] ?? body['code']);
    },
  };
}

const codeOf = (html: string) =>
  /problems\/([a-z_]+)/.exec(html)?.[1] ?? /target_not_allowed/.exec(html)?.[0] ?? html.slice(0, 80);

/** A report of so many seconds ago is stored. */
async function keepOld(host: string, agedS: number, freshForS: number): Promise<string> {
  const target = `http://${host}/`;
  const at = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();
  const jobKey = openJobKeys(service.lab.config({}))(
    redirectCheck,
    target,
    redirectCheck.options.parse({}) as Record<string, string>,
    undefined,
  );
  const times = { checkedAt: at(-agedS), freshUntil: at(freshForS - agedS) };
  return (
    await keepGolden(backend.reportStore, 'redirect-check', { ...times, target: { url: target } }, jobKey)
  ).reportId;
}

/** What came of a question: which report, and what it took. */
type Outcome = {
  readonly report: string;
  readonly visits: number;
  readonly spent: number;
  readonly given: boolean;
};

async function outcomeOf(as: Asker, host: string, answer: string, known?: string): Promise<Outcome> {
  const isReport = /^[0-9a-f]{32}$/.test(answer);
  return {
    report: !isReport ? answer : answer === known ? 'known' : 'new',
    visits: visits.get(host) ?? 0,
    spent: await as.spent(),
    given: isReport && (await as.isGiven(answer)),
  };
}

describe.for(Object.entries(ways))('%s', { timeout: 120_000 }, ([name, way]) => {
  const hosted = (question: Question) => hostOf(name, question);
  /** The wishes that this way has, of those that come to the same here. */
  const askOne = async (host: string, wishes: readonly Wish[], as: Asker) => {
    for (const wish of wishes) {
      const answer = way.ask(as, host, wish);
      if (answer) return answer;
    }
    return undefined;
  };
  /** What comes of the first of these wishes that this way has; undefined where it has none. */
  const outcome = async (host: string, wishes: readonly Wish[], known?: string) => {
    const as = await drawAccount();
    const answer = await askOne(host, wishes, as);
    return answer === undefined ? undefined : outcomeOf(as, host, answer, known);
  };

  const isPart = name.startsWith('part');
  const started = { report: 'new', visits: 1, spent: 1, given: true };
  // The whole of a domain-health is a run, whoever has its parts.
  const answered = { report: 'known', visits: 0, spent: isPart ? 1 : 0, given: true };

  test('what is unknown is asked once, paid once, and given', async () => {
    expect((await outcome(hosted('unknown'), ['usual', 'new'])) ?? started).toEqual(started);
  });

  test('what is fresh answers everybody, for nothing, and is given', async () => {
    const host = hosted('known');
    const known = await ways['GET of the tool']?.ask(await drawAccount(), host, 'usual');
    const expected = { ...answered, visits: 1 };
    expect((await outcome(host, ['usual', 'stored', 'new'], known)) ?? expected).toEqual(expected);
  });

  test('a new report is not made within the floor of the check, and is made behind it', async () => {
    const [within, behind] = [hosted('floor'), hosted('aged')];
    const [young, old] = [await keepOld(within, 20, 600), await keepOld(behind, 60, 600)];
    expect((await outcome(within, ['new', { maxAgeS: 1 }], young)) ?? answered).toEqual(answered);
    expect((await outcome(behind, ['new'], old)) ?? started).toEqual(started);
  });

  test('a report is as old as the caller allows', async () => {
    const host = hosted('older');
    const as = await drawAccount();
    const known = await keepOld(host, 100, 10);
    const isScrape = name === '/probe';
    // What is no longer fresh answers a scrape only where the account was given it before, and a new run is started beside it.
    if (isScrape) await as.call(`/api/tools/redirect-check?url=http://${host}/&maxAge=3600`);
    const answer = way.ask(as, host, { maxAgeS: 3600 });
    const came = answer && (await outcomeOf(as, host, await answer, known));
    const expected = isScrape ? { ...answered, spent: 1, visits: came?.visits } : answered;
    expect(came ?? expected).toEqual(expected);
  });

  test('who wants only what is stored starts nothing', async () => {
    const nothing = { report: 'not_cached', visits: 0, spent: 0, given: false };
    expect((await outcome(hosted('stored'), ['stored'])) ?? nothing).toEqual(nothing);
  });

  test('a name that is not checked is refused', async () => {
    const refused = { report: 'target_not_allowed', visits: 0, spent: 0, given: false };
    expect(await outcome(hosted('denied'), ['usual', 'new', 'stored'])).toEqual(refused);
  });

  test('equal work under way is joined, and paid once', async () => {
    const host = hosted('joined');
    if (name === 'page of a report') return;
    isHolding = true;
    const both = await Promise.all([drawAccount(), drawAccount()]);
    const answers = both.map((as) => askOne(host, ['usual', 'new'], as));
    await expect.poll(() => held.length, { timeout: 30_000 }).toBe(1);
    await expect.poll(() => service.backend.jobQueue.stats().then(({ network }) => network.running)).toBe(1);
    isHolding = false;
    for (const response of held.splice(0)) response.writeHead(204).end();
    const ids = await Promise.all(answers);
    const spent = await Promise.all(both.map((as) => as.spent()));
    expect([new Set(ids).size, visits.get(host)]).toEqual([1, 1]);
    expect(spent.reduce((sum, one) => sum + one, 0)).toBe(1);
    for (const [at, as] of both.entries()) expect(await as.isGiven(String(ids[at]))).toBe(true);
  });
});

/** Each way that has options of a check, asking whether a load keeps a budget. */
const budget = 'lcp:1';
const budgets: { readonly [way: string]: (as: Asker, host: string) => Promise<string> } = {
  'GET of the tool': async (as, host) =>
    idOrCode((await as.call(`/api/tools/pagespeed-check?url=http://${host}/&budget=${budget}`)).body),
  '/probe': async (as, host) => {
    await as.call(`/probe?module=pagespeed-check&target=http://${host}/&budget=${budget}`);
    return as.newest(host, 'pagespeed-check');
  },
  MCP: (as, host) => as.callTool({ url: `http://${host}/`, budget }, 'pagespeed-check'),
  batch: (as, host) =>
    as.batch({ check: 'pagespeed-check', targets: [`http://${host}/`], options: { budget } }),
  'page of a report': async (as, host) => {
    const page = await as.call(`/u/pagespeed-check?url=http://${host}/&budget=${budget}`);
    return /\/r\/([0-9a-f]{32})/.exec(page.text)?.[1] ?? String(page.status);
  },
  'button of a page': async (as, host) => {
    const path = `/u/pagespeed-check?url=http://${host}/&budget=${budget}`;
    const { location } = await as.call(path, { method: 'POST', body: new URLSearchParams() });
    expect(location).not.toMatch(/job=/);
    return as.call(location).then(({ text }) => /\/r\/([0-9a-f]{32})/.exec(text)?.[1] ?? 'none');
  },
  watch: (as, host) => as.watch(`http://${host}/`, 'pagespeed-check', { budget }),
};

// Nobody here can load a page: what needs a load is a problem.
describe('a budget is judged from a stored load, without a run and at no cost, by', () => {
  const host = hostOf('GET of the tool', 'known');
  let judged: string | undefined;
  test.for(Object.entries(budgets))('%s', { timeout: 60_000 }, async ([, ask]) => {
    const target = `http://${host}/`;
    const options = pagespeedCheck.options.parse({}) as Job['options'];
    const jobKey = openJobKeys(service.lab.config({}))(pagespeedCheck, target, options, undefined);
    if (judged === undefined)
      await keepGolden(backend.reportStore, 'pagespeed-check', { target: { url: target } }, jobKey);
    const as = await drawAccount();
    const answer = await ask(as, host);
    judged ??= answer;
    expect([answer, await as.spent(), await as.isGiven(answer)]).toEqual([judged, 0, true]);
  });
});

describe('a domain-health gives all reports that it names, asked for by', () => {
  const host = hostOf('watch', 'known');
  const named = (report: Body) =>
    [
      ...Object.values(report['categories'] as object),
      ...(report['entryPoints'] as readonly object[]),
    ].flatMap((part: { report?: { reportId?: string } | null }) => part.report?.reportId ?? []);
  test.for(['GET of the tool', 'watch'])('%s', { timeout: 60_000 }, async (way) => {
    const as = await drawAccount();
    const id =
      way === 'watch'
        ? await as.watch(host, 'domain-health', { parts: ['dns', 'ssl'] })
        : idOrCode((await as.call(`/api/tools/domain-health/${host}?parts=dns,ssl&wait=50`)).body);
    const { body } = await as.call(`/api/reports/${id}`);
    const ids = [...new Set(named(body))];
    expect(ids.length).toBeGreaterThan(3);
    expect(await Promise.all(ids.map((one) => as.isGiven(one)))).toEqual(ids.map(() => true));
  });
});

describe('the form that compares domains', () => {
  const [one, two] = [hostOf('MCP', 'known'), hostOf('batch', 'known')];
  const press = (as: Asker) =>
    as.call('/compare', { method: 'POST', body: new URLSearchParams({ domains: `${one} ${two}` }) });
  test('pays for what is unknown, and for nothing that is known', { timeout: 60_000 }, async () => {
    const as = await drawAccount();
    const health = (host: string) => as.call(`/api/tools/domain-health/${host}?wait=50`);
    expect((await health(one)).status).toBe(200);
    const before = await as.spent();
    const pressed = await press(as);
    expect(pressed.status).toBe(303);
    expect((await as.spent()) - before).toBe(5);
    const address = pressed.location;
    const [, until = ''] = /&jobs=[0-9a-f]{32}&until=(\d+)$/.exec(address) ?? [];
    expect(Number(until) - Date.now()).toBeGreaterThan(100_000);
    const page = async (path: string) => (await as.call(path, { headers: { accept: 'text/html' } })).text;
    // While it runs the page loads itself again, for two minutes at most.
    const refresh = 'http-equiv="refresh" content="4; url=';
    expect(await page(address)).toContain(refresh);
    expect(await page(address.replace(/\d+$/, '1'))).not.toContain(refresh);
    expect(await page(address.replace(/&jobs.*/, ''))).not.toContain(refresh);
    // It goes on, and is joined at no cost.
    expect((await health(two)).status).toBe(200);
    expect((await press(as)).status).toBe(303);
    expect((await as.spent()) - before).toBe(5);
    const shown = await page(address);
    expect(shown).not.toContain(refresh);
    expect(shown).toMatch(/<time datetime="[^"]+" title="[^"]+">\d+ seconds? ago<\/time>/);
  });
});

describe('who wants a report no more ends no other interest:', () => {
  const host = hostOf('batch', 'stored');
  const path = `/api/tools/redirect-check?url=http://${host}/`;
  const post = async (as: Asker, check = 'redirect-check') => {
    const body = JSON.stringify({ check, targets: [`http://${host}/`], fresh: true });
    const headers = { 'content-type': 'application/json' };
    return String((await as.call('/api/batches', { method: 'POST', headers, body })).body['batchId']);
  };
  const state = async (as: Asker, batchId: string) =>
    (await as.call(`/api/batches/${batchId}?wait=20`)).body as { state?: string; done?: number };

  test('of two batches with the same target, the one that is deleted', { timeout: 60_000 }, async () => {
    isHolding = true;
    const [one, other] = await Promise.all([drawAccount(), drawAccount()]);
    const first = await post(one);
    await expect.poll(() => held.length, { timeout: 10_000 }).toBe(1);
    const second = await post(other);
    await expect.poll(async () => (await state0(other, second)).running).toBe(1);
    await one.call(`/api/batches/${first}`, { method: 'DELETE' });
    isHolding = false;
    for (const response of held.splice(0)) response.writeHead(204).end();
    expect(await state(other, second)).toMatchObject({ state: 'done', done: 1 });
  });

  const state0 = async (as: Asker, batchId: string) =>
    (await as.call(`/api/batches/${batchId}`)).body as { running?: number };

  test('a GET whose caller went, beside one that waits', { timeout: 60_000 }, async () => {
    isHolding = true;
    const [one, other] = await Promise.all([drawAccount(), drawAccount()]);
    const gone = new AbortController();
    const left = one
      .call(`${path}&fresh=1&wait=50&userAgent=ours`, { signal: gone.signal })
      .catch(() => 'gone');
    await expect.poll(() => held.length, { timeout: 10_000 }).toBe(1);
    const waiting = other.call(`${path}&fresh=1&wait=50&userAgent=ours`);
    gone.abort();
    expect(await left).toBe('gone');
    isHolding = false;
    for (const response of held.splice(0)) response.writeHead(204).end();
    expect((await waiting).status).toBe(200);
  });
});
