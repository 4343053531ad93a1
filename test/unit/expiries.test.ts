import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { outlineOf } from '#shared/catalogue/outline';
import type { Report } from '#shared/model/report';

const golden = (check: string) =>
  JSON.parse(readFileSync(`test/fixtures/golden/${check}.json`, 'utf8')) as Report;
const whatEnds = (report: Report) => outlineOf(report).expiries.map(({ what }) => what);

test.for([
  ['ssl-check', 'certificate'],
  ['smtp-check', 'certificate'],
  ['dns-check', 'signature'],
] as const)('the outline of %s has what its report saw to end: a %s', ([check, what]) => {
  expect(whatEnds(golden(check))).toContain(what);
});

test('that of security-header-check has the end of security.txt', () => {
  const securityTxt = { url: 'https://a.test/.well-known/security.txt', expires: '2027-01-31T23:00:00Z' };
  const report = { ...golden('security-header-check'), securityTxt };
  expect(outlineOf(report).expiries).toEqual([
    {
      what: 'security-txt',
      name: securityTxt.url,
      expiresAt: '2027-01-31T23:00:00.000Z',
      lifetimeDays: null,
    },
  ]);
  expect(whatEnds({ ...report, securityTxt: { ...securityTxt, expires: 'soon' } } as Report)).toEqual([]);
});

test('that of domain-health has the list that the report shows, and of what ends nothing there is none', () => {
  const expiry = {
    what: 'domain',
    name: 'a.test',
    expiresAt: '2027-01-31T23:00:00.000Z',
    daysLeft: 66,
    lifetimeDays: 365,
    state: 'ok',
  };
  expect(whatEnds({ ...golden('domain-health'), expiries: [expiry] } as Report)).toEqual(['domain']);
  for (const check of ['redirect-check', 'pagespeed-check']) expect(whatEnds(golden(check))).toEqual([]);
});
