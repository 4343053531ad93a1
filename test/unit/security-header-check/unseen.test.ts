import { expect, test } from 'vitest';
import type { HeaderCode } from '#shared/catalogue/security-header-check/rules';
import { robotsRules, securityTxtRules } from '#shared/catalogue/security-header-check/rules/site-files';
import { codesOf } from '#shared/model/verdict';
import { assessHeaders } from '../../../worker/checks/security-header-check/assess.ts';
import type {
  ChainEnd,
  CorsObservation,
  HeaderEvidence,
} from '../../../worker/checks/security-header-check/evidence.ts';
import { answer, chain, failed, origin, redirect, see } from './observations.ts';

// A rule holds only where what it speaks of was seen. Here is every way of not seeing, and all that still holds.

type Row = {
  readonly name: string;
  readonly evidence: HeaderEvidence;
  readonly state: 'complete' | 'partial' | 'unreachable';
  readonly holds: readonly HeaderCode[];
};

const secure = 'https://site.test/';
const plain = 'http://site.test/';
const unasked: readonly CorsObservation[] = [
  { method: 'GET', origin, kind: 'failed', reason: 'the reason' },
  { method: 'GET', origin: 'null', kind: 'failed', reason: 'the reason' },
  { method: 'OPTIONS', origin, kind: 'failed', reason: 'the reason' },
];
const silent = (code: string) =>
  see({ https: failed(secure, code, 'the reason'), http: failed(plain, code, 'the reason'), cors: unasked });
const stopped = (end: ChainEnd) =>
  see({
    https: chain([redirect(secure, 'https://next.test/')], end),
    http: chain([redirect(plain, secure), redirect(secure, 'https://next.test/')], end),
  });
const lost = (code: string) =>
  stopped({ kind: 'failed', url: 'https://next.test/', code, reason: 'the reason' });

/** Something answered, at an address that is public. */
const answered: readonly HeaderCode[] = ['target-address-not-allowed', 'target-not-allowed'];
/** A page over https came, and its certificate is good. */
const overHttps: readonly HeaderCode[] = [
  'target-unreachable',
  ...answered,
  'target-error-status',
  'target-no-document',
  'target-differs-by-visitor',
  'target-blocks-checks',
  'target-other-site',
  'https-missing',
  'certificate-not-trusted',
];
/** The way from http to it was seen too. */
const fromHttp: readonly HeaderCode[] = [
  'http-not-upgraded',
  'redirect-http-first',
  'https-upgrade-late',
  'https-downgrade',
  'redirect-no-page',
  'redirect-chain-long',
  'hsts-over-http',
];
/** A page with a Content-Type and no other header: what its headers do not betray, and what no other origin may. */
const ofHeaders: readonly HeaderCode[] = [
  'content-type-missing',
  'content-type-no-charset',
  'content-type-charset-unknown',
  'cors-reflects-origin-credentials',
  'cors-null-credentials',
  'cors-reflects-origin',
  'leak-internal-host',
  'leak-version',
  'leak-product',
  'leak-sourcemap',
  'deprecated-harmful',
  'deprecated-useless',
  'headers-large',
  'headers-too-large',
  'header-malformed',
];
/** What an https page's elements can tell. */
const ofMarkup: readonly HeaderCode[] = [
  'mixed-content-passive',
  'mixed-content-blocked',
  'form-action-http',
];
/** What only the page's own elements can tell. */
const ofHead: readonly HeaderCode[] = [
  'target-is-default-page',
  'directory-listing',
  'referrer-policy-unsafe',
  'xfo-in-meta',
  'redirect-client-side',
];

