import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseExpires } from '#shared/catalogue/expiries/parse-expires';
import { isMalformed } from '#shared/model/verdict';
import { assessHeaders } from '../../../worker/checks/security-header-check/assess.ts';
import type { HeaderEvidence } from '../../../worker/checks/security-header-check/evidence.ts';
import { readDocument } from '../../../worker/checks/security-header-check/gather/read-document.ts';
import { parseCacheControl } from '../../../worker/checks/security-header-check/grammar/cache-control.ts';
import {
  parseEmbedderPolicy,
  parseOpenerPolicy,
  parseResourcePolicy,
} from '../../../worker/checks/security-header-check/grammar/cross-origin-policies.ts';
import { suggestDirective } from '../../../worker/checks/security-header-check/grammar/csp-directives.ts';
import { parseCspSource } from '../../../worker/checks/security-header-check/grammar/csp-source.ts';
import { parseCsp, parseCspList } from '../../../worker/checks/security-header-check/grammar/csp.ts';
import {
  parseBlocksScripts,
  parseIntegrity,
} from '../../../worker/checks/security-header-check/grammar/integrity.ts';
import {
  parseNosniff,
  parseXFrameOptions,
} from '../../../worker/checks/security-header-check/grammar/one-word-fields.ts';
import { parsePermissionsPolicy } from '../../../worker/checks/security-header-check/grammar/permissions-policy.ts';
import {
  parseReferrerMeta,
  parseReferrerPolicy,
} from '../../../worker/checks/security-header-check/grammar/referrer-policy.ts';
import {
  parseReportingEndpoints,
  parseReportTo,
} from '../../../worker/checks/security-header-check/grammar/reporting-endpoints.ts';
import { parseSecurityTxt } from '../../../worker/checks/security-header-check/grammar/security-txt.ts';
import { findInternalHost } from '../../../worker/checks/security-header-check/judge/leakage.ts';
import { parseLikeObservatory } from '../../../worker/checks/security-header-check/report/observatory/csp-parser.ts';
import { parseContentType } from '../../../worker/web/content-type.ts';
import type { HeaderLine } from '../../../worker/web/fields.ts';
import { splitValues } from '../../../worker/web/fields.ts';
import { parseHsts, printHsts } from '../../../worker/web/hsts.ts';
import { parseRobots } from '../../../worker/web/robots.ts';
import { parseSetCookie, printSetCookie } from '../../../worker/web/set-cookie.ts';
import { runsOf } from '../../kit/property-runs.ts';
import { baseline, cors, csp, html, metaCsp, script, see } from './observations.ts';
import { printCsp, printCspSource } from './print-csp.ts';

/** Words that grammars of headers are made of, so that random texts come near to valid ones. */
const words =
  `max-age=1 includeSubDomains preload ; , = " \\ ( ) ' * self 'self' 'none' 'unsafe-inline' 'nonce-abc' 'sha256-a=' default-src
script-src frame-ancestors https: http://a.test *.a.test camera=() geolocation=* "x" sid=1 Secure Domain=.site.test SameSite=None Path=/
__proto__ constructor toString hasOwnProperty __Host-a=1 nosniff DENY same-origin {"group":"a"} : ? @1 %e4 -1 1.5 Contact: Expires: User-agent: 2027-06-01T00:00:00Z ; \t \u00fc \u0000`.split(
    /[ \n]/,
  );
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.array(fc.constantFrom(...words), { maxLength: 30 }).map((parts) => parts.join(' ')),
  fc.array(fc.constantFrom(...words), { maxLength: 30 }).map((parts) => parts.join('')),
);
const lines = fc.array(text, { maxLength: 4 });

const parsers: Readonly<Record<string, (lines: readonly string[]) => unknown>> = {
  splitValues,
  parseHsts: ([line = '']) => parseHsts(line),
  parseCspList: ([line = '']) => parseCspList(line),
  parseCsp: ([line = '']) => parseCsp(line),
  parseCspSource: ([line = '']) => parseCspSource(line),
  suggestDirective: ([line = '']) => suggestDirective(line),
  parseXFrameOptions,
  parseNosniff,
  parseReferrerPolicy,
  parseReferrerMeta: ([line = '']) => parseReferrerMeta(line),
  parsePermissionsPolicy,
  parseOpenerPolicy,
  parseEmbedderPolicy,
  parseResourcePolicy,
  parseSetCookie: ([line = '']) => parseSetCookie(line),
  parseContentType,
  parseCacheControl,
  parseReportingEndpoints: (lines) => parseReportingEndpoints(lines, new URL('https://site.test/')),
  parseReportTo: (lines) => parseReportTo(lines, new URL('https://site.test/')),
  parseIntegrity: ([line = '']) => parseIntegrity(line),
  parseBlocksScripts,
  findInternalHost: ([line = '']) => findInternalHost(line),
  parseLikeObservatory,
  readDocument: ([line = '']) => readDocument(line, 'https://site.test/'),
  parseSecurityTxt: (lines) => parseSecurityTxt(lines.join('\n')),
  parseExpires: ([line = '']) => parseExpires(line),
  parseRobots: (lines) => parseRobots(lines.join('\n')),
};

