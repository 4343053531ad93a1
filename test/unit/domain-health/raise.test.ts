import { expect, test } from 'vitest';
import { dnsCheck } from '#shared/catalogue/dns-check/spec';
import type { HealthFields } from '#shared/catalogue/domain-health/report';
import { securityHeaderCheck } from '#shared/catalogue/security-header-check/spec';
import type { CheckSpec } from '#shared/catalogue/spec';
import { sslCheck } from '#shared/catalogue/ssl-check/spec';
import { assessHealth } from '#shared/health/assess';
import type { HealthEvidence, Source } from '#shared/health/evidence';
import { type Assessment, makeReport } from '#shared/model/report';
import { assessHeaders } from '../../../worker/checks/security-header-check/assess.ts';
import { assessSsl } from '../../../worker/checks/ssl-check/assess.ts';
import type { SslEvidence } from '../../../worker/checks/ssl-check/evidence.ts';
import type { HeaderLine } from '../../../worker/web/fields.ts';
import { type Change, goodWorld } from '../dns-check/good-world.ts';
import { checkIn } from '../dns-check/run-check.ts';
import { chain } from '../redirect-check/chain.ts';
import { cors, html, origin, type Site, see } from '../security-header-check/observations.ts';
import {
  accepts,
  asked,
  evidenceOf,
  intermediate,
  leafWith,
  question,
  shows,
} from '../ssl-check/evidence-of.ts';
import {
  at,
  dns,
  evidence,
  goodRedirects,
  headers,
  performance,
  performanceAway,
  redirect,
  ssl,
} from './parts.ts';

type Raise = NonNullable<HealthFields['raise']>[number];

const judge = (of: HealthEvidence) => {
  const { score, grade, fields } = assessHealth(of);
  return { score, grade, ...fields };
};
const raiseOf = (of: HealthEvidence) => judge(of).raise ?? [];
const entryFor = (of: HealthEvidence, code: string): Raise | undefined =>
  raiseOf(of).find(({ findings }) => findings.some((one) => one.code === code));
const codesOf = ({ findings }: Raise) => findings.map(({ check, code }) => `${check} ${code}`);

function reportOf(spec: CheckSpec, target: string, assessment: Assessment): Source {
  const facts = {
    check: spec.name,
    target: { [spec.targetKind]: target },
    rules: spec.rules,
    rulesVersion: spec.rulesVersion,
    reportId: `${spec.name}-1`,
    checkedAtMs: at,
    durationMs: 1,
    freshForS: 1,
    keepForS: 1,
  };
  return { report: makeReport(facts, assessment) };
}

/** A domain whose DNS is judged by dns-check itself. */
const inWorld = async (change: Change) =>
  evidence({ dns: reportOf(dnsCheck, 'good.test', await checkIn(goodWorld(change), 'good.test')) });

const record = (text: string): Change => ({
  without: ['@ 3600 TXT'],
  add: [`@ 3600 TXT ${text}`],
});
const dmarc = (text: string): Change => ({ add: [`_dmarc.good.test 3600 TXT ${text}`] });
const good = { spf: 'v=spf1 mx -all', dmarc: 'v=DMARC1; p=reject; rua=mailto:reports@good.test' };

/** What is broken, the code of that, and the same zone with it fixed as the finding says. */
const zones: readonly (readonly [code: string, broken: Change, fixed: Change])[] = [
  ['spf-all-pass', record('v=spf1 mx +all'), record(good.spf)],
  ['spf-all-neutral', record('v=spf1 mx ?all'), record(good.spf)],
  ['spf-no-all', record('v=spf1 mx'), record(good.spf)],
  ['spf-ptr', record('v=spf1 mx ptr -all'), record(good.spf)],
  ['dmarc-policy-none', dmarc('v=DMARC1; p=none; rua=mailto:reports@good.test'), dmarc(good.dmarc)],
  ['dmarc-missing', {}, dmarc('v=DMARC1; p=none; rua=mailto:reports@good.test')],
  ['dmarc-rua-missing', dmarc('v=DMARC1; p=reject'), dmarc(good.dmarc)],
];

test.for(zones)(
  '%s: the promised score is the one that is measured after the fix',
  async ([code, broken, fixed]) => {
    const before = await inWorld(broken);
    const after = judge(await inWorld(fixed));
    const entry = entryFor(before, code);
    expect([code, entry?.scoreAfter, entry?.gradeAfter]).toEqual([code, after.score, after.grade]);
  },
);

