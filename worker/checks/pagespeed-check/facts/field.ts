import type { CategoryName } from '#shared/catalogue/pagespeed-check/categories';
import type { FieldObservation } from '../../../probes/browser/port.ts';
import { isRemote, type PagespeedEvidence } from '../evidence.ts';

/** Field data and who told it. */
export type ChosenField = { readonly provider: 'crux' | 'psi'; readonly observation: FieldObservation };

/** What the Chrome UX Report told; else what came with the answer of PageSpeed Insights, which has it from there. */
export function readField({ field, runs }: PagespeedEvidence): ChosenField {
  const remote = runs.find(isRemote);
  if (field.kind === 'record' || !remote) return { provider: 'crux', observation: field };
  return { provider: 'psi', observation: remote.field };
}

/** The categories that were asked for; older versions judged performance alone. */
export function readAsked({ categories }: PagespeedEvidence): readonly CategoryName[] {
  return categories ?? ['performance'];
}
