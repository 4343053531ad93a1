import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { securityHeaderCheck } from '#shared/catalogue/security-header-check/spec';
import { sslCheck } from '#shared/catalogue/ssl-check/spec';
import { goodZone } from './domains.ts';
import { type HealthLab, type HealthReport, healthPath, openHealthLab } from './kit.ts';

const fixed = { hsts: false };
let asked: string[] = [];
const site = (request: IncomingMessage, response: ServerResponse) => {
  asked.push(request.url ?? '');
  if (fixed.hsts) response.setHeader('Strict-Transport-Security', 'max-age=31536000');
  response.setHeader('Content-Type', 'text/html; charset=utf-8');
  response.end('<!doctype html><title>a</title>');
};

let lab: HealthLab;
let first: HealthReport;
beforeAll(async () => {
  lab = await openHealthLab({
    zones: goodZone('a.test'),
    sites: { 'http://a.test': site, 'https://a.test': site },
    hasPages: true,
  });
  first = await lab.health('a.test');
});
afterAll(() => lab.close());

const codesOf = ({ partFindings = [] }: HealthReport) => partFindings.map(({ code }) => code);

test('a finding whose check may not be asked yet is answered by the report that is there', async () => {
  const before = asked.length;
  expect(codesOf(first)).toContain('hsts-missing');
  const again = await lab.health('a.test', '?recheck=hsts-missing');
  expect([again.reportId, again.recheck]).toEqual([first.reportId, undefined]);
  expect(asked.length).toBe(before);
  const page = await lab.get('/d/a.test?recheck=hsts-missing');
  expect(page.text).toMatch(/Checked \d+ seconds? ago\. You can check again in \d+ seconds?\./);
});

test.for(['no-such-code', 'dnssec-bogus', 'constructor'])(
  'a code %s that its newest report has not is refused, and named',
  async (code) => {
    const { status, body } = await lab.get(healthPath('a.test', `?recheck=${code}`));
    expect([status, body['code'], body['errors']]).toMatchObject([
      400,
      'invalid_request',
      [{ name: 'recheck' }],
    ]);
  },
);

test('only the check that found it is made again, and the domain is judged again from its parts', async () => {
  fixed.hsts = true;
  await delay(1000 * Math.max(sslCheck.refreshFloorS, securityHeaderCheck.refreshFloorS) + 500);
  asked = [];
  const again = await lab.health('a.test', '?recheck=hsts-missing&wait=50');
  const sources = first.partFindings?.filter(({ code }) => code === 'hsts-missing').map(({ check }) => check);
  // Two checks find it: both are made again.
  expect(sources?.toSorted()).toEqual(['security-header-check', 'ssl-check']);
  expect(again.recheck).toMatchObject({ code: 'hsts-missing', state: 'fixed' });
  expect(sources).toContain(again.recheck?.check);
  expect(codesOf(again)).not.toContain('hsts-missing');
  // All others are the reports that were there.
  const ids = ({ categories }: HealthReport) =>
    Object.fromEntries(Object.entries(categories).map(([name, { report }]) => [name, report.reportId]));
  const [now, before] = [ids(again), ids(first)];
  const isSame = ['dns', 'mail', 'performance', 'ssl', 'headers'].map((part) => now[part] === before[part]);
  expect(isSame).toEqual([true, true, true, false, false]);
  expect(again.score ?? 0).toBeGreaterThan(first.score ?? 0);
  // What had no report says why, as before.
  for (const part of ['dns', 'mail', 'performance'] as const)
    expect(again.categories[part]).toEqual(first.categories[part]);
  expect(again.entryPoints.map(({ reason }) => reason)).toEqual(
    first.entryPoints.map(({ reason }) => reason),
  );
  // As old as the report that it follows, which it answers for from now on.
  expect(Date.parse(again.checkedAt) - Date.parse(first.checkedAt)).toBe(1);
  expect((await lab.health('a.test')).reportId).toBe(again.reportId);
  expect(again.trend?.fixedFindings.map(({ code }) => code)).toContain('hsts-missing');
  const page = await lab.get('/d/a.test?recheck=hsts-missing');
  expect(page.text).toContain('<b>Fixed:</b>');
  // Asked once more it is known, and nothing is asked of the site.
  const visits = asked.length;
  expect((await lab.health('a.test', '?recheck=hsts-missing')).reportId).toBe(again.reportId);
  expect(asked.length).toBe(visits);
}, 120_000);
