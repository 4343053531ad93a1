import { expect, test } from 'vitest';
import { type RedirectCode, rules } from '#shared/catalogue/redirect-check/rules';
import { failureCodes } from '#shared/model/failure';
import { codesOf } from '#shared/model/verdict';
import { assessRedirects } from '../../../worker/checks/redirect-check/assess.ts';
import type { HopAnswer, RedirectEvidence } from '../../../worker/checks/redirect-check/evidence.ts';
import { chain, failed, late, sends, stopped } from './chain.ts';

// A rule holds only where what it speaks of was seen. Here is every way of not seeing, and all that still holds.

type Row = {
  readonly name: string;
  readonly evidence: RedirectEvidence;
  readonly holds: readonly RedirectCode[];
};

const plain = 'http://a.test/';
const secure = 'https://a.test/';
const distrusted = { tls: { protocol: 'TLSv1.3', trusted: false, error: 'CERT_HAS_EXPIRED' } };
const page = (seen: Partial<HopAnswer>) => chain([secure, seen]);

/** Every hop answered. */
const answered: readonly RedirectCode[] = [
  'target-unreachable',
  'target-address-not-allowed',
  'target-not-allowed',
  'redirect-chain-slow',
  'redirect-status-not-followed',
  'answer-malformed',
];
const lengths: readonly RedirectCode[] = [
  'redirect-chain-long',
  'redirect-chain-very-long',
  'redirect-chain-past-crawlers',
];
/** The last answer is no redirect. */
const arrived: readonly RedirectCode[] = [
  ...answered,
  'redirect-loop',
  'redirect-too-many',
  ...lengths,
  'redirect-cookie-required',
];
/** It is a page without an error, as far as its head tells. */
const goodHead: readonly RedirectCode[] = [
  'target-error-status',
  'target-no-document',
  'target-rate-limits',
  'target-blocks-checks',
];
/** It was read to its end. */
const goodBody: readonly RedirectCode[] = [
  'target-body-broken',
  'target-is-default-page',
  'redirect-client-side-delayed',
  'redirect-javascript-suspected',
];
const overHttps: readonly RedirectCode[] = ['http-not-upgraded', 'certificate-not-trusted'];
/** What there is to say of each redirect. */
const ofRedirects: readonly RedirectCode[] = [
  'redirect-to-nowhere',
  'https-downgrade',
  'https-upgrade-late',
  'redirect-temporary',
  'redirect-client-side',
  'redirect-path-not-kept',
  'redirect-cross-site',
  'redirect-tracking-parameters',
  'redirect-open-suspected',
];
const ofLocations: readonly RedirectCode[] = codesOf(rules).filter((code) => code.startsWith('location-'));
const without = (codes: readonly RedirectCode[], ...left: readonly RedirectCode[]) =>
  codes.filter((code) => !left.includes(code));

