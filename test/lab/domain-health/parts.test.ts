import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { visitQuestions } from '#shared/catalogue/domain-health/sources';
import { whyNoClause } from '../../kit/clauses.ts';
import { goodZone } from './domains.ts';
import { type HealthReport, healthPath, openHealthLab } from './kit.ts';
import { goodSite } from './sites.ts';

const domains = [
  'keys.test',
  'again.test',
  'floor.test',
  'crowd.test',
  'known.test',
  'mixed.test',
  'aged.test',
  'late.test',
  'given.test',
  'some.test',
  'quiet.test',
];
const lab = await openHealthLab({
  hasPages: true,
  sites: Object.assign({}, ...domains.map((domain) => goodSite(domain))),
  zones: Object.assign({}, ...domains.map((domain) => goodZone(domain))),
});
afterAll(() => lab.close());
afterEach(() => {
  vi.useRealTimers();
});

/** The endpoint of each part that a visit looks at. */
const pathsOf = (domain: string) =>
  visitQuestions(domain, domain).map(({ spec, target }) =>
    spec.targetKind === 'domain'
      ? `/api/tools/${spec.name}/${target}`
      : `/api/tools/${spec.name}?url=${encodeURIComponent(target)}`,
  );
const visitsOf = (domain: string) =>
  lab.log.filter(
    ({ message, fields }) =>
      message === 'job done' &&
      'check' in fields &&
      fields.check === 'domain-visit' &&
      'host' in fields &&
      fields.host === domain,
  ).length;
const idsOf = ({ categories, entryPoints }: HealthReport) => ({
  dns: categories.dns.report.reportId,
  ssl: categories.ssl.report.reportId,
  headers: categories.headers.report.reportId,
  performance: categories.performance.report.reportId,
  ways: entryPoints.map(({ report }) => report.reportId),
});
/** Only the clock that reports are dated by; timers run on. */
const pass = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000);
const startClock = () => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });

test('each part is stored under its own endpoint’s key, and is what its id gives', async () => {
  const report = await lab.health('keys.test');
  const { dns, ssl, headers, ways } = idsOf(report);
  expect(new Set([dns, ssl, headers, ...ways]).size).toBe(7);
  const given: unknown[] = [];
  for (const path of pathsOf('keys.test')) {
    const answer = await lab.get(path);
    expect(answer.headers['cache-status']).toMatch(/^diag; hit/);
    const id = String(answer.body['reportId']);
    expect((await lab.getWithToken(`/api/reports/${id}`)).text).toBe(answer.text);
    given.push(id);
  }
  expect(given).toEqual([dns, ssl, headers, ...ways]);
});

test('every reason of a report, and of each source, is a clause', async () => {
  const reports: { readonly body: { readonly [name: string]: unknown } }[] = [
    await lab.get(healthPath('keys.test')),
  ];
  for (const path of pathsOf('keys.test')) reports.push(await lab.get(path));
  const reasons = reports.flatMap(({ body }) => body['notTested'] as readonly { reason: string }[]);
  expect(reasons.length).toBeGreaterThan(0);
  expect(reasons.filter(({ reason }) => whyNoClause(reason) !== undefined)).toEqual([]);
});

test('a caller who was given the whole may read its sources', async () => {
  const { dns, ssl, headers, ways } = idsOf(await lab.health('given.test'));
  for (const id of [dns, ssl, headers, ...ways])
    expect((await lab.getWithToken(`/api/reports/${id}`)).status).toBe(200);
});

test('the links of a report lead to its parts', async () => {
  const { categories, entryPoints } = await lab.health('keys.test');
  const { performance: _page, ...network } = categories;
  for (const { report } of [...Object.values(network), ...entryPoints]) {
    const { body } = await lab.get(report.href);
    expect(body).toMatchObject({ reportId: report.reportId, checkedAt: report.checkedAt });
  }
});

test('a second GET is a hit, byte for byte', async () => {
  const first = await lab.get(healthPath('again.test'));
  const start = performance.now();
  const second = await lab.get(healthPath('again.test'));
  expect(performance.now() - start).toBeLessThan(50);
  expect(second.headers['cache-status']).toMatch(/^diag; hit/);
  expect(second.text).toBe(first.text);
  const id = String(first.body['reportId']);
  expect((await lab.getWithToken(`/api/reports/${id}`)).text).toBe(first.text);
});

test('twenty equal GETs at once make one visit and one page load, and get one report', async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => lab.get(healthPath('crowd.test'))));
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect(visitsOf('crowd.test')).toBe(1);
  expect(lab.pages?.asked.filter((url) => url.includes('crowd.test'))).toHaveLength(1);
});

