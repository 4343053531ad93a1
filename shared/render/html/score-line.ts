import { type Markup, markup, nothing } from '../markup.ts';
import { timeWords } from '../report-words.ts';
import { cellTable, figure } from './pictures/figure.ts';

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
