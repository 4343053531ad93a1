import type { Report } from '../../model/report.ts';
import { expiriesOf, expiryStateWords, expiryWords, leftWords } from '../expiries.ts';
import { type Markup, markup, nothing } from '../markup.ts';
import { timeWords } from '../report-words.ts';
import { cellTable, exportLink, type Links } from './pictures/figure.ts';
import { scrollable } from './value.ts';

/** What ends when, the earliest first, and where a calendar of it is. Nothing where the report tells of nothing. */
export function expiriesSection(report: Report, links: Links): Markup {
  const expiries = expiriesOf(report);
  if (expiries.length === 0) return nothing;
  const rows = expiries.map((expiry) => [
    markup`${expiryWords(expiry)}`,
    markup`${leftWords(expiry)}`,
    markup`<time datetime="${expiry.expiresAt}">${timeWords(expiry.expiresAt)}</time>`,
    markup`${expiryStateWords[expiry.state]}`,
  ]);
  return markup`<section id="expiries"><h2>What expires</h2>
${scrollable('What expires', cellTable(['What', 'Left', 'When', 'State'], rows))}${exportLink(report, links, 'ics', 'Save these dates as a calendar')}</section>
`;
}
