import type { Report } from '../../model/report.ts';
import { type Severity, severities } from '../../model/verdict.ts';
import { type Markup, markup, nothing, printMarkup } from '../markup.ts';
import { scoreWords, severityWords, timeWords } from '../report-words.ts';
import { cut } from '../visible-text.ts';
import { light } from './style.ts';
import { cellTable, figure } from './tables.ts';

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

/** A score at a time, Unix ms; null where there was none. */
export type ScorePoint = {
  readonly checkedAt: number;
  readonly score: number | null;
  readonly grade: string | null;
};

const width = 600;
const height = 120;
const left = 34;

/** The scores of a target over its checks as a line, from the second on. */
export function scoreLine(points: readonly ScorePoint[]): Markup {
  const scored = points.flatMap(({ checkedAt, score, grade }) =>
    score === null ? [] : [{ checkedAt, score, grade }],
  );
  const [first] = scored;
  const last = scored.at(-1);
  if (!first || !last || scored.length < 2) return nothing;
  const spanMs = Math.max(1, last.checkedAt - first.checkedAt);
  const places = scored.map(({ checkedAt, score }) => ({
    x: round(left + 8 + ((checkedAt - first.checkedAt) / spanMs) * (width - left - 24)),
    y: yOf(score),
  }));
  const chart = markup`<svg width="${width}" viewBox="0 0 ${width} ${height + 20}" role="img" aria-label="Score of ${scored.length} checks: ${first.score} at first, ${last.score} at last.">
${[0, 50, 100].map((score) => markup`<text class="quiet" x="0" y="${yOf(score) + 4}">${score}</text><path class="track" d="M${left} ${yOf(score)}H${width}"/>`)}
<polyline class="line" points="${places.map(({ x, y }) => `${x},${y}`).join(' ')}"/>
${places.map(({ x, y }) => markup`<circle class="dot" cx="${x}" cy="${y}" r="4"/>`)}</svg>`;
  const rows = scored.map(({ checkedAt, score, grade }) => [
    markup`${timeWords(new Date(checkedAt).toISOString())}`,
    markup`${score}`,
    markup`${grade ?? '–'}`,
  ]);
  const table = cellTable(['Checked', 'Score', 'Grade'], rows);
  return figure('History', { wide: chart, table });
}

function yOf(score: number): number {
  return round(height - (Math.min(100, Math.max(0, score)) / 100) * (height - 16));
}

function round(pixels: number): number {
  return Math.round(pixels * 10) / 10;
}

/** What a badge says: a label, and a grade with its score, null where there is none. */
export type Badge = { readonly label: string; readonly grade: string | null; readonly score: number | null };

/** About how wide a character of 11 px Verdana is, and the space around a text, in pixels. */
const characterWidth = 6.6;
const padding = 8;

/** A badge for a README: one line of SVG text, in colours that can be read on both of its halves. */
export function drawBadge({ label, grade, score }: Badge): string {
  const value = grade === null ? 'no grade' : score === null ? grade : `${grade} ${score}`;
  const [left, right] = [widthOf(label), widthOf(value)];
  const words = `${label}: ${value}`;
  return printMarkup(markup`<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" viewBox="0 0 ${left + right} 20" role="img" aria-label="${words}">
<title>${words}</title>
<path fill="#3b4048" d="M3 0h${left - 3}v20H3a3 3 0 0 1-3-3V3a3 3 0 0 1 3-3z"/>
<path fill="${colourOf(grade)}" d="M${left} 0h${right - 3}a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3H${left}z"/>
<g fill="#ffffff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">
<text x="${padding}" y="14" textLength="${left - 2 * padding}">${label}</text>
<text x="${left + padding}" y="14" font-weight="700" textLength="${right - 2 * padding}">${value}</text>
</g></svg>
`);
}

function widthOf(text: string): number {
  return Math.max(20, Math.round(text.length * characterWidth)) + 2 * padding;
}

function colourOf(grade: string | null): string {
  if (grade === null) return light.info;
  if (grade.startsWith('A')) return light.pass;
  return grade === 'B' || grade === 'C' ? light.medium : light.high;
}
