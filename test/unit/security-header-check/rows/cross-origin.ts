import {
  answer,
  baseline,
  baselineWith,
  chain,
  cors,
  corsAlways,
  failed,
  origin,
  see,
} from '../observations.ts';
import type { Row } from './row.ts';

const allow = 'Access-Control-Allow-Origin';
const credentials = ['Access-Control-Allow-Credentials', 'true'] as const;
const vary = ['Vary', 'Origin'] as const;
const answered = (...sights: Parameters<typeof cors>[]) =>
  see({ headers: baseline, cors: sights.map((observation) => cors(...observation)) });

export const crossOriginRows: readonly Row[] = [
  {
    name: 'in clear text the opener and embedder policies do nothing (HTML, secure contexts)',
    evidence: see({
      https: failed('https://site.test/'),
      http: chain([answer('http://site.test/', baseline)]),
      cors: [],
    }),
    broken: ['https-missing', 'cookie-refused'],
    notApplicable: ['isolation-ok', 'coop-missing', 'coep-without-coop'],
  },
  {
    name: 'a refused preflight allows nothing, whatever it says',
    evidence: see({
      headers: baseline,
      cors: [
        cors([]),
        cors([], { origin: 'null' }),
        cors(
          [
            ['Access-Control-Allow-Origin', origin],
            ['Access-Control-Allow-Credentials', 'true'],
          ],
          { method: 'OPTIONS', status: 405 },
        ),
      ],
    }),
    broken: [],
    holds: ['cors-reflects-origin-credentials'],
  },
  {
    name: 'a reflected origin with credentials',
    evidence: answered([[[allow, origin], credentials, vary]], [[], { origin: 'null' }]),
    broken: ['cors-reflects-origin-credentials'],
    holds: ['cors-reflects-origin', 'cors-vary-missing', 'cors-null-credentials'],
    score: 80,
  },
  {
    name: 'a look-alike is let in, with credentials',
    evidence: answered(
      [[]],
      [[], { origin: 'null' }],
      [
        [[allow, 'https://sitextest.test'], credentials, vary],
        { origin: 'https://sitextest.test', as: 'look-alike' },
      ],
    ),
    broken: ['cors-reflects-origin-credentials'],
    holds: ['cors-reflects-origin', 'cors-vary-missing'],
    score: 80,
  },
  {
    name: 'a look-alike is let in, without credentials',
    evidence: answered(
      [[]],
      [
        [[allow, 'https://site.test.0.invalid'], vary],
        { origin: 'https://site.test.0.invalid', as: 'look-alike' },
      ],
    ),
    broken: ['cors-reflects-origin'],
    score: 93,
  },
  {
    name: 'that a page lets its own origin in is no finding',
    evidence: answered(
      [[]],
      [[[allow, 'https://site.test'], credentials], { origin: 'https://site.test', as: 'own' }],
    ),
    broken: [],
    holds: ['cors-reflects-origin-credentials', 'cors-reflects-origin'],
    notApplicable: ['cors-vary-missing'],
  },
  {
    name: 'a look-alike that got no answer may be let in',
    evidence: see({
      headers: baseline,
      cors: [
        cors([vary]),
        cors([], { origin: 'null' }),
        {
          method: 'GET',
          origin: 'https://xsite.test',
          as: 'look-alike',
          kind: 'failed',
          reason: 'it failed',
        },
      ],
    }),
    broken: [],
    notTested: ['cors-reflects-origin-credentials', 'cors-reflects-origin'],
  },
  {
    name: 'a preflight alone that reflects with credentials',
    evidence: answered(
      [[]],
      [[], { origin: 'null' }],
      [[[allow, origin], credentials], { method: 'OPTIONS' }],
    ),
    broken: ['cors-reflects-origin-credentials'],
  },
  {
    name: 'the origin null with credentials',
    evidence: answered([[]], [[[allow, 'null'], credentials, vary], { origin: 'null' }]),
    broken: ['cors-null-credentials'],
  },
  {
    name: 'a reflected origin without credentials',
    evidence: answered([[[allow, origin], vary]], [[], { origin: 'null' }]),
    broken: ['cors-reflects-origin'],
    score: 92.5,
  },
  {
    name: 'credentials: TRUE is not true',
    evidence: answered(
      [[[allow, origin], ['Access-Control-Allow-Credentials', 'TRUE'], vary]],
      [[], { origin: 'null' }],
    ),
    broken: ['cors-reflects-origin'],
  },
  {
    name: 'a reflected origin without Vary',
    evidence: answered([[[allow, origin]]], [[], { origin: 'null' }]),
    broken: ['cors-reflects-origin', 'cors-vary-missing'],
    score: 93,
  },
  {
    name: 'public content',
    evidence: see({ headers: baseline, cors: corsAlways([allow, '*']) }),
    broken: [],
    holds: ['cors-reflects-origin', 'cors-wildcard-credentials', 'cors-multiple-origins'],
  },
  {
    name: 'all origins with credentials',
    evidence: see({ headers: baseline, cors: corsAlways([allow, '*'], credentials) }),
    broken: ['cors-wildcard-credentials'],
  },
  {
    name: 'two origins',
    evidence: see({ headers: baseline, cors: corsAlways([allow, 'https://a.test, https://b.test']) }),
    broken: ['cors-multiple-origins'],
  },
  ...[
    'https://app.test/',
    'https://*.app.test',
    'app.test',
    'https://app.test https://b.test',
    'https://app.test/path',
    'https://app.test:443',
    'HTTPS://APP.TEST',
    '',
    'https://b\u00fccher.test',
    'true',
    '*.app.test',
  ].map((value): Row => ({
    name: `an allowed origin that none is equal to: "${value}"`,
    evidence: see({ headers: baseline, cors: corsAlways([allow, value]) }),
    broken: ['cors-origin-invalid'],
    holds: ['cors-multiple-origins'],
  })),
  ...[
    'https://app.test',
    'https://app.test:8443',
    'http://localhost:3000',
    'https://xn--bcher-kva.test',
    'null',
    'capacitor://localhost',
    'chrome-extension://abcdefghijklmnop',
    'http://[::1]:8080',
  ].map((value): Row => ({
    name: `an allowed origin that some page may have: ${value}`,
    evidence: see({
      headers: baseline,
      cors: corsAlways([allow, value]).filter((sight) => sight.origin !== value),
    }),
    broken: [],
    holds: ['cors-origin-invalid'],
  })),
  {
    name: 'questions that were not answered',
    evidence: see({
      headers: baseline,
      cors: [{ method: 'GET', origin, kind: 'failed', reason: 'the answer did not come in time' }],
    }),
    broken: [],
    notTested: ['cors-reflects-origin', 'cors-null-credentials'],
  },
  {
    name: 'no cross-origin policies',
    evidence: baselineWith({
      'Cross-Origin-Opener-Policy': null,
      'Cross-Origin-Embedder-Policy': null,
      'Cross-Origin-Resource-Policy': null,
    }),
    broken: [],
    info: ['coop-missing', 'corp-missing'],
    score: 100,
  },
  {
    name: 'an opener policy in quotes',
    evidence: baselineWith({ 'Cross-Origin-Opener-Policy': '"same-origin"' }),
    broken: ['coop-invalid'],
    info: ['coep-without-coop'],
  },
  {
    name: 'two opener policies',
    evidence: baselineWith({ 'Cross-Origin-Opener-Policy': ['same-origin', 'same-origin'] }),
    broken: ['coop-invalid'],
  },
  {
    name: 'an opener policy with a report endpoint',
    evidence: baselineWith({ 'Cross-Origin-Opener-Policy': 'same-origin; report-to="coop"' }),
    broken: [],
    info: ['isolation-ok'],
    holds: ['coop-invalid', 'coop-missing'],
  },
  ...['isolate-and-require-corp', 'isolate-and-credentialless; report-to="x"'].map((value): Row => ({
    name: `a document that isolates itself: ${value}`,
    evidence: baselineWith({
      'Document-Isolation-Policy': value,
      'Cross-Origin-Embedder-Policy': 'require-corp',
    }),
    broken: [],
    info: ['isolation-ok'],
    holds: ['dip-invalid', 'coep-without-coop'],
  })),
  {
    name: 'a document that isolates nothing',
    evidence: baselineWith({ 'Document-Isolation-Policy': 'none', 'Cross-Origin-Embedder-Policy': null }),
    broken: [],
    holds: ['dip-invalid'],
    notApplicable: ['isolation-ok'],
  },
  {
    name: 'an isolation policy that is none',
    evidence: baselineWith({
      'Document-Isolation-Policy': '"isolate-and-require-corp"',
      'Cross-Origin-Embedder-Policy': null,
    }),
    broken: ['dip-invalid'],
    notApplicable: ['isolation-ok'],
  },
  {
    name: 'an embedder policy that is none',
    evidence: baselineWith({ 'Cross-Origin-Embedder-Policy': 'require-cors' }),
    broken: ['coep-invalid'],
    notApplicable: ['coep-without-coop'],
  },
  {
    name: 'an embedder policy alone',
    evidence: baselineWith({ 'Cross-Origin-Opener-Policy': null }),
    broken: [],
    info: ['coep-without-coop', 'coop-missing'],
  },
  {
    name: 'Same-Origin is not same-origin',
    evidence: baselineWith({ 'Cross-Origin-Resource-Policy': 'Same-Origin' }),
    broken: ['corp-invalid'],
    holds: ['corp-missing'],
    score: 99.5,
  },
];
