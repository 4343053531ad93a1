import { light } from './html/palette.ts';
import { markup, printMarkup } from './markup.ts';

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