const tls = (change: Partial<SslEvidence>): Partial<HealthEvidence> => ({
  ssl: reportOf(sslCheck, 'a.test', assessSsl(evidenceOf(change))),
});
const site = (change: Site): Partial<HealthEvidence> => ({
  headers: reportOf(securityHeaderCheck, 'https://a.test/', assessHeaders(see(change))),
});
const expired = leafWith({ notAfter: '2026-11-01T00:00:00' });
const strict: HeaderLine[] = [
  html,
  [
    'Content-Security-Policy',
    "default-src 'none'; script-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'none'",
  ],
  ['X-Content-Type-Options', 'nosniff'],
  ['Referrer-Policy', 'no-referrer'],
  ['Permissions-Policy', 'camera=()'],
];
const hsts: HeaderLine = ['Strict-Transport-Security', 'max-age=31536000'];
const year: HeaderLine = ['Strict-Transport-Security', 'max-age=31536000; includeSubDomains'];
const openPolicy: HeaderLine = [
  'Content-Security-Policy',
  "default-src 'none'; script-src * 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'; form-action 'none'",
];
const without = (name: string) => [...strict, year].filter(([one]) => one !== name);

/** What is broken, and the same with it fixed as the finding says, each judged by the check itself. */
const parts: readonly (readonly [
  code: string,
  broken: Partial<HealthEvidence>,
  fixed: Partial<HealthEvidence>,
])[] = [
  [
    'xcto-missing',
    site({ headers: without('X-Content-Type-Options') }),
    site({ headers: [...strict, year] }),
  ],
  ['hsts-missing', site({ headers: strict }), site({ headers: [...strict, hsts] })],
  [
    'hsts-short',
    site({ headers: [...strict, ['Strict-Transport-Security', 'max-age=60; includeSubDomains']] }),
    site({ headers: [...strict, year] }),
  ],
  [
    'permissions-policy-missing',
    site({ headers: without('Permissions-Policy') }),
    site({ headers: [...strict, year] }),
  ],
  [
    'cookie-session-no-secure',
    site({
      headers: [
        ...strict,
        year,
        ['Set-Cookie', 'sessionid=0123456789abcdef; HttpOnly; SameSite=Lax; Path=/'],
      ],
    }),
    site({
      headers: [
        ...strict,
        year,
        ['Set-Cookie', 'sessionid=0123456789abcdef; HttpOnly; SameSite=Lax; Path=/; Secure'],
      ],
    }),
  ],
  [
    'cookie-session-no-samesite',
    site({ headers: [...strict, year, ['Set-Cookie', 'session=0123456789abcdef; Path=/']] }),
    site({
      headers: [
        ...strict,
        year,
        ['Set-Cookie', 'session=0123456789abcdef; Path=/; Secure; HttpOnly; SameSite=Lax'],
      ],
    }),
  ],
  [
    'cors-null-credentials',
    site({
      headers: [...strict, year],
      cors: [origin, 'null'].map((made) =>
        cors(
          [
            ['Access-Control-Allow-Origin', made],
            ['Access-Control-Allow-Credentials', 'true'],
            ['Vary', 'Origin'],
          ],
          { origin: made },
        ),
      ),
    }),
    site({ headers: [...strict, year] }),
  ],
  [
    'csp-script-wildcard',
    site({ headers: [...without('Content-Security-Policy'), openPolicy] }),
    site({ headers: [...strict, year] }),
  ],
  ['certificate-expired', tls(shows([expired, intermediate])), tls({})],
  ['hsts-missing', tls({ hsts: { kind: 'fields', url: 'https://a.test/', values: [] } }), tls({})],
  [
    'tls10-offered',
    tls({
      questions: asked(
        question('TLSv1.1', 'old', [accepts(0xc013), accepts(0xc014)]),
        question('TLSv1', 'old', [accepts(0xc013), accepts(0xc014)]),
      ),
    }),
    tls({}),
  ],
];

test.for(parts)('%s: the promised score is the one that its own check measures', ([code, broken, fixed]) => {
  const entry = entryFor(evidence(broken), code);
  const after = judge(evidence(fixed));
  expect([code, entry?.scoreAfter, entry?.gradeAfter]).toEqual([code, after.score, after.grade]);
});