test.for(Object.entries(parsers))('%s never throws', ([, parse]) => {
  const property = fc.property(lines, (sent) => void parse(sent));
  expect(fc.check(property, { numRuns: runsOf(2000) })).toMatchObject({ failed: false });
});

// Each parser reads 64 KiB of its worst in the time of a blink; a quadratic one would take seconds.
const worst = [
  'a',
  ' ',
  ';',
  ',',
  '"',
  '\\',
  "'",
  '=',
  '*',
  '(',
  '-',
  '1',
  'a ',
  'a;',
  'a=b;',
  '"a",',
  '1:',
  '\u00fc',
];
test.for(Object.entries(parsers))('%s is linear', ([, parse]) => {
  const before = process.threadCpuUsage();
  for (const piece of worst) parse([piece.repeat(65_536 / piece.length)]);
  const { user, system } = process.threadCpuUsage(before);
  expect((user + system) / 1000 / worst.length).toBeLessThan(250);
});

describe('what is printed is read as the same', () => {
  test('Strict-Transport-Security', () => {
    const hsts = fc.record(
      { maxAgeS: fc.nat(), includeSubDomains: fc.boolean(), preload: fc.boolean() },
      { noNullPrototype: true },
    );
    fc.assert(
      fc.property(hsts, (value) => {
        expect(parseHsts(printHsts(value))).toEqual(value);
      }),
    );
  });

  test('a policy', () => {
    fc.assert(
      fc.property(text, (sent) => {
        const printed = printCsp(parseCsp(sent.replaceAll(',', ' ')));
        expect(printCsp(parseCsp(printed))).toBe(printed);
      }),
    );
  });

  test('a source', () => {
    const token = fc.oneof(fc.constantFrom(...words), fc.webUrl(), fc.domain(), fc.string({ maxLength: 20 }));
    fc.assert(
      fc.property(token, (sent) => {
        const source = parseCspSource(sent);
        fc.pre(source.kind !== 'invalid');
        expect(parseCspSource(printCspSource(source))).toEqual(source);
      }),
    );
  });

  test('a cookie', () => {
    fc.assert(
      fc.property(text, (sent) => {
        const cookie = parseSetCookie(sent);
        fc.pre(!isMalformed(cookie));
        expect(isMalformed(cookie) || parseSetCookie(printSetCookie(cookie))).toEqual(cookie);
      }),
    );
  });
});

const names = [
  'Strict-Transport-Security',
  'Content-Security-Policy',
  'Content-Security-Policy-Report-Only',
  'X-Frame-Options',
  'X-Content-Type-Options',
  'Referrer-Policy',
  'Permissions-Policy',
  'Cross-Origin-Opener-Policy',
  'Cross-Origin-Embedder-Policy',
  'Cross-Origin-Resource-Policy',
  'Set-Cookie',
  'Content-Type',
  'Cache-Control',
  'Server',
  'Via',
  'X-XSS-Protection',
  'Reporting-Endpoints',
  'Vary',
  '__proto__',
  'constructor',
];
const anyLine: fc.Arbitrary<HeaderLine> = fc.tuple(fc.constantFrom(...names), text);

test('no response makes the assessment throw, and the same evidence gives the same report', () => {
  fc.assert(
    fc.property(
      fc.array(anyLine, { maxLength: 12 }),
      fc.array(anyLine, { maxLength: 3 }),
      text,
      (headers, corsLines, policy) => {
        const evidence = see({
          headers,
          elements: [script({ src: policy, integrity: policy }), metaCsp(policy)],
          cors: [
            cors(corsLines),
            cors(corsLines, { origin: 'null' }),
            cors(corsLines, { method: 'OPTIONS' }),
          ],
        });
        expect(JSON.stringify(assessHeaders(evidence))).toBe(JSON.stringify(assessHeaders(evidence)));
      },
    ),
    { numRuns: runsOf(2000) },
  );
});

