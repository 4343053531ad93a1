import type { CategoryName } from '#shared/catalogue/pagespeed-check/categories';
import {
  type CategoryCode,
  categoryAudits,
  type PagespeedCode,
  rules,
} from '#shared/catalogue/pagespeed-check/rules';
import { countOf } from '#shared/model/counts';
import { allOf, brokenBy, codesOf, type Evidence, notTested, type Verdict } from '#shared/model/verdict';
import type { AuditObservation, PageObservation } from '../../../probes/browser/port.ts';
import { textOf } from '../../../probes/browser/untyped.ts';
import { isGood } from '../facts/savings.ts';

/** The parts of the table that speak for performance. */
const performanceParts: readonly string[] = ['metrics', 'field', 'insights'];

/**
 * Judges the categories beside performance by Lighthouse's audits. A rule of a category that was not asked for is not applicable.
 * @param unseen why the page was not seen whole, so that nothing of it holds; null where it was
 */
export function judgeCategories(
  page: PageObservation | undefined,
  asked: readonly CategoryName[],
  unseen: string | null,
): Record<CategoryCode, Verdict> {
  const verdicts = codesOf(categoryAudits).map((code): [CategoryCode, Verdict] => {
    const { audit, categories } = categoryAudits[code];
    if (!categories.some((name) => asked.includes(name))) return [code, 'not-applicable'];
    const verdict = page ? judgeAudit(audit, page) : notTested('the page could not be measured');
    return [code, unseen !== null && verdict === 'holds' ? notTested(unseen) : verdict];
  });
  return Object.fromEntries(verdicts) as Record<CategoryCode, Verdict>;
}

/** Nothing is said of performance where it was not asked for. */
export function leaveOutPerformance(): Partial<Record<PagespeedCode, Verdict>> {
  const told = codesOf(rules).filter((code) => performanceParts.includes(rules[code].part ?? ''));
  return allOf(Object.fromEntries(told.map((code) => [code, 0])), 'not-applicable');
}

function judgeAudit(id: string, { categories }: PageObservation): Verdict {
  const audit = categories?.audits.find((one) => one.id === id);
  if (!audit) return notTested('this version of Lighthouse does not report it');
  const { mode, score, itemCount } = audit;
  if (mode === 'error') return notTested('Lighthouse could not run this audit');
  if (mode === 'notApplicable' || mode === 'manual') return 'not-applicable';
  // What axe only suspects, and what WebMCP would offer: told where there is a place for it.
  if (mode === 'informative') return itemCount > 0 ? brokenBy([show(audit)]) : 'not-applicable';
  if (score === null) return 'not-applicable';
  return isGood(score) ? 'holds' : brokenBy([show(audit)]);
}

function show({ id, items, itemCount, score }: AuditObservation): Evidence {
  return { audit: id, found: tellPlaces(items, itemCount), score, items: items.slice(0, 5) };
}

/** Where it is so, as a sentence: of a page as a whole there is no place. */
function tellPlaces(items: readonly Evidence[], count: number): string {
  const [first] = items;
  if (!first || count === 0) return 'Lighthouse found it in the page.';
  const place = ['snippet', 'url', 'sourceURL', 'href', 'source', 'description', 'issueType', 'value', 'name']
    .map((key) => textOf(first[key]))
    .find((text) => text !== '');
  const places = countOf(count, 'place');
  const [cause] = Array.isArray(first['related']) ? (first['related'] as readonly unknown[]) : [];
  const because = typeof cause === 'string' ? `, because of ${cause}` : '';
  return place === undefined ? `Found in ${places}.` : `Found in ${places}; the first is ${place}${because}.`;
}
