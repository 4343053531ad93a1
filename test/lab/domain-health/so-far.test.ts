import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Scope } from '#shared/ports/token-store';
import { makeToken } from '#shared/stores/tokens/make-token';
import type { Service } from '../../api/kit.ts';
import { goodZone } from './domains.ts';
import { healthPath, openHealthLab } from './kit.ts';

type Part = {
  readonly name: string;
  readonly state: string;
  readonly grade?: string | null;
  readonly score?: number | null;
  readonly reportId?: string;
  readonly worst?: { readonly code: string };
};
type Progress = {
  readonly parts?: readonly Part[];
  readonly soFar?: { readonly grade: string; readonly score: number; readonly coverage: number };
};

const page = (_request: unknown, response: { end(text: string): void }) =>
  response.end('<!doctype html><title>a</title>');

/** A service whose page loads do not end before the test says so. */
async function openHeld(settings: Record<string, string> = {}) {
  const lab = await openHealthLab({
    zones: goodZone('a.test'),
    sites: { 'http://a.test': page, 'https://a.test': page },
    hasPages: true,
    settings,
  });
  const release = lab.pages?.hold() ?? (() => undefined);
  onTestFinished(async () => {
    release();
    await lab.close();
  });
  return { lab, release };
}

async function draw(lab: Pick<Service, 'backend'>, scopes: Scope[]) {
  const { text, token } = makeToken({ name: 'test', scopes, limits: {}, expiresAt: null }, Date.now());
  await lab.backend.tokenStore.insert(token);
  return { authorization: `Bearer ${text}` };
}

async function start(lab: Service, headers?: Record<string, string>): Promise<string> {
  const { status, body } = await lab.get(healthPath('a.test', '?wait=0'), headers);
  expect(status).toBe(202);
  return `/api/jobs/${String(body['id'])}`;
}

async function look(lab: Service, job: string, headers?: Record<string, string>): Promise<Progress> {
  return (JSON.parse((await lab.get(job, headers)).text) as { readonly progress: Progress }).progress;
}

/** The progress of a job once all but its page load is judged. */
async function judged(lab: Service, job: string, headers?: Record<string, string>): Promise<Progress> {
  const open = async () =>
    (await look(lab, job, headers)).parts?.filter(({ state }) => state !== 'done').map(({ name }) => name);
  await expect.poll(open, { timeout: 20_000 }).toEqual(['performance']);
  return look(lab, job, headers);
}

test('parts have their grade and worst finding while a page loads, and the whole a grade so far', async () => {
  const { lab, release } = await openHeld();
  const job = await start(lab);
  const { parts = [], soFar } = await judged(lab, job);
  const of = (wanted: string) => parts.find(({ name }) => name === wanted);
  expect(of('performance')).toEqual({ name: 'performance', state: 'running' });
  expect(of('dns')).toMatchObject({ grade: expect.stringMatching(/^[A-F]/), score: expect.any(Number) });
  expect(soFar).toMatchObject({ coverage: 0.85 });
  // As its report has it, which whoever was told of it may read.
  const ssl = JSON.parse((await lab.get('/api/tools/ssl-check/a.test?maxAge=60')).text) as {
    readonly findings: readonly object[];
    readonly reportId: string;
    readonly grade: string;
  };
  expect(ssl).toMatchObject({ reportId: of('ssl')?.reportId, grade: of('ssl')?.grade });
  expect(ssl.findings[0]).toMatchObject({ ...of('ssl')?.worst });
  const shown = await lab.get(job);
  expect(shown.headers).toMatchObject({ 'cache-control': 'no-store' });
  expect(shown.headers).not.toHaveProperty('etag');
  // It is no report, so nothing is cached.
  const cached = await lab.get(healthPath('a.test'), { 'cache-control': 'only-if-cached' });
  expect(cached.status).toBe(504);
  release();
  await expect.poll(async () => (await lab.get(job)).status, { timeout: 20_000 }).toBe(303);
  const whole = await lab.health('a.test');
  expect(whole.categories.ssl.grade).toBe(of('ssl')?.grade);
  const others = (['dns', 'ssl', 'headers', 'mail'] as const).map((name) => whole.categories[name]);
  const sum = others.reduce((points, { score, weight }) => points + (score ?? 0) * weight, 0);
  expect(soFar?.score).toBe(Math.round(sum / 85));
}, 60_000);

type Reader = {
  readonly scopes: Scope[];
  readonly settings: Record<string, string>;
  readonly isNamed: boolean;
};
const readers: readonly Reader[] = [
  { scopes: ['tools', 'reports:read'], settings: {}, isNamed: true },
  { scopes: ['tools'], settings: {}, isNamed: false },
  { scopes: ['tools', 'reports:read'], settings: { REPORT_IDS: 'off' }, isNamed: false },
];
test.for(readers)(
  'with $scopes and $settings an id is told: $isNamed',
  { timeout: 60_000 },
  async ({ scopes, settings, isNamed }) => {
    const { lab } = await openHeld({ AUTH_MODE: 'token', ...settings });
    const as = await draw(lab, scopes);
    const { parts = [] } = await judged(lab, await start(lab, as), as);
    const ssl = parts.find(({ name }) => name === 'ssl');
    expect(ssl).toMatchObject({ grade: expect.stringMatching(/^[A-F]/) });
    expect(ssl?.reportId !== undefined).toBe(isNamed);
    const read = await lab.get(`/api/reports/${ssl?.reportId}`, as);
    expect(read.status === 200).toBe(isNamed);
  },
);

test('a job of another account is 404 where accounts have caches of their own', async () => {
  const { lab } = await openHeld({ AUTH_MODE: 'token', ACCOUNT_CACHE: 'own' });
  const [as, other] = [await draw(lab, ['tools']), await draw(lab, ['tools'])];
  const job = await start(lab, as);
  expect((await judged(lab, job, as)).soFar).toBeDefined();
  expect((await lab.get(job, other)).status).toBe(404);
}, 60_000);

test('of a name that is denied meanwhile no part is told', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'diag-deny-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const list = join(folder, 'list');
  writeFileSync(list, 'other.test\n');
  const { lab } = await openHeld({ TARGET_DENY_NAMES_FILE: list });
  const job = await start(lab);
  await judged(lab, job);
  writeFileSync(`${list}.new`, 'a.test\n');
  renameSync(`${list}.new`, list);
  const graded = async () => (await look(lab, job)).parts?.filter(({ grade }) => grade !== undefined);
  await expect.poll(graded, { timeout: 20_000 }).toEqual([]);
}, 60_000);

test('the page of a check shows what is judged, and where its report is', async () => {
  const { lab } = await openHeld();
  const job = await start(lab);
  const { parts = [] } = await judged(lab, job);
  const { status, text, headers } = await lab.get(`/d/a.test?job=${job.slice('/api/jobs/'.length)}`);
  expect([status, headers['cache-control']]).toEqual([202, 'no-store']);
  expect(text).toMatch(/<b>[A-F]\+? so far, speed is being measured\.<\/b>/);
  const ssl = parts.find(({ name }) => name === 'ssl');
  expect(text).toContain(`<a href="/r/${ssl?.reportId}">TLS</a>`);
}, 60_000);