test('what one line of a cookie ends is one entry, with the line that ends it all', () => {
  const line: HeaderLine = ['Set-Cookie', 'session=0123456789abcdef; Path=/'];
  const entry = entryFor(evidence(site({ headers: [...strict, year, line] })), 'cookie-session-no-secure');
  expect(entry?.findings.map(({ code }) => code).toSorted()).toEqual([
    'cookie-session-no-httponly',
    'cookie-session-no-samesite',
    'cookie-session-no-secure',
  ]);
  expect(entry?.fix.snippets?.['header']).toContain('Set-Cookie: session=…; ');
  expect(entry?.fix.snippets?.['nginx']).toMatch(
    /\nproxy_cookie_flags session secure httponly samesite=lax;$/,
  );
});

test('one expired certificate is one entry, in whatever reports it stands', () => {
  const entries = raiseOf(
    evidence({
      ssl: ssl({ broken: ['certificate-expired'] }),
      headers: headers({ broken: ['certificate-not-trusted'] }),
      dns: dns({ broken: ['caa-value-malformed'] }),
    }),
  ).filter((entry) => codesOf(entry).some((code) => code.includes('certificate')));
  expect(entries.map(codesOf)).toEqual([
    ['ssl-check certificate-expired', 'security-header-check certificate-not-trusted'],
  ]);
});

test('a fix that would show more promises no figure, and neither does the sum with it', () => {
  const seen = judge(evidence({ headers: headers({ broken: ['csp-missing'] }) }));
  expect(entryFor(evidence({ headers: headers({ broken: ['csp-missing'] }) }), 'csp-missing')).toMatchObject({
    points: null,
    scoreAfter: null,
    gradeAfter: null,
  });
  expect(seen.raisedTo).toEqual({ score: null, grade: null });
  const unseen = evidence({
    ssl: ssl({ broken: ['certificate-expired'] }),
    performance: performanceAway('certificate-not-trusted'),
  });
  expect(entryFor(unseen, 'certificate-expired')?.points).toBeNull();
});

test('what caps the grade stands first, also where it gives no point of its own', () => {
  const seen = judge(
    evidence({
      dns: dns({ broken: ['ns-single', 'ns-tcp-missing'] }),
      headers: headers({ broken: ['xcto-missing'] }),
      performance: performance({ score: 40, broken: ['lcp-poor'] }),
    }),
  );
  expect(seen.raise?.[0]?.findings[0]?.code).toBe('ns-single');
});

test('an own finding that says again what a part found has no entry of its own', () => {
  const all = raiseOf(evidence({ dns: dns({ broken: ['spf-all-pass'] }) }));
  expect(all.flatMap(codesOf)).toEqual(['dns-check spf-all-pass']);
});

test('an http address that stays http is one fault of every entry point and of the headers', () => {
  const stuck = [redirect(chain('http://a.test/')), ...goodRedirects().slice(1)];
  const entry = entryFor(
    evidence({ redirects: stuck, headers: headers({ broken: ['http-not-upgraded'], score: 81 }) }),
    'http-not-upgraded',
  );
  expect(entry && codesOf(entry)).toEqual([
    'security-header-check http-not-upgraded',
    'redirect-check http-not-upgraded',
    'domain-health http-not-upgraded',
  ]);
  expect(entry?.gradeAfter).toBe('A+');
});

test('a good domain needs nothing, and says so', () => {
  expect(judge(evidence())).toMatchObject({
    partFindings: [],
    raise: [],
    raisedTo: { score: 100, grade: 'A+' },
  });
});

test('findings of the parts are as their reports have them, the dearest first, and their effects add up', () => {
  const { partFindings = [], score } = judge(
    evidence({
      headers: headers({ broken: ['xcto-missing', 'framing-open'] }),
      dns: dns({ broken: ['ns-single'] }),
    }),
  );
  expect(partFindings.map(({ check, code, domainEffect }) => [check, code, domainEffect])).toEqual([
    ['dns-check', 'ns-single', -6],
    ['security-header-check', 'framing-open', -1.5],
    ['security-header-check', 'xcto-missing', -0.5],
  ]);
  expect(score).toBe(92);
});