// Lines that a site may have, good and bad, one of each name at most.
const some = (name: string, ...values: string[]): fc.Arbitrary<HeaderLine | undefined> =>
  fc.option(
    fc.constantFrom(...values).map((value): HeaderLine => [name, value]),
    { nil: undefined },
  );
const policies = [
  "default-src 'self'",
  "default-src *; object-src 'none'",
  "script-src 'unsafe-inline' 'unsafe-eval'",
  "script-src 'nonce-abcdefgh' 'strict-dynamic'",
  "script-src https: data:; style-src 'unsafe-inline'",
  'img-src http://a.test; frame-ancestors *',
  "script-src self; scirpt-src x; base-uri 'none'",
  "frame-ancestors https://partner.test; form-action 'self'",
  "script-src 'self' 'unsafe-hashes'; script-src-attr 'unsafe-inline'; sandbox allow-scripts allow-same-origin",
  "default-src 'none', script-src *",
];
const anySite = fc
  .tuple(
    some('Strict-Transport-Security', 'max-age=31536000', 'max-age=0', 'max-age=300; preload', 'nonsense'),
    some('Content-Security-Policy', ...policies),
    some('Content-Security-Policy-Report-Only', ...policies),
    some('X-Frame-Options', 'DENY', 'ALLOWALL', 'ALLOW-FROM https://a.test', 'x'),
    some('X-Content-Type-Options', 'nosniff', 'x'),
    some('Referrer-Policy', 'no-referrer', 'unsafe-url', 'x'),
    some('Permissions-Policy', 'camera=*', "camera 'self'", 'camera=('),
    some('Cross-Origin-Opener-Policy', 'same-origin', 'x'),
    some('Cross-Origin-Embedder-Policy', 'require-corp', 'x'),
    some('Cross-Origin-Resource-Policy', 'same-origin', 'x'),
    some('Set-Cookie', 'sid=1', 'a=1; Secure; SameSite=Lax'),
    some('Server', 'nginx/1.2.3'),
    some('Content-Type', 'application/json', 'text/html', 'text/html; charset=utf-8'),
  )
  .map((found) => found.filter((line) => line !== undefined));
const anyElements = fc.subarray([
  metaCsp("default-src 'self'; frame-ancestors 'none'"),
  metaCsp("script-src 'unsafe-inline'", 'body'),
  script({ src: 'https://cdn.other.test/a.js' }),
  {
    name: 'meta',
    parent: 'head',
    attributes: [
      ['name', 'referrer'],
      ['content', 'unsafe-url'],
    ],
  } as const,
  {
    name: 'meta',
    parent: 'head',
    attributes: [
      ['name', 'referrer'],
      ['content', 'strict-origin-when-cross-origin'],
    ],
  } as const,
]);

/** Lines that only protect. A policy may come beside others; of all other names a site has one. */
const protective: readonly HeaderLine[] = [
  ...baseline.filter(([name]) => name !== html[0] && name !== 'Set-Cookie'),
  csp("default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'self'"),
  csp("frame-ancestors 'none'"),
  csp("script-src 'self'; object-src 'none'; base-uri 'self'"),
  csp('upgrade-insecure-requests'),
  ['X-Frame-Options', 'SAMEORIGIN'],
  ['Referrer-Policy', 'no-referrer'],
  ['Strict-Transport-Security', 'max-age=15552000'],
  ['Cross-Origin-Embedder-Policy', 'credentialless'],
  ['Permissions-Policy', 'camera=()'],
  ['Integrity-Policy', 'blocked-destinations=(script)'],
  ['Cache-Control', 'no-store'],
];

test('adding a protective header never lowers the own score', () => {
  fc.assert(
    fc.property(anySite, anyElements, fc.constantFrom(...protective), (headers, elements, added) => {
      const isThere = headers.some(([name]) => name === added[0]) && added[0] !== 'Content-Security-Policy';
      fc.pre(!isThere);
      const scoreOf = (evidence: HeaderEvidence) => assessHeaders(evidence).score ?? 0;
      expect(scoreOf(see({ headers: [...headers, added], elements }))).toBeGreaterThanOrEqual(
        scoreOf(see({ headers, elements })),
      );
    }),
    { numRuns: runsOf(5000) },
  );
});
