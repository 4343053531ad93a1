import type { Report } from '../../model/report.ts';
import { type Severity, severities } from '../../model/verdict.ts';
import { type Markup, markup } from '../markup.ts';
import { scoreWords, severityWords } from '../report-words.ts';
import { cut } from '../visible-text.ts';

/** The score as an arc of a half circle, with the number and the grade as text. */
export function scoreGauge(report: Report): Markup {
  const { score, grade } = report;
  const arc = 'M20 110 A90 90 0 0 1 200 110';
  const words = `Score: ${scoreWords(report)}`;
  return markup`<svg class="gauge ${toneOfGrade(grade)}" width="220" viewBox="0 0 220 130" role="img" aria-label="${words}">
<path class="track" stroke-width="16" d="${arc}"/>
<path class="arc" stroke-width="16" pathLength="100" stroke-dasharray="${score ?? 0} 101" d="${arc}"/>
<text x="110" y="92" text-anchor="middle" font-size="44" font-weight="700">${grade ?? '–'}</text>
<text class="quiet" x="110" y="120" text-anchor="middle" font-size="16">${score === null ? 'no score' : `${score} of 100`}</text>
</svg>`;
}

/** The letter knows of limits that the points do not. */
function toneOfGrade(grade: string | null): string {
  if (grade === null) return 'info';
  if (grade.startsWith('A')) return 'pass';
  return /^[BC]/.test(grade) ? 'medium' : 'high';
}

type Bar = { readonly label: string; readonly value: number; readonly text: string; readonly tone: string };

/** How many findings each severity has. */
export function severityBars(summary: { readonly [S in Severity]: number }): Markup {
  const most = Math.max(1, ...severities.map((severity) => summary[severity]));
  const rows = severities.map((severity) => ({
    label: severityWords[severity],
    value: summary[severity] / most,
    text: String(summary[severity]),
    tone: severity,
  }));
  return bars('Findings by severity', rows);
}

/** The score of each category of a report that has some. */
export function categoryBars(
  categories: readonly {
    readonly name: string;
    readonly score: number | null;
    readonly grade: string | null;
  }[],
): Markup {
  const rows = categories.map(({ name, score, grade }) => ({
    label: cut(name, 24),
    value: (score ?? 0) / 100,
    text: score === null ? 'no score' : String(score),
    tone: toneOfGrade(grade),
  }));
  return bars('Score by category', rows);
}

const rowHeight = 24;
const barStart = 124;
const barWidth = 136;

function bars(title: string, rows: readonly Bar[]): Markup {
  const words = `${title}: ${rows.map(({ label, text }) => `${label} ${text}`).join(', ')}`;
  return markup`<svg class="bars" width="340" viewBox="0 0 340 ${rows.length * rowHeight}" role="img" aria-label="${words}">
${rows.map(drawBar)}</svg>`;
}

function drawBar({ label, value, text, tone }: Bar, index: number): Markup {
  const y = index * rowHeight;
  const width = Math.round(Math.min(1, Math.max(0, value)) * barWidth);
  return markup`<text x="0" y="${y + 16}">${label}</text><rect class="bar-track" x="${barStart}" y="${y + 11}" width="${barWidth}" height="2"/><rect class="bar ${tone}" x="${barStart}" y="${y + 5}" width="${width}" height="14"/><text x="${barStart + barWidth + 8}" y="${y + 16}">${text}</text>
`;
}
