import type { Report } from '../../../model/report.ts';
import { mailHeads, type MailRow, mailRowsOf } from '../../mail-hosts.ts';
import { type Markup, markup, nothing } from '../../markup.ts';
import { cut } from '../../visible-text.ts';
import { cellTable, tableSection } from './figure.ts';
import { verdictWord } from './verdict-marks.ts';

/** Each address of each mail host: whether it talks, encrypts, and proves who it is. */
export function drawMail(report: Report): Markup {
  const rows = mailRowsOf(report);
  if (rows.length === 0) return nothing;
  return tableSection('Mail hosts', cellTable(['Mail host', 'Address', ...mailHeads], rows.map(rowOf)));
}

function rowOf({ host, address, cells }: MailRow): readonly Markup[] {
  return [
    markup`<bdi class="value">${cut(host, 100)}</bdi>`,
    address === null ? markup`none` : markup`<bdi class="value">${cut(address, 45)}</bdi>`,
    ...cells.map(({ words, marked }) => verdictWord(marked, cut(words, 120))),
  ];
}
