import type { Report } from '../../model/report.ts';
import { type Markup, markup, nothing } from '../markup.ts';
import { effectWords, scoreWords } from '../report-words.ts';
import { cut } from '../visible-text.ts';
import { idOf } from './findings.ts';

const longestTitle = 200;
const mostRows = 12;
const barWidth = 120;

/** Why the score is what it is: what each finding took from it, the most first. Nothing where none took any. */
export function costsSection(report: Report): Markup {
  const costly = report.findings
    .filter(({ scoreEffect }) => scoreEffect < 0)
    .toSorted((a, b) => a.scoreEffect - b.scoreEffect);
  if (costly.length === 0) return nothing;
  const most = Math.max(...costly.map(({ scoreEffect }) => -scoreEffect));
  const rows = costly.slice(0, mostRows).map((finding) => {
    const width = Math.max(2, Math.round((-finding.scoreEffect / most) * barWidth));
    return markup`<tr><th scope="row"><a href="#${idOf(report, finding)}">${cut(finding.title, longestTitle)}</a></th><td class="number">${effectWords(finding) ?? ''}</td><td class="cost"><svg class="${finding.severity}" width="${barWidth}" height="10" viewBox="0 0 ${barWidth} 10" aria-hidden="true"><rect class="bar" width="${width}" height="10"/></svg></td></tr>
`;
  });
  const left = costly.length - mostRows;
  return markup`<section class="costs"><h2>Why ${scoreWords(report)}</h2>
<table><thead><tr><th scope="col">Finding</th><th scope="col">Cost</th><th scope="col" class="cost"><span class="unseen">Share</span></th></tr></thead><tbody>
${rows}</tbody></table>
${left > 0 ? markup`<p class="more">… ${left} more</p>` : nothing}</section>
`;
}
