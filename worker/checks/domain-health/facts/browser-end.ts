import { withoutFragment } from '../../../web/location.ts';
import type { EntryPoint } from './entry-points.ts';
import { readSpeedFields } from './fields.ts';
import type { SourceFacts } from './source.ts';

/**
 * The entry points with what a real browser proved of them: from the page at which redirect-check ended, scripts and refreshes sent it on to
 * another, or it stayed there. Of an entry point that ends at another page than the browser came to, the browser says nothing.
 */
export function joinBrowserEnd(
  entries: readonly EntryPoint[],
  performance: SourceFacts,
): readonly EntryPoint[] {
  const { finalUrl = null, sentOn } = (performance.report && readSpeedFields(performance.report)) ?? {};
  if (finalUrl === null || sentOn === undefined) return entries;
  const from = withoutFragment(sentOn?.from ?? finalUrl);
  return entries.map((entry) => {
    const end = entry.fields?.finalUrl ?? null;
    const isSame = entry.end === 'arrived' && end !== null && withoutFragment(end) === from;
    return isSame ? { ...entry, sentOnTo: sentOn?.to ?? null } : entry;
  });
}