const rows: readonly Row[] = [
  ...[
    'name-not-found',
    'name-unresolved',
    'target-address-not-allowed',
    'target-not-allowed',
    'connection-refused',
    'connection-reset',
    'connection-closed',
    'connection-timeout',
    'network-unreachable',
    'tls-failed',
    'tls-timeout',
    'response-timeout',
    'headers-too-large',
    'malformed-response',
    'not-http',
  ].map((code): Row => ({
    name: `${code} at both`,
    evidence: silent(code),
    state: 'unreachable',
    holds: [],
  })),
  {
    name: 'http only: port 443 is closed',
    evidence: see({ https: failed(secure), http: chain([answer(plain)]) }),
    state: 'complete',
    holds: [
      ...answered,
      'target-error-status',
      'target-no-document',
      'target-differs-by-visitor',
      'target-blocks-checks',
      'target-other-site',
      'redirect-no-page',
      'redirect-chain-long',
      'hsts-over-http',
      ...ofHeaders,
      ...ofHead,
    ],
  },
  {
    name: 'http only: port 443 breaks the handshake off',
    evidence: see({ https: failed(secure, 'tls-failed'), http: chain([answer(plain)]) }),
    state: 'complete',
    holds: [
      ...answered,
      'target-error-status',
      'target-no-document',
      'target-differs-by-visitor',
      'target-blocks-checks',
      'target-other-site',
      'redirect-no-page',
      'redirect-chain-long',
      'hsts-over-http',
      ...ofHeaders,
      ...ofHead,
    ],
  },
  {
    name: 'http only: port 443 does not answer in time',
    evidence: see({ https: failed(secure, 'response-timeout'), http: chain([answer(plain)]) }),
    state: 'partial',
    holds: [
      ...answered,
      'target-error-status',
      'target-no-document',
      'target-differs-by-visitor',
      'target-blocks-checks',
      'target-other-site',
      'hsts-over-http',
      ...ofHeaders,
      ...ofHead,
    ],
  },
  {
    name: 'https only: port 80 is closed',
    evidence: see({ http: failed(plain) }),
    state: 'complete',
    holds: [...ofMarkup, ...overHttps, 'redirect-no-page', 'redirect-chain-long', ...ofHeaders, ...ofHead],
  },
  {
    name: 'https only: port 80 does not answer in time',
    evidence: see({ http: failed(plain, 'connection-timeout') }),
    state: 'partial',
    holds: [...ofMarkup, ...overHttps, ...ofHeaders, ...ofHead],
  },
  {
    name: 'https only: port 80 is not one that is asked',
    evidence: see({ http: failed(plain, 'target-not-allowed') }),
    state: 'partial',
    holds: [
      ...ofMarkup,
      ...overHttps.filter((code) => code !== 'target-not-allowed'),
      ...ofHeaders,
      ...ofHead,
    ],
  },
  {
    name: 'a certificate that is refused',
    evidence: see({ tls: { trusted: false, error: 'CERT_HAS_EXPIRED' } }),
    state: 'complete',
    holds: [
      ...ofMarkup,
      ...overHttps.filter((code) => code !== 'certificate-not-trusted'),
      ...fromHttp,
      ...ofHeaders,
      ...ofHead,
    ],
  },
  {
    name: 'a body that breaks off in the head',
    evidence: see({ cut: 'its body was cut (closed-early)' }),
    state: 'complete',
    holds: [...overHttps, ...fromHttp, ...ofHeaders],
  },
  {
    name: 'a body that never came',
    evidence: see({ elements: null }),
    state: 'complete',
    holds: [...overHttps, ...fromHttp, ...ofHeaders],
  },
  {
    name: 'a page that no origin was tried at',
    evidence: see({ cors: unasked }),
    state: 'complete',
    holds: [
      ...ofMarkup,
      ...overHttps,
      ...fromHttp,
      ...ofHeaders.filter((code) => !code.startsWith('cors-')),
      ...ofHead,
    ],
  },
  {
    name: 'a page that only the origin null was tried at',
    evidence: see({ cors: see().cors.filter(({ origin: tried }) => tried === 'null') }),
    state: 'complete',
    holds: [
      ...ofMarkup,
      ...overHttps,
      ...fromHttp,
      ...ofHeaders.filter((code) => !code.startsWith('cors-reflects-')),
      ...ofHead,
    ],
  },
  {
    name: 'redirects to a host that refuses',
    evidence: lost('connection-refused'),
    state: 'partial',
    holds: [...answered, 'https-missing', 'certificate-not-trusted'],
  },
  {
    name: 'redirects to a host that does not answer in time',
    evidence: lost('response-timeout'),
    state: 'partial',
    holds: [...answered, 'https-missing'],
  },
  {
    name: 'redirects to a name that could not be resolved',
    evidence: lost('name-unresolved'),
    state: 'partial',
    holds: ['target-not-allowed', 'https-missing'],
  },
  {
    name: 'redirects to an address that is not public',
    evidence: lost('target-address-not-allowed'),
    state: 'partial',
    holds: ['target-not-allowed', 'https-missing'],
  },
  {
    name: 'redirects to a port that is not asked',
    evidence: lost('target-not-allowed'),
    state: 'partial',
    holds: ['target-address-not-allowed', 'https-missing'],
  },
  {
    name: 'redirects that run in a circle',
    evidence: stopped({ kind: 'loop', url: secure }),
    state: 'partial',
    holds: ['target-unreachable', ...answered, 'https-missing', 'certificate-not-trusted', 'https-downgrade'],
  },
  {
    name: 'a redirect to what is no URL',
    evidence: stopped({ kind: 'invalid-location', url: secure, location: 'https://[' }),
    state: 'partial',
    holds: ['target-unreachable', ...answered, 'https-missing', 'certificate-not-trusted', 'https-downgrade'],
  },
];

// What the files of a site show has rows of its own.
const ofFiles: ReadonlySet<string> = new Set(codesOf({ ...securityTxtRules, ...robotsRules }));

test.for(rows)('$name', ({ evidence, state, holds }) => {
  const assessment = assessHeaders(evidence);
  const held = codesOf(assessment.verdicts).filter(
    (code) => assessment.verdicts[code] === 'holds' && !ofFiles.has(code),
  );
  expect(held.toSorted()).toEqual([...holds].toSorted());
  expect(assessment.state).toBe(state);
});
