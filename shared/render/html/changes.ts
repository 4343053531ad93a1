import type { ReportDiff } from '../../model/diff.ts';
import { type Markup, markup, nothing } from '../markup.ts';
import { timeWords } from '../report-words.ts';
import { cut } from '../visible-text.ts';

const longestTitle = 200;
const mostItems = 10;

type Change = { readonly code: string; readonly title: string };

/** What changed since the report before; nothing where there is no such report. */
export function changesSection(diff: ReportDiff | undefined): Markup {
  if (!diff) return nothing;
  const { added, newlyTested, fixed, noLongerTested, changed } = diff.findings;
  const lists = [
    { words: 'Fixed', tone: 'pass', items: fixed },
    { words: 'New', tone: 'high', items: added },
    { words: 'Found, and not tested before', tone: 'medium', items: newlyTested },
    { words: 'Not tested any more', tone: 'info', items: noLongerTested },
    { words: 'Different', tone: 'low', items: changed.map(({ after }) => after) },
  ].filter(({ items }) => items.length > 0);
  return markup`<section class="changes"><h2>Since the last check</h2>
<p>${deltaWords(diff)} The last check was at <time datetime="${diff.from.checkedAt}">${timeWords(diff.from.checkedAt)}</time>.${diff.rulesChanged ? markup` The rules have changed since, so a difference may be ours.` : nothing}</p>
${lists.length === 0 ? markup`<p>No finding has changed.</p>` : markup`<dl>${lists.map(({ words, tone, items }) => list(words, tone, items))}</dl>`}</section>
`;
}

function list(words: string, tone: string, items: readonly Change[]): Markup {
  const left = items.length - mostItems;
  return markup`<dt class="severity ${tone}">${words} (${items.length})</dt>${items
    .slice(0, mostItems)
    .map(
      ({ title }) => markup`<dd>${cut(title, longestTitle)}</dd>`,
    )}${left > 0 ? markup`<dd class="more">… ${left} more</dd>` : nothing}
`;
}

function deltaWords({ scoreDelta, from, to }: ReportDiff): string {
  if (scoreDelta === null) return 'One of the two checks has no score.';
  if (scoreDelta === 0) return `The score is the same, ${String(to.score)}.`;
  const way = scoreDelta > 0 ? 'better' : 'worse';
  return `The score is ${way}: ${String(from.score)} before, ${String(to.score)} now.`;
}
