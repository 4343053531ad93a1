import type { Report } from '../../model/report.ts';
import { expiriesOf, expiryWords, leftWords } from '../expiries.ts';
import { type Markup, markup, nothing } from '../markup.ts';
import { timeWords } from '../report-words.ts';
import { scrollable } from './value.ts';

/** What ends when, the earliest first. Nothing where the report tells of nothing. */
export function expiriesSection(report: Report): Markup {
  const expiries = expiriesOf(report);
  if (expiries.length === 0) return nothing;
  const rows = expiries.map(
    (expiry) =>
      markup`<tr><th scope="row">${expiryWords(expiry)}</th><td class="number">${leftWords(expiry)}</td><td><time datetime="${expiry.expiresAt}">${timeWords(expiry.expiresAt)}</time></td><td>${expiry.state}</td></tr>
`,
  );
  return markup`<section id="expiries"><h2>What expires</h2>
${scrollable(
  'What expires',
  markup`<table><thead><tr><th scope="col">What</th><th scope="col">Left</th><th scope="col">When</th><th scope="col">State</th></tr></thead><tbody>
${rows}</tbody></table>`,
)}</section>
`;
}
