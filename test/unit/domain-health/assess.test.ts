import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { dnsCheck } from '#shared/catalogue/dns-check/spec';
import { domainHealthReportShape } from '#shared/catalogue/domain-health/report';
import { type HealthCode, rules } from '#shared/catalogue/domain-health/rules';
import { domainHealth } from '#shared/catalogue/domain-health/spec';
import { categoryNames, categoryWeights } from '#shared/catalogue/domain-health/weights';
import { pagespeedCheck } from '#shared/catalogue/pagespeed-check/spec';
import { redirectCheck } from '#shared/catalogue/redirect-check/spec';
import { securityHeaderCheck } from '#shared/catalogue/security-header-check/spec';
import { sslCheck } from '#shared/catalogue/ssl-check/spec';
import { assessHealth } from '#shared/health/assess';
import type { Source } from '#shared/health/evidence';
import { limits } from '#shared/health/judge/caps';
import { isWorse } from '#shared/health/judge/score';
import { listVerdicts } from '#shared/model/finding';
import { envelopeShape } from '#shared/model/report';
import { gradeOf } from '#shared/model/score';
import { codesBroken, codesOf, isBroken, type Verdict } from '#shared/model/verdict';
import { cases } from './cases.ts';

const own = z.object(domainHealthReportShape).omit({ target: true });
const judge = (evidence: (typeof cases)[number]['evidence']) => {
  const assessment = assessHealth(evidence);
  return { ...assessment, fields: own.parse(assessment.fields) };
};

test('no two rows have one name', () => {
  expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length);
});

test.for(cases)(
  '$name',
  ({ evidence, broken, score, grade, state = 'complete', coverage = 1, states = {} }) => {
    const seen = judge(evidence);
    expect(codesBroken(seen.verdicts)).toEqual(codesOf(rules).filter((code) => broken.includes(code)));
    expect({
      score: seen.score,
      grade: seen.grade,
      state: seen.state,
      coverage: seen.fields.coverage,
    }).toEqual({
      score,
      grade,
      state,
      coverage,
    });
    const notOk = categoryNames.flatMap((name) => {
      const category = seen.fields.categories[name];
      return category.state === 'ok' ? [] : [[name, category.state] as const];
    });
    expect(Object.fromEntries(notOk)).toEqual(states);
  },
);

test.for(cases)('every placeholder is filled: $name', ({ evidence }) => {
  const { verdicts, fields } = judge(evidence);
  const { findings } = listVerdicts(rules, verdicts);
  const texts = [...findings.map(({ detail }) => detail), ...fields.caps.map(({ reason }) => reason)];
  expect(texts.filter((text) => /\{\w*\}|null|undefined|\.\.|: *\./.test(text))).toEqual([]);
});

test.for(cases)('a score is there just where a category was seen: $name', ({ evidence }) => {
  const { categories } = judge(evidence).fields;
  for (const name of categoryNames) {
    const { state, score, grade, reason } = categories[name];
    expect(score !== null).toBe(state === 'ok' || state === 'partial');
    expect(grade !== null).toBe(score !== null);
    expect(state === 'ok' || /\w/.test(reason ?? '')).toBe(true);
  }
});

test.for(cases)('score and grade differ only by caps that are told: $name', ({ evidence }) => {
  const { score, grade, verdicts, fields } = judge(evidence);
  const { gradeBeforeCaps, caps } = fields;
  expect([gradeOf(score ?? null, false), gradeOf(score ?? null, true)]).toContain(gradeBeforeCaps);
  const worst = caps.reduce(
    (kept, { limit }) => (kept !== null && isWorse(limit, kept) ? limit : kept),
    gradeBeforeCaps,
  );
  expect(grade).toBe(worst);
  expect([...new Set(caps.map(({ code }) => code))].sort()).toEqual(
    codesBroken(verdicts)
      .filter((code) => limits[code] !== undefined)
      .sort(),
  );
});

const shapes = new Map(
  [dnsCheck, sslCheck, securityHeaderCheck, pagespeedCheck, redirectCheck].map(({ name, reportShape }) => [
    name,
    z.looseObject({ ...envelopeShape, ...reportShape }),
  ]),
);

test.for(cases.filter(({ name }) => !name.includes('unknown shape')))(
  'the reports of the parts have the shape that their checks promise: $name',
  ({ evidence }) => {
    const { dns, ssl, headers, performance, redirects } = evidence;
    const parts: readonly Source[] = [dns, ssl, headers, performance, ...redirects.map(({ part }) => part)];
    for (const part of parts) {
      if ('unavailable' in part || part.report.state === 'failed') continue;
      expect(shapes.get(part.report.check)?.safeParse(part.report).error).toBeUndefined();
    }
  },
);

describe('each rule has a row', () => {
  const kinds = new Map<HealthCode, Set<string>>(codesOf(rules).map((code) => [code, new Set()]));
  for (const { evidence } of cases) {
    const { verdicts } = assessHealth(evidence);
    for (const code of codesOf(rules)) kinds.get(code)?.add(kindOf(verdicts[code]));
  }
  const rulesWithout = (kind: string) => codesOf(rules).filter((code) => !kinds.get(code)?.has(kind));

  test('for broken', () => {
    expect(rulesWithout('broken')).toEqual([]);
  });
  test('for holds', () => {
    expect(rulesWithout('holds')).toEqual([]);
  });
  test('for notTested, but the one that tells what was not looked at', () => {
    expect(rulesWithout('notTested')).toEqual(['coverage-incomplete']);
  });
  test('for not-applicable, but the one that asks of every domain whether it exists', () => {
    expect(rulesWithout('not-applicable')).toEqual(['domain-not-found']);
  });
});

function kindOf(verdict: Verdict): string {
  if (typeof verdict === 'string') return verdict;
  return isBroken(verdict) ? 'broken' : 'notTested';
}

test('nothing holds where nothing was seen', () => {
  const blank = cases.find(({ name }) => name.startsWith('nothing at all'));
  const verdicts = blank ? assessHealth(blank.evidence).verdicts : {};
  expect(Object.values(verdicts)).not.toContain('holds');
});

describe('the tables', () => {
  test('the weights are 100 together', () => {
    expect(Object.values(categoryWeights).reduce((sum, weight) => sum + weight, 0)).toBe(100);
  });
  test('no rule takes points: the parts have taken them', () => {
    expect(codesOf(rules).filter((code) => rules[code].points !== 0)).toEqual([]);
  });
  test('the promise is the one of the contract', () => {
    const { name, targetKind, queue, freshForS, waitS, refreshFloorS } = domainHealth;
    expect({ name, targetKind, queue, freshForS, waitS, refreshFloorS }).toEqual({
      name: 'domain-health',
      targetKind: 'domain',
      queue: 'composite',
      freshForS: 300,
      waitS: 50,
      refreshFloorS: 30,
    });
    expect([domainHealth.cost({}), domainHealth.runLimitMs()]).toEqual([5, 50_000]);
  });
});
