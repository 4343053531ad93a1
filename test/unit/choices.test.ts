import { expect, test } from 'vitest';
import { findSpec } from '#shared/catalogue/registry';
import { queryOfChoices } from '../../api/pages/choices.ts';

const all = 'dns ssl headers performance mail';

test.for([
  { check: 'domain-health', asked: '', chosen: { parts: 'dns ssl' }, query: 'parts=dns&parts=ssl' },
  // Who leaves all of them ticked asks for nothing beyond the usual: naming mail would have its hosts talked to.
  { check: 'domain-health', asked: 'parts=dns', chosen: { parts: all }, query: '' },
  { check: 'domain-health', asked: 'parts=dns', chosen: { parts: 'mail' }, query: 'parts=mail' },
  { check: 'pagespeed-check', asked: '', chosen: { category: 'performance', runs: '1' }, query: '' },
  {
    check: 'pagespeed-check',
    asked: 'url=x&category=seo',
    chosen: { category: 'performance seo', strategy: 'desktop' },
    query: 'url=x&category=performance&category=seo&strategy=desktop',
  },
  { check: 'dns-check', asked: '', chosen: { dkimSelector: 'a, b' }, query: 'dkimSelector=a&dkimSelector=b' },
] as const)('$check asked with $asked, and $chosen chosen: $query', ({ check, asked, chosen, query }) => {
  const spec = findSpec(check);
  expect(spec && queryOfChoices(spec, asked, chosen)).toBe(query);
});
