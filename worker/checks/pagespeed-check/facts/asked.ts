import type { CategoryName } from '#shared/catalogue/pagespeed-check/categories';
import type { PagespeedEvidence } from '../evidence.ts';

/** The categories that were asked for; older versions judged performance alone. */
export function readAsked({ categories }: PagespeedEvidence): readonly CategoryName[] {
  return categories ?? ['performance'];
}
