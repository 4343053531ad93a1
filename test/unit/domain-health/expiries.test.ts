import { expect, test } from 'vitest';
import type { HealthFields } from '#shared/catalogue/domain-health/report';
import { assessHealth } from '#shared/health/assess';
import type { Source } from '#shared/health/evidence';
import { showEnding } from '#shared/health/expiries/state';
import { at, dns, dnsFields, evidence, headers, ssl } from './parts.ts';
import { registered } from './registration-cases.ts';

const dayMs = 86_400_000;
const inDays = (days: number) => new Date(at + days * dayMs).toISOString();

/** A source with other fields of its own. */
function laidOver(source: Source, fields: object): Source {
  return 'report' in source ? { report: { ...source.report, ...fields } } : source;
}

const shown = (change: Parameters<typeof evidence>[0]) =>
  (assessHealth(evidence(change), { checkedAtMs: at }).fields as HealthFields).expiries?.map(
    ({ what, name, daysLeft, lifetimeDays, state }) => [what, name, daysLeft, lifetimeDays, state],
  );

const states: { name: string; begins: number | null; ends: number; state: string }[] = [
  { name: 'a certificate of six days with three days left', begins: -3, ends: 3, state: 'ok' },
  { name: 'a certificate of six days with a day left', begins: -5, ends: 1, state: 'soon' },
  { name: 'a certificate of 90 days with 31 left', begins: -59, ends: 31, state: 'ok' },
  { name: 'a certificate of 90 days with 29 left', begins: -61, ends: 29, state: 'soon' },
  { name: 'a signature of two days, made anew each day', begins: -1, ends: 1, state: 'ok' },
  { name: 'a signature of two weeks with five days left', begins: -9, ends: 5, state: 'ok' },
  { name: 'an answer of a week with a day left', begins: -6, ends: 1, state: 'soon' },
  { name: 'a domain of ten years with 31 days left', begins: -3600, ends: 31, state: 'ok' },
  { name: 'a domain of ten years with 29 days left', begins: -3600, ends: 29, state: 'soon' },
  {
    name: 'a file that does not tell its beginning, with 29 days left',
    begins: null,
    ends: 29,
    state: 'soon',
  },
  { name: 'a beginning after the end', begins: 40, ends: 31, state: 'ok' },
  { name: 'what has ended', begins: -90, ends: -0.5, state: 'past' },
];
test.for(states)('$name is $state', ({ begins, ends, state }) => {
  const beginsAt = begins === null ? null : at + begins * dayMs;
  const ending = { what: 'certificate', name: 'a.test', beginsAt, endsAt: at + ends * dayMs } as const;
  expect(showEnding(ending, at)).toMatchObject({ state, daysLeft: Math.floor(ends) });
});

const certificate = (from: number, to: number, more: object = {}) => ({
  subject: 'CN=a.test',
  issuer: 'CN=ca',
  role: 'leaf',
  notBefore: inDays(from),
  notAfter: inDays(to),
  sha256: 'ab',
  ...more,
});

test('all parts are read, and the earliest stands first', () => {
  const signature = (type: string, to: number, verdict = 'valid') => ({
    type,
    keyTag: 1,
    verdict,
    inception: inDays(to - 14),
    expiration: inDays(to),
  });
  const staple = (to: number) => ({ status: 'good', thisUpdate: inDays(to - 7), nextUpdate: inDays(to) });
  const change = {
    registration: { ...registered, expiresAt: inDays(400), registeredAt: inDays(-1000) },
    ssl: laidOver(ssl(), {
      host: 'www.a.test',
      certificates: [certificate(-50, 40), certificate(-500, 900, { role: 'intermediate' })],
      otherCertificates: [
        { ...certificate(-10, 80), ocspStaple: staple(3) },
        { ...certificate(-900, -400), judged: false },
      ],
      ocspStaple: staple(4),
      revocationList: { thisUpdate: inDays(-1), nextUpdate: inDays(6) },
    }),
    dns: dns({}, {
      dnssec: {
        ...dnsFields.dnssec,
        // The SOA has two, of which the longer counts; one that does not verify says nothing.
        signatures: [
          signature('SOA', 2),
          signature('SOA', 9),
          signature('NS', 10),
          signature('MX', 1, 'does-not-verify'),
        ],
      },
      mtaSts: {
        ...dnsFields.mtaSts,
        policyUrl: 'https://mta-sts.a.test/.well-known/mta-sts.txt',
        certificate: { notBefore: inDays(-1), notAfter: inDays(5) },
      },
    } as object),
    headers: laidOver(headers(), {
      securityTxt: { state: 'found', url: 'https://a.test/.well-known/security.txt', expires: inDays(-2) },
    }),
  };
  expect(shown(change)).toEqual([
    ['security-txt', 'https://a.test/.well-known/security.txt', -2, null, 'past'],
    ['ocsp', 'www.a.test', 3, 7, 'ok'],
    ['ocsp', 'www.a.test', 4, 7, 'ok'],
    ['certificate', 'mta-sts.a.test', 5, 6, 'ok'],
    ['crl', 'www.a.test', 6, 7, 'ok'],
    ['signature', 'a.test', 9, 14, 'ok'],
    ['certificate', 'www.a.test', 40, 90, 'ok'],
    ['certificate', 'www.a.test', 80, 90, 'ok'],
    ['domain', 'a.test', 400, 1400, 'ok'],
  ]);
});

test('days are counted from the time of the report', () => {
  const change = { registration: { ...registered, expiresAt: inDays(400) } };
  const { expiries } = assessHealth(evidence(change), { checkedAtMs: at + 100 * dayMs })
    .fields as HealthFields;
  expect(expiries?.find(({ what }) => what === 'domain')?.daysLeft).toBe(300);
});

test('nothing is listed of what was not seen, or is not as this version knows it', () => {
  const away = { unavailable: 'it did not end in time' };
  expect(shown({ dns: away, ssl: away, headers: away })).toEqual([]);
  expect(shown({ ssl: laidOver(ssl(), { certificates: 'none' }), dns: away, headers: away })).toEqual([]);
  const text = { securityTxt: { state: 'found', url: 'https://a.test/x', expires: 'next year' } };
  expect(shown({ ssl: away, dns: away, headers: laidOver(headers(), text) })).toEqual([]);
});

test('certificates of the domain’s own mail hosts are told once a host; those of a provider are not', () => {
  const address = (to: number) => ({ address: '192.0.2.1', certificates: [certificate(-10, to)] });
  const hosts = [
    { host: 'mx.a.test', addresses: [address(20), address(20), { address: '192.0.2.2', certificates: [] }] },
    { host: 'mx.provider.test', addresses: [address(5)] },
  ];
  const told = shown({ smtp: laidOver(dns(), { check: 'smtp-check', hosts }) })?.filter(([, name]) =>
    String(name).startsWith('mx.'),
  );
  expect(told).toEqual([['certificate', 'mx.a.test', 20, 30, 'ok']]);
  expect(
    shown({ smtp: laidOver(dns(), { check: 'smtp-check', hosts: 3 }) })?.some(
      ([, name]) => name === 'mx.a.test',
    ),
  ).toBe(false);
});
