import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Report } from '#shared/model/report';
import { capWords } from '#shared/render/health';

const report = JSON.parse(readFileSync('test/fixtures/golden/domain-health.json', 'utf8')) as Report;
const capped = (cap: object, change: object = {}): Report => ({
  ...report,
  score: 93,
  grade: 'B',
  gradeBeforeCaps: 'A',
  categories: { ...(report['categories'] as object), dns: { score: 65 } },
  caps: [{ limit: 'B', category: null, code: 'entry-point-broken', reason: 'Nothing answers.', ...cap }],
  ...change,
});

test.for<[string, Report, string | undefined]>([
  [
    'a category with few points',
    capped({ code: 'category-poor', category: 'dns', reason: 'DNS has only 65 of 100 points.' }),
    '93 points would be an A. DNS has only 65, so the grade is B.',
  ],
  [
    'a category of a report that was stored with other words',
    capped({
      code: 'category-failed',
      category: 'dns',
      reason: 'Out of 100 points, the category dns has 65.',
    }),
    '93 points would be an A. DNS has only 65, so the grade is B.',
  ],
  ['any other rule', capped({}), '93 points would be an A, but the grade is B. Nothing answers.'],
  [
    'the article of another letter',
    capped({}, { gradeBeforeCaps: 'C', grade: 'D' }),
    '93 points would be a C, but the grade is D. Nothing answers.',
  ],
  ['a limit above the grade', capped({}, { gradeBeforeCaps: 'B' }), undefined],
  ['no limit', capped({}, { caps: [] }), undefined],
])('what lowers the grade is told once: %s', ([, capped, words]) => {
  expect(capWords(capped)).toBe(words);
});
