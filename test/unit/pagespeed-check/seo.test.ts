import { expect, test } from 'vitest';
import { readSeo } from '../../../worker/checks/pagespeed-check/facts/seo.ts';
import type { CategoriesObservation } from '../../../worker/probes/browser/port.ts';

const counted = (robots: number | null) => [
  { id: 'is-crawlable', weight: 93 / 23, score: 1 },
  { id: 'document-title', weight: 1, score: 0 },
  { id: 'robots-txt', weight: robots === null ? 0 : 1, score: robots },
  { id: 'structured-data', weight: 0, score: null },
];
const seen = (
  text: string,
  { status = 200, robots = 0 }: { readonly status?: number | null; readonly robots?: number | null } = {},
): { readonly categories: CategoriesObservation } => ({
  categories: {
    scores: { seo: 0.67 },
    audits: [],
    seo: counted(robots),
    robots: { fault: robots === 0 ? '1 error found' : '', answer: { status, text } },
  },
});

test.for([
  [
    'a field that Lighthouse does not know',
    seen('License: https://a.test/l.xml\nUser-agent: *\nAllow: /'),
    0.83,
    '',
  ],
  ['no field at all', seen('<html>\n<p>not found'), 0.67, '1 error found'],
  ['what Lighthouse takes for a fault and is empty', seen(''), 0.83, ''],
  ['what Lighthouse takes for none', seen('no rules', { robots: 1 }), 0.67, ''],
  ['an answer that never came', seen('', { status: null }), 0.67, '1 error found'],
  ['an error', seen('', { status: 503 }), 0.67, '1 error found'],
  ['one that does not count', seen('', { status: 404, robots: null }), 0.67, ''],
  ['evidence of an older version', { categories: { scores: { seo: 0.91 }, audits: [] } }, 0.91, ''],
  ['another category alone', {}, null, ''],
] as const)('%s', ([, page, score, fault]) => {
  expect(readSeo(page)).toMatchObject({ score, fault });
});
