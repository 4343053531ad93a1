import { expect, test } from 'vitest';
import {
  type CategoryName,
  categoryNames,
  judgedElsewhere,
} from '#shared/catalogue/pagespeed-check/categories';
import { pagespeedOptions } from '#shared/catalogue/pagespeed-check/options';
import {
  type CategoryCode,
  categoryAudits,
  type PagespeedCode,
} from '#shared/catalogue/pagespeed-check/rules';
import { findSpec } from '#shared/catalogue/registry';
import { codesBroken, codesOf, type Verdict } from '#shared/model/verdict';
import { assessPagespeed } from '../../../worker/checks/pagespeed-check/assess.ts';
import type { PagespeedEvidence } from '../../../worker/checks/pagespeed-check/evidence.ts';
import type { AuditObservation, CategoriesObservation } from '../../../worker/probes/browser/port.ts';
import { gaveUp, load, seen } from './evidence-kit.ts';

const all = [...categoryNames];
const codes = codesOf(categoryAudits);
const place = { selector: 'img', snippet: '<img src="/a.png">' };

const audit = (id: string, change: Partial<AuditObservation> = {}): AuditObservation => ({
  id,
  title: id,
  score: 1,
  mode: 'binary',
  display: null,
  value: null,
  savings: {},
  savedBytes: null,
  items: [],
  itemCount: 0,
  ...change,
});

/** A fast page of which Lighthouse judged these audits in every category. */
function judged(
  asked: readonly CategoryName[],
  audits: readonly AuditObservation[] = codes.map((code) => audit(categoryAudits[code].audit)),
  more: Parameters<typeof load>[0] = {},
): PagespeedEvidence {
  const categories: CategoriesObservation = {
    scores: { accessibility: 0.87, 'best-practices': 1, seo: null, 'agentic-browsing': 0.5 },
    audits,
  };
  return { ...seen(load({ ...more, page: { categories, ...more.page } })), categories: asked };
}

const verdictOf = (evidence: PagespeedEvidence, code: PagespeedCode): Verdict =>
  assessPagespeed(evidence).verdicts[code];

const without = (id: string) =>
  codes.flatMap((code) => (categoryAudits[code].audit === id ? [] : [audit(categoryAudits[code].audit)]));
const changed = (id: string, change: Partial<AuditObservation>) => [...without(id), audit(id, change)];

test.for(codes)('%s: broken, holds and cannot be told', (code: CategoryCode) => {
  const { audit: id } = categoryAudits[code];
  const failed = changed(id, { score: 0, items: [place], itemCount: 3 });
  expect(codesBroken(assessPagespeed(judged(all, failed)).verdicts)).toEqual([code]);
  expect(verdictOf(judged(all), code)).toBe('holds');
  expect(verdictOf(judged(all, without(id)), code)).toHaveProperty('notTested');
  expect(verdictOf(judged(all, changed(id, { mode: 'error', score: null })), code)).toHaveProperty(
    'notTested',
  );
  expect(verdictOf({ ...seen(gaveUp('NO_FCP')), categories: all }, code)).toHaveProperty('notTested');
  expect(verdictOf(judged(['performance']), code)).toBe('not-applicable');
});

test('a page that ran out of its budget proves nothing good', () => {
  const cut = { traffic: { cut: 'bytes' as const } };
  expect(verdictOf(judged(all, undefined, cut), 'images-without-alt')).toHaveProperty('notTested');
});

test('what Lighthouse only suspects is told where it has a place, and is no fault else', () => {
  const suspected = { mode: 'informative', score: null };
  const told = changed('duplicate-id-aria', { ...suspected, items: [place], itemCount: 1 });
  expect(verdictOf(judged(all, told), 'aria-id-repeated')).toHaveProperty('broken');
  expect(verdictOf(judged(all, changed('duplicate-id-aria', suspected)), 'aria-id-repeated')).toBe(
    'not-applicable',
  );
});

test('a finding names the first place and how many there are', () => {
  const failed = changed('image-alt', { score: 0, items: [place], itemCount: 3 });
  expect(verdictOf(judged(['seo'], failed), 'images-without-alt')).toMatchObject({
    broken: [{ found: 'Found in 3 places; the first is <img src="/a.png">.', items: [place] }],
  });
});

test('score and grade stay those of performance, whatever the other categories find', () => {
  const failed = codes.map((code) => audit(categoryAudits[code].audit, { score: 0 }));
  expect(assessPagespeed(judged(all, failed))).toMatchObject({ score: 100, grade: 'A+' });
});

test('without performance there is no score, and nothing is said of speed', () => {
  const slow = { metrics: { lcp: { value: 9000, score: 0.1 } }, page: { score: 0.3 } };
  const { score, grade, verdicts, fields, scoreEffects } = assessPagespeed(judged(['seo'], undefined, slow));
  expect([score, grade, fields.rating, fields.categories]).toEqual([
    null,
    null,
    null,
    { seo: { score: null, judgedBy: judgedElsewhere.seo } },
  ]);
  expect([verdicts['lcp-poor'], verdicts['images-wasteful'], verdicts['field-vitals-failed']]).toEqual(
    Array.from({ length: 3 }, () => 'not-applicable'),
  );
  expect(scoreEffects).toEqual({});
});

test('the report has the score of each category that was asked for, from 0 to 100', () => {
  expect(assessPagespeed(judged(all)).fields.categories).toMatchObject({
    performance: { score: 100 },
    accessibility: { score: 87 },
    'best-practices': { score: 100 },
    seo: { score: null },
    'agentic-browsing': { score: 50 },
  });
});

test('evidence of an older version is judged for performance', () => {
  expect(assessPagespeed(seen(load())).fields.categories).toEqual({ performance: { score: 100 } });
});

test('no audit is judged twice, and what another check judges exists there', () => {
  const own = codes.map((code) => categoryAudits[code].audit);
  expect(new Set(own).size).toBe(own.length);
  const elsewhere = Object.values(judgedElsewhere).flat();
  expect(elsewhere.filter((one) => own.includes(one.audit))).toEqual([]);
  const unknown = elsewhere.flatMap((one) =>
    one.codes.filter((code) => !Object.hasOwn(findSpec(one.check)?.rules ?? {}, code)),
  );
  expect(unknown).toEqual([]);
});

const parse = (category: readonly string[]) => pagespeedOptions.safeParse({ category });

test.for([
  { given: ['seo'], read: ['seo'] },
  { given: ['seo,performance'], read: ['performance', 'seo'] },
  { given: ['seo', 'accessibility,seo'], read: ['accessibility', 'seo'] },
  { given: ['all'], read: all },
  { given: ['performance,all'], read: all },
])('category $given is $read', ({ given, read }) => {
  expect(parse(given).data?.category).toEqual(read);
});

test.for(['', ',', 'seo,', 'SEO', 'seo, performance', 'pwa', 'alle', 'seo;performance'])(
  'category "%s" is refused',
  (text) => {
    expect(parse([text]).success).toBe(false);
  },
);

test('nothing asked is performance', () => {
  expect(pagespeedOptions.parse({})).toMatchObject({ category: ['performance'] });
});
