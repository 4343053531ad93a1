import { expect, test } from 'vitest';
import { dnsCheck } from '#shared/catalogue/dns-check/spec';
import type { HealthFields } from '#shared/catalogue/domain-health/report';
import type { CheckSpec } from '#shared/catalogue/spec';
import { sslCheck } from '#shared/catalogue/ssl-check/spec';
import { assessHealth } from '#shared/health/assess';
import type { HealthEvidence, Source } from '#shared/health/evidence';
import { type Assessment, makeReport } from '#shared/model/report';
import { codesBroken } from '#shared/model/verdict';
import { assessSsl } from '../../../worker/checks/ssl-check/assess.ts';
import type { SslEvidence } from '../../../worker/checks/ssl-check/evidence.ts';
import { type Change, goodWorld } from '../dns-check/good-world.ts';
import { checkIn } from '../dns-check/run-check.ts';
import { chain, failed } from '../redirect-check/chain.ts';
import { asked, evidenceOf, failed as failedHandshake, modern, question } from '../ssl-check/evidence-of.ts';
import { at, evidence, headersAway, performanceAway, redirect } from './parts.ts';

// The fields that are read here are the other checks' own: these rows take them from their judgement, not from a copy.

function reportOf(spec: CheckSpec, target: string, assessment: Assessment): Source {
  const facts = {
    check: spec.name,
    target: { domain: target },
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

async function judge(change: Change, more: Partial<HealthEvidence> = {}, domain = 'good.test') {
  const dns = reportOf(dnsCheck, domain, await checkIn(goodWorld(change), domain));
  const seen = assessHealth(evidence({ dns, ...more }));
  const { categories } = seen.fields as HealthFields;
  return { ...seen, categories, broken: codesBroken(seen.verdicts) };
}

const noWeb = (code: 'name-not-found' | 'name-unresolved') => ({
  ssl: sslAt({ kind: 'failure', code, reason: 'so it is' }),
  headers: headersAway(),
  performance: performanceAway(),
  redirects: [redirect(failed(code, 'http://a.test/')), redirect(failed(code, 'https://a.test/'))],
});

function sslAt(end: SslEvidence['questions'][number]['end']): Source {
  const seen = evidenceOf({
    handshakes: modern(failedHandshake('ERR_SSL_WRONG_VERSION_NUMBER')),
    withoutName: null,
    questions: asked().map(({ version, set }) => question(version, set, [], end)),
    groups: null,
    chains: [],
    hsts: { kind: 'unknown', reason: 'there is no TLS' },
  });
  return reportOf(sslCheck, 'a.test', assessSsl(seen));
}

test('dns-check: a name that does not exist makes everything not applicable', async () => {
  const seen = await judge({}, noWeb('name-not-found'), 'nowhere.test');
  expect(seen.broken).toEqual(['domain-not-found']);
  expect([seen.score, seen.grade, seen.state]).toEqual([null, null, 'unreachable']);
  expect(Object.values(seen.categories).map(({ state }) => state)).toEqual(Array(5).fill('not-applicable'));
});

test('dns-check: without A and AAAA there is no web to judge', async () => {
  const without = ['@ 3600 A ', '@ 3600 AAAA ', 'www.good.test'];
  const seen = await judge({ without }, noWeb('name-not-found'));
  expect(seen.categories).toMatchObject({
    ssl: { state: 'not-applicable' },
    headers: { state: 'not-applicable' },
    performance: { state: 'not-applicable' },
  });
  expect(seen.fields['coverage']).toBe(1);
});

test('dns-check: mail without DMARC limits the grade to B', async () => {
  const seen = await judge({});
  const { caps } = seen.fields as HealthFields;
  expect(caps.find(({ code }) => code === 'dmarc-missing')).toMatchObject({ limit: 'B', category: 'mail' });
});

test('dns-check: a null MX has no DMARC to miss', async () => {
  const seen = await judge({
    without: ['@ 3600 MX', '@ 3600 TXT'],
    add: ['@ 3600 MX 0', '@ 3600 TXT v=spf1 -all'],
  });
  expect(seen.verdicts['dmarc-missing']).toBe('not-applicable');
});

test('dns-check: SPF that allows everybody limits the grade to C', async () => {
  const seen = await judge({ without: ['@ 3600 TXT'], add: ['@ 3600 TXT v=spf1 +all'] });
  expect(seen.broken).toContain('spf-all-pass');
  expect(['C', 'F']).toContain(seen.grade);
});

test('dns-check: a zone that a validating resolver refuses is F', async () => {
  const seen = await judge({ resolver: { bogus: 'good.test' } });
  expect(seen.broken).toContain('dnssec-bogus');
});

test('dns-check: one server that answers of five addresses is alone', async () => {
  const failure = { code: 'timeout', reason: 'no answer in time' } as const;
  const seen = await judge({
    servers: {
      '198.51.100.1': { failure },
      '203.0.113.53': { failure, zones: [] },
      '2001:db8:1::1': { failure },
      '2001:db8:2::1': { failure },
    },
  });
  expect(seen.broken).toContain('name-server-alone');
});

test('dns-check: dead name servers leave nothing to score', async () => {
  const failure = { code: 'timeout', reason: 'no answer in time' } as const;
  const silent = { failure };
  const seen = await judge(
    {
      servers: {
        '192.0.2.1': silent,
        '2001:db8:1::1': silent,
        '198.51.100.1': silent,
        '203.0.113.53': silent,
      },
      resolver: { failsBelow: 'test' },
    },
    noWeb('name-unresolved'),
  );
  expect([seen.score, seen.grade]).toEqual([null, null]);
  expect(seen.categories).toMatchObject({ ssl: { state: 'unavailable', score: null } });
});

const onlyHttp = [
  redirect(chain('http://a.test/')),
  redirect(failed('connection-refused', 'https://a.test/')),
];

test.for([
  ['a closed port', { kind: 'failure', code: 'connection-refused', reason: 'it was refused' }, 0],
  ['an alert', { kind: 'refused', by: 'alert', alert: 112 }, 0],
  ['a hang-up', { kind: 'refused', by: 'closed' }, 0],
  ['plain HTTP', { kind: 'not-tls', isHttp: true }, 20],
] as const)('ssl-check: %s is no HTTPS, and a score', async ([, end, score]) => {
  const seen = assessHealth(evidence({ ssl: sslAt(end), redirects: onlyHttp }));
  expect((seen.fields as HealthFields).categories.ssl).toMatchObject({ state: 'ok', score, grade: 'F' });
  expect(codesBroken(seen.verdicts)).toEqual(['https-missing']);
  expect(seen.grade).toBe('D');
});

test.for([
  ['silence', { kind: 'silent' }],
  ['a time-out', { kind: 'failure', code: 'connection-timeout', reason: 'no answer in time' }],
] as const)('ssl-check: %s is not seen, and no score', async ([, end]) => {
  const seen = assessHealth(evidence({ ssl: sslAt(end), redirects: onlyHttp }));
  expect((seen.fields as HealthFields).categories.ssl).toMatchObject({ state: 'unavailable', score: null });
});

test('dns-check: a critical finding under the cap of both halves takes from the category what the category lost', async () => {
  const seen = await judge({ without: ['mail.good.test 3600 A'], add: ['mail.good.test 3600 A 10.0.0.1'] });
  const { worstFindings } = seen.fields as HealthFields;
  const { score, weight } = seen.categories.mail as { score: number; weight: number };
  const ofMail = worstFindings.filter(({ category }) => category === 'mail');
  const taken = ofMail.reduce((sum, { scoreEffect }) => sum - scoreEffect, 0);
  expect(score).toBeLessThan(70);
  expect(taken).toBeLessThanOrEqual((100 - score) * weight + 0.5);
});
