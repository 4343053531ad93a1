import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { mailReportShape } from '#shared/catalogue/dns-check/mail/report';
import { type MailCode, mailRules, mailWeights } from '#shared/catalogue/dns-check/mail/rules';
import { fillDetail, listVerdicts } from '#shared/model/finding';
import { codesBroken, codesOf, isBroken, type Verdict, type Verdicts } from '#shared/model/verdict';
import { assessMail } from '../../../../worker/checks/dns-check/mail/assess.ts';
import { gatherMail } from '../../../../worker/checks/dns-check/mail/gather.ts';
import type { HttpAnswer } from '../../../../worker/probes/http/port.ts';
import { type Case, cases } from './cases.ts';
import { goodPolicy } from './good-zone.ts';
import { bodyOf, contextOf, stubDns, stubWeb } from './zone-literal.ts';

async function judge({
  zone,
  options = {},
  http = {},
  web,
  isSigned = true,
  unsigned = [],
  lame = [],
}: Case) {
  const answer = { body: bodyOf(goodPolicy), ...http } as HttpAnswer;
  const evidence = await gatherMail(
    contextOf(stubDns(zone, { isSigned, unsigned, lame }), stubWeb(answer, web), options),
  );
  // What is kept of a run is JSON; the report must be the same after the journey.
  return assessMail(JSON.parse(JSON.stringify(evidence)));
}

const shape = z.object(mailReportShape);
const outcomes = new Map<Case, Awaited<ReturnType<typeof judge>>>();

/** What the check says of a row, looked up once for all tests that only read it. */
async function outcomeOf(row: Case): ReturnType<typeof judge> {
  const outcome = outcomes.get(row) ?? (await judge(row));
  outcomes.set(row, outcome);
  return outcome;
}

function codesNotTested(verdicts: Verdicts<MailCode>): MailCode[] {
  return codesOf(verdicts).filter((code) => {
    const verdict = verdicts[code];
    return typeof verdict === 'object' && 'notTested' in verdict;
  });
}

function isJudged(verdict: Verdict): boolean {
  return verdict === 'holds' || isBroken(verdict);
}

describe('a domain’s mail', () => {
  test.for(cases)('$name', async (row) => {
    const outcome = await judge(row);
    if (!outcomes.has(row)) outcomes.set(row, outcome);
    const { verdicts, score, scoreEffects, fields, isPartial } = outcome;
    const [code, record] = row.record ?? [];
    const verdict = code && verdicts[code];
    expect(codesBroken(verdicts).toSorted()).toEqual([...row.broken].toSorted());
    expect(codesNotTested(verdicts)).toEqual(expect.arrayContaining([...(row.notTested ?? [])]));
    expect((row.unjudged ?? []).filter((one) => isJudged(verdicts[one]))).toEqual([]);
    expect(isPartial).toBe(row.isPartial ?? isPartial);
    expect(fields).toMatchObject({
      ...row.fields,
      ...(row.score === undefined ? {} : { mailScore: row.score }),
    });
    expect(verdict && isBroken(verdict) ? verdict.fix?.record : undefined).toEqual(record);
    expect(fields.mailScore).toBe(score);
    expect(Object.keys(scoreEffects).toSorted()).toEqual([...row.broken].toSorted());
    // The effects add up to what is missing from 100, but for rounding.
    const taken = Object.values(scoreEffects).reduce((sum, points) => sum - points, 0);
    expect(Math.abs(100 - taken - (score ?? 100))).toBeLessThan(0.6);
    expect(shape.safeParse(fields).error).toBeUndefined();
    for (const { detail, title } of listVerdicts(mailRules, verdicts).findings)
      // Nothing is missing in a sentence, nor empty.
      expect(`${title} ${detail}`).not.toMatch(/\{\w+\}|undefined|null(?! MX)|  | [,;:)]|\( |“”/);
  });

  test('each rule has a row for broken, for holds and for notTested', async () => {
    const seen = { broken: new Set<string>(), holds: new Set<string>(), notTested: new Set<string>() };
    for (const row of cases) {
      const { verdicts } = await outcomeOf(row);
      for (const code of codesOf(verdicts)) {
        const verdict = verdicts[code];
        if (verdict === 'holds') seen.holds.add(code);
        else if (typeof verdict === 'object') seen['broken' in verdict ? 'broken' : 'notTested'].add(code);
      }
    }
    const without = (set: Set<string>) => codesOf(mailRules).filter((code) => !set.has(code));
    expect({ broken: without(seen.broken), holds: without(seen.holds) }).toEqual({ broken: [], holds: [] });
    expect(without(seen.notTested)).toEqual([]);
  });
});

describe('the table of rules', () => {
  const bands = {
    critical: [50, 50],
    high: [20, 20],
    medium: [9, 9],
    low: [2, 7],
    info: [0, 0],
  } as const;

  test.for(codesOf(mailRules))('%s costs what its severity says', (code) => {
    const { severity, points } = mailRules[code];
    const isFree = mailRules[code].part === 'bimi';
    const [least, most] = isFree ? [0, 0] : bands[severity];
    expect(points).toBeGreaterThanOrEqual(least);
    expect(points).toBeLessThanOrEqual(most);
  });

  test('the parts weigh 100 together', () => {
    expect(mailWeights.reduce((sum, { weight }) => sum + weight, 0)).toBe(100);
  });

  test('titles are facts without a full stop, fixes have no placeholder', () => {
    for (const { title, fix, detail } of Object.values(mailRules)) {
      expect(title).not.toMatch(/[.!]$|\{/);
      expect(fix).toMatch(/\.$/);
      expect(fix).not.toMatch(/\{/);
      expect(fillDetail(detail, {})).toMatch(/\.$/);
    }
  });
});
