import { expect, test } from 'vitest';
import type { Report } from '#shared/model/report';
import { writeCalendar } from '#shared/render/expiries';
import { exportNamesOf, renderReport } from '#shared/render/formats';
import { expiriesSection } from '#shared/render/html/page';
import { printMarkup } from '#shared/render/markup';
import { readCalendar } from './read-calendar.ts';
import { badChain } from './reports.ts';

const at = Date.parse('2026-11-21T03:00:00Z');
const expiry = (what: string, name: string, expiresAt: string) => ({
  what,
  name,
  expiresAt,
  daysLeft: 1,
  lifetimeDays: null,
  state: 'ok',
});
const reportOf = async (expiries: unknown): Promise<Report> => ({
  ...(await badChain()),
  check: 'domain-health',
  target: { domain: 'a.test' },
  checkedAt: new Date(at).toISOString(),
  expiries,
});
const eventsOf = async (expiries: unknown) =>
  readCalendar(renderReport(await reportOf(expiries), 'ics').text).filter(({ name }) => name === 'VEVENT');

test('each thing that ends is an event', async () => {
  const events = await eventsOf([
    expiry('certificate', 'www.a.test', '2026-12-01T10:20:30.500Z'),
    expiry('domain', 'a.test', '2027-03-01T00:00:00.000Z'),
  ]);
  expect(events.map(({ properties }) => [properties.get('DTSTART'), properties.get('SUMMARY')])).toEqual([
    ['20261201T102030Z', 'www.a.test: the certificate ends'],
    ['20270301T000000Z', 'a.test: the registration ends'],
  ]);
  expect(events.map(({ properties }) => properties.get('DTSTAMP'))).toEqual([
    '20261121T030000Z',
    '20261121T030000Z',
  ]);
});

test('the same thing has the same UID in each report, and two things never do', async () => {
  const uidsOf = async (...expiries: object[]) =>
    (await eventsOf(expiries)).map(({ properties }) => properties.get('UID'));
  const before = await uidsOf(expiry('domain', 'a.test', '2027-03-01T00:00:00Z'));
  const after = await uidsOf(
    expiry('certificate', 'a.test', '2026-12-01T00:00:00Z'),
    expiry('certificate', 'a.test', '2026-12-02T00:00:00Z'),
    expiry('domain', 'a.test', '2028-03-01T00:00:00Z'),
  );
  expect(after[2]).toBe(before[0]);
  expect(new Set(after).size).toBe(3);
});

test.for([[], undefined, 'none', [null, 7, { what: 'domain' }]])(
  'a report that tells of nothing that ends is a calendar without events: %j',
  async (expiries) => {
    expect(await eventsOf(expiries)).toEqual([]);
  },
);

test('texts of a target are escaped, lines are folded between characters, and nothing hides', () => {
  const summary = `a;b,c\\d "e" \u202e ${'ü😀'.repeat(60)}\r\nBEGIN:VEVENT`;
  const text = writeCalendar({
    name: 'x',
    writtenAt: at,
    events: [{ about: 'y', at, summary, description: 'z' }],
  });
  const events = readCalendar(text).filter(({ name }) => name === 'VEVENT');
  expect(events.length).toBe(1);
  expect(events[0]?.properties.get('SUMMARY')).toBe(
    summary.replace('\u202e', '⟨U+202E⟩').replace('\r', '␍').replace('\n', '␊'),
  );
});

test('only domain-health has it', () => {
  expect(exportNamesOf('domain-health')).toContain('ics');
  expect(exportNamesOf('ssl-check')).not.toContain('ics');
});

test('the page of a report links the calendar, a file of it does not', () => {
  const ends = expiry('domain', 'a.test', '2027-01-01T00:00:00.000Z');
  const report = { reportId: 'a'.repeat(32), expiries: [ends] } as unknown as Report;
  const page = printMarkup(expiriesSection(report, { ofReport: (id) => `/r/${id}` }));
  expect(page).toContain(`href="/r/${'a'.repeat(32)}/export?format=ics"`);
  expect(printMarkup(expiriesSection(report, {}))).not.toContain('href');
});