test('parts that are fresh are taken as they are: a visit then learns of the registration alone', async () => {
  const given = await Promise.all(pathsOf('known.test').map((path) => lab.get(path)));
  const asked = lab.names.questions.length;
  const { dns, ssl, headers, ways } = idsOf(await lab.health('known.test'));
  expect([dns, ssl, headers, ...ways]).toEqual(given.map(({ body }) => body['reportId']));
  expect(visitsOf('known.test')).toBe(1);
  expect(lab.names.questions).toHaveLength(asked);
});

test('fresh reaches every part that is older than its floor, and the page load not before 300 s', async () => {
  startClock();
  const first = await lab.health('floor.test');
  pass(20);
  expect((await lab.health('floor.test', '?fresh=1')).reportId).toBe(first.reportId);
  pass(11);
  const second = idsOf(await lab.health('floor.test', '?fresh=1'));
  const before = idsOf(first);
  expect(second.performance).toBe(before.performance);
  for (const name of ['dns', 'ssl', 'headers'] as const) expect(second[name]).not.toBe(before[name]);
  expect(second.ways.filter((id) => before.ways.includes(id))).toEqual([]);
  pass(301);
  const third = idsOf(await lab.health('floor.test', '?fresh=1'));
  expect(third.performance).not.toBe(before.performance);
  expect(visitsOf('floor.test')).toBe(3);
});

test('fresh leaves a part alone that somebody renewed a moment ago', async () => {
  startClock();
  const before = idsOf(await lab.health('mixed.test'));
  pass(40);
  const dns = await lab.get('/api/tools/dns-check/mixed.test?fresh=1');
  pass(5);
  const after = idsOf(await lab.health('mixed.test', '?fresh=1'));
  expect(after.dns).toBe(dns.body['reportId']);
  expect(after.dns).not.toBe(before.dns);
  expect(after.ssl).not.toBe(before.ssl);
});

test('maxAge takes parts that are younger, and renews the others', async () => {
  startClock();
  const before = idsOf(await lab.health('aged.test'));
  pass(100);
  const dns = await lab.get('/api/tools/dns-check/aged.test?fresh=1');
  pass(400);
  expect(idsOf(await lab.health('aged.test', '?maxAge=1000'))).toEqual(before);
  const after = idsOf(await lab.health('aged.test', '?maxAge=450'));
  expect(after.dns).toBe(dns.body['reportId']);
  expect(after.headers).not.toBe(before.headers);
});

test('a part whose freshness ends while the others are looked at is still used', async () => {
  startClock();
  const dns = await lab.get('/api/tools/dns-check/late.test');
  pass(299);
  const health = lab.health('late.test');
  await expect.poll(() => lab.pages?.asked.some((url) => url.includes('late.test'))).toBe(true);
  pass(2);
  expect((await health).categories.dns).toMatchObject({
    state: 'ok',
    report: { reportId: dns.body['reportId'] },
  });
});

test('of the parts that were asked for alone something is asked, and a page is not loaded for the others', async () => {
  const pagesBefore = lab.pages?.asked.length;
  const few = await lab.get(healthPath('some.test', '?parts=mail&parts=dns,ssl'));
  const { categories, coverage, entryPoints, grade } = few.body as unknown as HealthReport;
  expect(Object.values(categories).map(({ state }) => state)).toEqual([
    'ok',
    'ok',
    'left-out',
    'left-out',
    'ok',
  ]);
  expect([coverage, entryPoints.length, grade]).toEqual([0.65, 4, expect.stringMatching(/^[A-F]$/)]);
  expect(lab.pages?.asked.length).toBe(pagesBefore);
  // The same question in another order, and not that of the whole domain.
  const again = await lab.get(healthPath('some.test', '?parts=dns,mail,ssl'));
  expect(again.headers['cache-status']).toMatch(/^diag; hit/);
  expect((await lab.get(healthPath('some.test'))).body['reportId']).not.toBe(few.body['reportId']);
  expect((await lab.get('/api/badge/some.test.svg')).status).toBe(200);
  // The web site's host is not looked for, and nobody goes there.
  const mail = await lab.health('quiet.test', '?parts=mail');
  expect(mail.entryPoints).toEqual([]);
  expect(mail.categories.ssl).toMatchObject({ state: 'left-out', score: null });
  expect(mail.categories.ssl.report.reportId).toBeUndefined();
});