const rows: readonly Row[] = [
  ...failureCodes.flatMap((code): Row[] => [
    { name: `${code} at the first hop`, evidence: failed(code, plain), holds: [] },
    { name: `${code} at a later hop`, evidence: failed(code, plain, secure), holds: [] },
  ]),
  { name: 'a first hop that takes all the time', evidence: late(secure), holds: [] },
  { name: 'a later hop that takes all the time', evidence: late(plain, secure), holds: [] },
  {
    name: 'an address too long to be followed',
    evidence: stopped({ kind: 'location-too-long', length: 9000 }, secure),
    holds: [],
  },
  {
    name: 'http only',
    evidence: chain(plain),
    holds: [...arrived, ...goodHead, ...goodBody, 'hsts-over-http'],
  },
  {
    name: 'a certificate that is refused',
    evidence: page(distrusted),
    holds: [...arrived, ...goodHead, ...goodBody, 'http-not-upgraded'],
  },
  ...(
    ['limit', 'decompression-bomb', 'too-many-encodings', 'closed-early', 'bad-encoding', 'timeout'] as const
  ).map((bodyCut): Row => ({
    name: `a body that was not read to its end: ${bodyCut}`,
    evidence: page({ bodyCut }),
    holds: [...arrived, ...goodHead, ...overHttps],
  })),
  {
    name: 'a page that the work of the run did not suffice for',
    evidence: page({ page: { setsAddress: false, cut: 'one check reads at most 9 characters of pages' } }),
    holds: [...arrived, ...goodHead, 'target-body-broken', ...overHttps],
  },
  {
    name: 'a redirect to a body that was not read to its end',
    evidence: chain(plain, [secure, { bodyCut: 'closed-early' }]),
    holds: [
      ...arrived,
      ...goodHead,
      ...overHttps,
      ...without(ofRedirects, 'redirect-client-side'),
      ...ofLocations,
      'hsts-over-http',
    ],
  },
  {
    name: 'a redirect to a long file that is no page: nothing in its rest sends anybody on',
    evidence: chain(plain, [secure, { bodyCut: 'limit', page: null }]),
    holds: [
      ...arrived,
      ...goodHead,
      'target-is-default-page',
      'redirect-client-side-delayed',
      ...overHttps,
      ...ofRedirects,
      ...ofLocations,
      'hsts-over-http',
    ],
  },
  {
    name: 'a redirect to a body that nobody opened',
    evidence: chain(plain, [secure, { bodyCut: 'decompression-bomb', page: null }]),
    holds: [
      ...arrived,
      ...goodHead,
      ...overHttps,
      ...without(ofRedirects, 'redirect-client-side'),
      ...ofLocations,
      'hsts-over-http',
    ],
  },
  {
    name: 'an error page',
    evidence: page({ status: 404 }),
    holds: [
      ...arrived,
      'target-rate-limits',
      'target-blocks-checks',
      ...goodBody.filter((code) => code !== 'target-is-default-page'),
      ...overHttps,
    ],
  },
  {
    name: 'a target that limits our requests',
    evidence: page({ status: 429 }),
    holds: [...arrived, 'certificate-not-trusted'],
  },
  {
    name: 'a target that keeps us out',
    evidence: page({ status: 403 }),
    holds: [...arrived, 'target-rate-limits', 'certificate-not-trusted'],
  },
  {
    name: 'what is no page',
    evidence: page({ page: null }),
    holds: [...arrived, ...goodHead, ...without(goodBody, 'redirect-javascript-suspected'), ...overHttps],
  },
  {
    name: 'redirects in a circle',
    evidence: stopped({ kind: 'loop', to: secure }, secure),
    holds: [...answered, 'redirect-too-many', ...ofRedirects, ...ofLocations, 'certificate-not-trusted'],
  },
  {
    name: 'redirects without end',
    evidence: stopped({ kind: 'too-many' }, secure),
    holds: [...answered, 'redirect-loop', ...ofRedirects, ...ofLocations, 'certificate-not-trusted'],
  },
  {
    name: 'a redirect to what is no URL',
    evidence: stopped({ kind: 'invalid-location' }, [secure, { status: 302, ...sends('http://[b') }]),
    holds: [
      ...without(arrived, 'redirect-cookie-required'),
      ...without(ofLocations, 'location-invalid', 'location-not-encoded'),
      'location-not-encoded',
      'certificate-not-trusted',
    ],
  },
  {
    name: 'a redirect out of the web',
    evidence: stopped({ kind: 'foreign-scheme', scheme: 'ftp' }, [
      secure,
      { status: 302, ...sends('ftp://b') },
    ]),
    holds: [
      ...without(arrived, 'redirect-cookie-required'),
      ...without(ofLocations, 'location-scheme-not-allowed'),
      'certificate-not-trusted',
    ],
  },
];

test.for(rows)('$name', ({ evidence, holds }) => {
  const { verdicts } = assessRedirects(evidence);
  const held = codesOf(verdicts).filter((code) => verdicts[code] === 'holds');
  expect(held.toSorted()).toEqual([...holds].toSorted());
});
