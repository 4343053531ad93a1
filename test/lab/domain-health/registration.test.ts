import { afterAll, beforeEach, expect, test } from 'vitest';
import { answerAs, answerWith, openLabRegistries } from '../rdap/registries.ts';
import { goodZone, upperZones } from './domains.ts';
import { codesIn, healthPath, openHealthLab } from './kit.ts';
import { goodSite } from './sites.ts';

const registries = openLabRegistries({ test: 'rdap.nic.test' });
const domains = ['known.test', 'sub.known.test', 'slow.test', 'wait.test', 'waiting.test'];
const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
const lab = await openHealthLab({
  sites: Object.assign({}, registries.sites, ...domains.map((domain) => goodSite(domain))),
  zones: {
    ...Object.assign({}, ...domains.map((domain) => goodZone(domain))),
    test: { ...upperZones['test'], 'rdap.nic.test': { A: ['127.0.0.1'] } },
  },
  settings: registries.settings,
});
afterAll(async () => {
  await lab.close();
  registries.close();
});
beforeEach(() => {
  registries.asked.length = 0;
  registries.manners.clear();
});

const host = 'rdap.nic.test';
const ending = (days: number) =>
  answerAs({
    events: [
      { eventAction: 'registration', eventDate: day(-300) },
      { eventAction: 'expiration', eventDate: day(days) },
    ],
  });

test('the registry is asked once, and the report tells what it said', async () => {
  registries.manners.set(host, ending(20));
  const { registration, expiries = [], ...report } = await lab.health('known.test');
  expect(registration).toMatchObject({
    state: 'ok',
    name: 'known.test',
    registrar: 'Example Registrar Inc.',
    statuses: ['clientDeleteProhibited', 'clientTransferProhibited', 'clientUpdateProhibited'],
    nameServers: ['ns1.known.test', 'ns2.known.test'],
    ds: [],
  });
  expect(codesIn(report)).toContain('registration-expires-soon');
  expect(report.passed).toContain('registration-name-servers-differ');
  expect(expiries[0]).toMatchObject({ what: 'domain', name: 'known.test', daysLeft: 19, state: 'soon' });
  expect(expiries.map(({ what }) => what)).toContain('certificate');
  expect(expiries).toEqual(expiries.toSorted((a, b) => Date.parse(a.expiresAt) - Date.parse(b.expiresAt)));
  expect(registries.asked).toEqual([`${host}/rdap/domain/known.test`]);
});

test('two readings of a report are the same bytes', async () => {
  const [one, other] = [await lab.get(healthPath('known.test')), await lab.get(healthPath('known.test'))];
  expect(one.text).toBe(other.text);
});

test('a name below another is asked about by the name that is registered, from what is known', async () => {
  await lab.health('known.test', '?fresh=1');
  const { registration } = await lab.health('sub.known.test');
  expect(registration).toMatchObject({ state: 'ok', name: 'known.test' });
  expect(registries.asked).toEqual([]);
});

test('a slow registry delays nobody for long, and its rules are not tested', async () => {
  registries.manners.set(host, () => undefined);
  const { registration, notTested, state } = await lab.health('slow.test');
  expect(registration).toMatchObject({ state: 'unknown', reason: 'the registry did not answer in time' });
  expect(notTested).toContainEqual({
    code: 'registration-expired',
    reason: 'the registry did not answer in time',
  });
  // No page is loaded here; the registry leaves no gap of its own.
  expect(state).toBe('partial');
});

test('a registry that asks us to wait is left alone, for every domain', async () => {
  registries.manners.set(host, answerWith(429, { 'retry-after': '600' }));
  const first = await lab.health('wait.test');
  registries.manners.clear();
  const { registration } = await lab.health('waiting.test');
  expect([first.registration, registration]).toMatchObject([
    { reason: 'the registry has asked us to wait' },
    { reason: 'the registry has asked us to wait' },
  ]);
  expect(registries.asked).toEqual([`${host}/rdap/domain/wait.test`]);
});

test('a name that is not delegated is not asked about', async () => {
  const { registration } = await lab.health('free.test');
  expect(registration).toMatchObject({ state: 'unknown', expiresAt: null });
  expect(registries.asked).toEqual([]);
});

test('a report is a calendar of what expires; one of another check is none', async () => {
  const { reportId, expiries = [], categories } = await lab.health('known.test');
  const { status, text, headers } = await lab.getWithToken(`/api/reports/${reportId}/export?format=ics`);
  expect([status, headers['content-type']]).toEqual([200, 'text/calendar; charset=utf-8']);
  expect(text.match(/^BEGIN:VEVENT/gm)?.length).toBe(expiries.length);
  const other = `/api/reports/${categories.ssl.report.reportId}/export?format=ics`;
  expect((await lab.getWithToken(other)).body).toMatchObject({ status: 400, code: 'unknown_format' });
});
