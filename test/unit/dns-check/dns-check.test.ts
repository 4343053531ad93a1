import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { dnsHalfShape, dnsReportShape } from '#shared/catalogue/dns-check/report';
import { type DnsCheckCode, type DnsCode, dnsRules } from '#shared/catalogue/dns-check/rules';
import { dnsCheck } from '#shared/catalogue/dns-check/spec';
import { makeReport } from '#shared/model/report';
import type { Verdict } from '#shared/model/verdict';
import type { Case } from './case.ts';
import { cases } from './cases.ts';
import { goodWorld, keySigning } from './good-world.ts';
import { checkIn, dnsCodesBroken } from './run-check.ts';
import { dsLine } from './sign-zone.ts';

type Outcome = Awaited<ReturnType<typeof checkIn>>;
const outcomes = new Map<string, Outcome>();

const check = ({ change, domain }: Case) => checkIn(goodWorld(change), domain);

/** What the check says of a row, looked up once for all tests that only read it. */
async function outcomeOf(row: Case): Promise<Outcome> {
  const outcome = outcomes.get(row.name) ?? (await check(row));
  outcomes.set(row.name, outcome);
  return outcome;
}

function outcomeNamed(name: string): Promise<Outcome> {
  const row = cases.find((other) => other.name === name);
  if (!row) throw new Error(`there is no row "${name}"`);
  return outcomeOf(row);
}

async function metIn(rows: readonly Case[], code: DnsCode): Promise<readonly string[]> {
  const kinds = new Set<string>();
  for (const row of rows) kinds.add(kindOf((await outcomeOf(row)).verdicts[code]));
  return [...kinds];
}

/** Each broken rule costs its points, where the row says nothing else. */
function scoreOf({ score, broken }: Case): number | null {
  if (score !== undefined) return score;
  return Math.max(0, Math.round(100 - broken.reduce((sum, code) => sum + dnsRules[code].points, 0)));
}

const kindOf = (verdict: Verdict): string =>
  typeof verdict === 'string' ? verdict : (Object.keys(verdict)[0] ?? '');

describe('each row', () => {
  test.for(cases)('$name', async (row) => {
    const { name, broken, notTested = [], unjudged = [] } = row;
    const outcome = await check(row);
    if (!outcomes.has(name)) outcomes.set(name, outcome);
    expect(dnsCodesBroken(outcome).toSorted()).toEqual(broken.toSorted());
    const kinds = notTested.map((code) => [code, kindOf(outcome.verdicts[code])]);
    expect(kinds).toEqual(notTested.map((code) => [code, 'notTested']));
    expect(unjudged.filter((code) => ['holds', 'broken'].includes(kindOf(outcome.verdicts[code])))).toEqual(
      [],
    );
    expect(outcome.fields['dnsScore']).toBe(scoreOf(row));
  });

  test.for(cases)('$name: a report of the promised shape, every {placeholder} filled', async (row) => {
    const report = makeReport(
      {
        check: 'dns-check',
        target: { domain: 'good.test' },
        rules: dnsCheck.rules,
        rulesVersion: 1,
        reportId: 'x',
        checkedAtMs: 0,
        durationMs: 1,
        freshForS: 1,
        keepForS: 1,
      },
      await outcomeOf(row),
    );
    expect(z.looseObject(dnsReportShape).safeParse(report).error?.message).toBeUndefined();
    // What was not reached has no letter.
    const { state, grade, score } = report;
    expect(state === 'unreachable' && (grade !== null || score !== null)).toBe(false);
    for (const { detail } of report.findings) expect(detail).not.toMatch(/\{\w+\}/);
    for (const { scoreEffect } of report.findings) expect(Object.is(scoreEffect, -0)).toBe(false);
  });
});

// A question that was not answered is the fact itself.
const neverNotTested: readonly DnsCode[] = ['lookup-failed'];

describe('each rule', () => {
  const codes = (Object.keys(dnsRules) as DnsCode[]).map((code) => ({ code }));

  test.for(codes)(
    '$code has a row in which it is broken, one in which it holds, one in which it is not tested',
    async ({ code }) => {
      const wanted = ['broken', 'holds', ...(neverNotTested.includes(code) ? [] : ['notTested'])];
      expect(await metIn(cases, code)).toEqual(expect.arrayContaining(wanted));
    },
  );

  test.for(codes)('$code cites where it comes from', ({ code }) => {
    expect(dnsRules[code].references.length).toBeGreaterThan(0);
    expect(code).toMatch(/^[a-z0-9]+(-[a-z0-9]+)+$/);
  });
});

