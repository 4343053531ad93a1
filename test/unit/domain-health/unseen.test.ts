import { expect, test } from 'vitest';
import type { HealthCode } from '#shared/catalogue/domain-health/rules';
import { assessHealth } from '#shared/health/assess';
import type { HealthEvidence } from '#shared/health/evidence';
import type { FailureCode } from '#shared/model/failure';
import { codesOf } from '#shared/model/verdict';
import { chain, failed, stopped } from '../redirect-check/chain.ts';
import {
  dns,
  dnsFields,
  evidence,
  goodRedirects,
  headersAway,
  notThere,
  performanceAway,
  redirect,
  ssl,
  sslAway,
} from './parts.ts';

// A rule holds only where what it speaks of was seen. Here is every way of not seeing, and all that still holds.

type Row = {
  readonly name: string;
  readonly evidence: HealthEvidence;
  readonly holds: readonly HealthCode[];
};

const away = { unavailable: 'it did not end in time' };
const every = (code: FailureCode) => goodRedirects().map(({ url }) => redirect(failed(code, url)));
const gone = (sslCode: string, code: FailureCode, change: Partial<HealthEvidence> = {}) =>
  evidence({
    ssl: sslAway(sslCode),
    headers: headersAway(),
    performance: performanceAway(),
    redirects: every(code),
    ...change,
  });
const unseen = goodRedirects().map(({ url }) => ({ url, part: away }));
const expired = { tls: { protocol: 'TLSv1.3', trusted: false, error: 'CERT_HAS_EXPIRED' } };
const noAddress = dns({}, { records: { ...dnsFields.records, A: [], AAAA: [] } });

/** What dns-check alone tells. */
const ofDns: readonly HealthCode[] = [
  'domain-not-found',
  'dnssec-bogus',
  'delegation-broken',
  'name-server-alone',
  'spf-all-pass',
  'dmarc-missing',
  'mail-lost',
];
/** Every category that applies was seen. */
const ofCategories: readonly HealthCode[] = ['finding-critical', 'category-failed', 'category-poor'];
/** There is a site, at an address that is public. */
const ofSite: readonly HealthCode[] = ['web-server-missing', 'target-address-not-allowed'];
/** Every way in was followed to a page. */
const ofWays: readonly HealthCode[] = [
  'entry-points-all-broken',
  'page-not-seen',
  'entry-point-broken',
  'entry-point-error-status',
  'entry-points-differ',
  'http-not-upgraded',
  'http-upgraded-elsewhere',
  'https-downgrade',
  'entry-point-certificate-not-trusted',
];
const without = (codes: readonly HealthCode[], ...left: readonly HealthCode[]) =>
  codes.filter((code) => !left.includes(code));

const rows: readonly Row[] = [
  {
    name: 'a domain that does not exist',
    evidence: gone('name-not-found', 'name-not-found', { dns: notThere() }),
    holds: [],
  },
  {
    name: 'a domain without an address',
    evidence: gone('name-not-found', 'name-not-found', { dns: noAddress }),
    holds: [...ofDns, ...ofCategories, 'coverage-incomplete'],
  },
  {
    name: 'an address that is not public',
    evidence: gone('target-address-not-allowed', 'target-address-not-allowed'),
    holds: ofDns,
  },
  {
    name: 'every connection refused',
    evidence: gone('connection-refused', 'connection-refused'),
    holds: [...ofDns, ...ofCategories, 'coverage-incomplete'],
  },
  {
    name: 'every connection reset',
    evidence: gone('connection-reset', 'connection-reset'),
    holds: [...ofDns, 'target-address-not-allowed'],
  },
  {
    name: 'no connection made in time',
    evidence: gone('connection-timeout', 'connection-timeout'),
    holds: ofDns,
  },
  {
    name: 'no first byte in time',
    evidence: gone('tls-silent', 'response-timeout'),
    holds: ofDns,
  },
  {
    name: 'an expired certificate: ssl-failed tells it, and nobody else says that all is well',
    evidence: evidence({
      ssl: ssl({ broken: ['certificate-expired'] }),
      redirects: [
        redirect(chain('http://a.test/', ['https://a.test/', expired])),
        redirect(chain(['https://a.test/', expired])),
      ],
    }),
    holds: [
      ...ofDns,
      ...ofSite,
      'https-missing',
      ...without(ofWays, 'entry-points-all-broken', 'entry-point-certificate-not-trusted'),
      'category-poor',
      'coverage-incomplete',
    ],
  },
  {
    name: 'http only: https-missing tells it',
    evidence: evidence({
      ssl: sslAway('connection-refused'),
      redirects: [
        redirect(chain('http://a.test/')),
        redirect(failed('connection-refused', 'https://a.test/')),
      ],
    }),
    holds: [
      ...ofDns,
      ...ofSite,
      'entry-points-all-broken',
      'page-not-seen',
      'entry-point-error-status',
      'finding-critical',
      'category-poor',
      'coverage-incomplete',
    ],
  },
  {
    name: 'redirects to a host that refuses',
    evidence: evidence({
      redirects: [
        redirect(failed('connection-refused', 'http://a.test/', 'https://b.test/')),
        redirect(failed('connection-refused', 'https://a.test/', 'https://b.test/')),
      ],
    }),
    holds: [
      ...ofDns,
      ...ofCategories,
      ...ofSite,
      'ssl-failed',
      'page-not-seen',
      'https-missing',
      'coverage-incomplete',
    ],
  },
  {
    name: 'redirects in a circle',
    evidence: evidence({
      redirects: goodRedirects().map(({ url }) => redirect(stopped({ kind: 'loop', to: url }, url))),
    }),
    holds: [
      ...ofDns,
      ...ofCategories,
      ...ofSite,
      'ssl-failed',
      'page-not-seen',
      'https-missing',
      'https-downgrade',
      'entry-point-certificate-not-trusted',
      'coverage-incomplete',
    ],
  },
  {
    name: 'dns-check is not there',
    evidence: evidence({ dns: away }),
    holds: [...ofSite, 'ssl-failed', 'https-missing', ...ofWays],
  },
  {
    name: 'ssl-check is not there',
    evidence: evidence({ ssl: away }),
    holds: [...ofDns, ...ofSite, 'https-missing', ...ofWays],
  },
  {
    name: 'no entry point is there',
    evidence: evidence({ redirects: unseen }),
    holds: [...ofDns, ...ofCategories, 'ssl-failed', 'page-not-seen', 'https-missing'],
  },
  {
    name: 'nothing is there',
    evidence: evidence({ dns: away, ssl: away, headers: away, performance: away, redirects: unseen }),
    holds: [],
  },
  {
    name: 'one critical finding is told by a rule of its own',
    evidence: evidence({ dns: dns({ broken: ['spf-all-pass'] }) }),
    holds: [
      ...without(ofDns, 'spf-all-pass'),
      ...without(ofCategories, 'finding-critical', 'category-failed'),
      ...ofSite,
      'ssl-failed',
      'https-missing',
      ...ofWays,
      'coverage-incomplete',
    ],
  },
];

test.for(rows)('$name', ({ evidence: seen, holds }) => {
  const { verdicts } = assessHealth(seen);
  const held = codesOf(verdicts).filter((code) => verdicts[code] === 'holds');
  expect(held.toSorted()).toEqual([...holds].toSorted());
});
