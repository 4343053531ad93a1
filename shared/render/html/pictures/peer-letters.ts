import { headerReportShape } from '../../../catalogue/security-header-check/report.ts';
import { sslReportShape } from '../../../catalogue/ssl-check/report.ts';
import type { Report } from '../../../model/report.ts';
import { type Markup, markup, nothing } from '../../markup.ts';
import { titleOf } from '../../report-words.ts';
import { cut } from '../../visible-text.ts';
import { cellTable, readFields, tableSection } from './figure.ts';

const { observatory } = headerReportShape;
const { sslLabsEquivalent, sslLabs } = sslReportShape;
const longestWords = 300;

/** What MDN's HTTP Observatory would say of the same page, test by test. Its words are no verdicts of ours, and so have no marks. */
export function observatorySection(report: Report): Markup {
  const seen = readFields(report, { observatory })?.observatory;
  if (!seen) return nothing;
  const { score, grade, error, tests } = seen;
  const title = 'By the rules of the HTTP Observatory';
  if (score === null || grade === null)
    return markup`<section class="picture"><h2>${title}: no grade</h2><p>${cut(error ?? 'The page was not seen.', longestWords)}</p></section>
`;
  const rows = Object.entries(tests).map(([name, { pass, result, score: points, disputed }]) => [
    markup`${plainWords(name)}`,
    markup`${pass ? 'passed' : 'failed'}`,
    markup`${points > 0 ? `+${points}` : points}`,
    markup`${plainWords(result)}${disputed ? markup`. Our own findings differ.` : nothing}`,
  ]);
  return tableSection(
    `${title}: ${grade}, ${score} points`,
    cellTable(['Test', 'Result', 'Points', 'Why'], rows),
  );
}

/** The letter of the SSL Server Rating Guide, and what it is made of. */
export function sslLabsSection(report: Report): Markup {
  const seen = readFields(report, { sslLabsEquivalent, sslLabs });
  if (!seen?.sslLabs) return nothing;
  const { protocolScore, keyExchangeScore, cipherScore, caps, score } = seen.sslLabs;
  const parts = [
    ['Protocols', protocolScore, '30 %'],
    ['Key exchange', keyExchangeScore, '30 %'],
    ['Cipher strength', cipherScore, '40 %'],
  ] as const;
  const rows = parts.map(([name, points, weight]) => [
    markup`${name}`,
    markup`${points} of 100`,
    markup`${weight}`,
  ]);
  const limits = caps.map(
    ({ letter, code }) => markup`<li>${letterWords(letter)}: ${titleOf(report, code) ?? code}</li>`,
  );
  return markup`${tableSection(
    `By the rules of SSL Labs: ${seen.sslLabsEquivalent ?? 'no letter'}`,
    cellTable(['Part', 'Score', 'Weight'], [...rows, [markup`Together`, markup`${score} of 100`, markup``]]),
  )}${limits.length === 0 ? nothing : markup`<p>What limits the letter:</p><ul>${limits}</ul>\n`}`;
}

function letterWords(letter: string): string {
  if (letter === 'T') return 'T, not trusted';
  return letter === 'M' ? 'M, another name' : `at most ${letter}`;
}

function plainWords(kebab: string): string {
  const text = kebab.replaceAll('-', ' ');
  return cut(`${text.slice(0, 1).toUpperCase()}${text.slice(1)}`, longestWords);
}