describe('states and scores', () => {
  const rows: readonly { name: string; state: string; exists: boolean | null; status: string }[] = [
    {
      name: 'a domain in which everything is well breaks nothing',
      state: 'complete',
      exists: true,
      status: 'secure',
    },
    {
      name: 'a name that does not exist is one finding, and nothing else applies',
      state: 'unreachable',
      exists: false,
      status: 'insecure',
    },
    {
      name: 'where nothing answers, parent and resolver included, nothing is judged',
      state: 'unreachable',
      exists: null,
      status: 'indeterminate',
    },
    {
      name: 'a question that fails is told, costs nothing and leaves what hangs on it open',
      state: 'partial',
      exists: true,
      status: 'secure',
    },
    { name: 'a zone that is not signed', state: 'complete', exists: true, status: 'insecure' },
    {
      name: 'a signed zone that the parent does not know',
      state: 'complete',
      exists: true,
      status: 'insecure',
    },
    {
      name: 'a resolver that does not validate leaves “bogus” open, and our own checks hold',
      state: 'complete',
      exists: true,
      status: 'indeterminate',
    },
    {
      name: 'a zone that the resolver refuses is bogus, and all else is judged without checking',
      state: 'partial',
      exists: true,
      status: 'bogus',
    },
    { name: 'signatures that have expired', state: 'complete', exists: true, status: 'bogus' },
    {
      name: 'all servers silent to us and to the resolver: the domain is gone',
      state: 'complete',
      exists: true,
      status: 'indeterminate',
    },
  ];
  test.for(rows)('$name: $state, $status', async ({ name, state, exists, status }) => {
    const outcome = await outcomeNamed(name);
    expect(outcome.state).toBe(state);
    expect(outcome.fields['exists']).toBe(exists);
    expect(outcome.fields['dnssec']).toMatchObject({ status });
  });

  test('NXDOMAIN leaves one finding: every other rule does not apply', async () => {
    const { verdicts } = await outcomeNamed(
      'a name that does not exist is one finding, and nothing else applies',
    );
    const others = (Object.keys(verdicts) as DnsCheckCode[]).filter((code) => code !== 'domain-not-found');
    expect(others.map((code) => verdicts[code])).toEqual(others.map(() => 'not-applicable'));
  });

  test('a host inside a zone: name servers, SOA and keys do not apply, its CAA is found above', async () => {
    const { fields } = await outcomeNamed('a host inside a zone has no name servers of its own');
    expect(fields).toMatchObject({
      ns: { state: 'not-applicable', zone: 'good.test' },
      soa: { state: 'not-applicable' },
      dnssec: { status: 'secure' },
      caa: { state: 'ok', at: 'good.test', issue: ['ca.example'] },
    });
  });

  test('the score is the mean of both halves, and a finding takes its share of it', async () => {
    const { score, scoreEffects, fields } = await outcomeNamed('a server without TCP loses long answers');
    const { dnsScore, mailScore } = fields as { dnsScore: number; mailScore: number };
    expect(dnsScore).toBe(70);
    expect(score).toBe(Math.round((dnsScore + mailScore) / 2));
    expect(scoreEffects?.['ns-tcp-missing']).toBe(-15);
    const lost = Object.values(scoreEffects ?? {}).reduce((sum, effect) => sum + effect, 0);
    expect(100 + lost).toBeCloseTo(score ?? 0, -0.5);
  });

  test.for(cases)('$name: what the findings take is what is missing from the score', async ({ name }) => {
    const { score, scoreEffects = {} } = await outcomeNamed(name);
    const taken = Object.values(scoreEffects).reduce((sum, effect) => sum + effect, 0);
    // A tenth of a point is lost by rounding at each finding, a whole one at most by the score's own.
    expect(Math.abs(100 + taken - (score ?? 100))).toBeLessThan(1.5);
  });

  test('where mail could not be seen, the score is that of the DNS half', async () => {
    const { score, scoreEffects } = await outcomeNamed(
      'a zone that the resolver refuses is bogus, and all else is judged without checking',
    );
    expect(score).toBe(50);
    expect(scoreEffects?.['dnssec-bogus']).toBe(-50);
  });

  test('a missing DS is given ready to paste, and it is the right one', async () => {
    const { verdicts } = await outcomeNamed('a signed zone that the parent does not know');
    const [, , , ...words] = dsLine('good.test', keySigning).split(' ');
    expect(verdicts['dnssec-ds-missing']).toMatchObject({
      fix: { record: { name: 'good.test', type: 'DS', value: words.join(' ') } },
    });
  });

  test('report and options can be written down as JSON Schema, every part once', async () => {
    const report = z.toJSONSchema(z.looseObject(dnsReportShape));
    expect(Object.keys(report.$defs ?? {})).toEqual(
      expect.arrayContaining(['DnsRecord', 'NameServers', 'Soa', 'Dnssec', 'Caa']),
    );
    expect(z.toJSONSchema(dnsCheck.options, { io: 'input' })).toMatchObject({
      properties: { dkimSelector: { maxItems: 10 } },
    });
  });

  test('the shape of the DNS half names every field it gives', async () => {
    const { fields } = await outcomeNamed('a domain in which everything is well breaks nothing');
    expect(Object.keys(dnsHalfShape).filter((name) => !(name in fields))).toEqual([]);
  });
});
