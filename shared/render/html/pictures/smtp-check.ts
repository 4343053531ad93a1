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
  return tableSection('Mail hosts', cellTable(['Mail host', ...mailHeads], rows.map(rowOf)));
}

function rowOf({ host, address, cells }: MailRow): readonly Markup[] {
  return [
    markup`${breakable(cut(host, 100))}${address === null ? nothing : markup`<br>${breakable(cut(address, 45))}`}`,
    ...cells.map(({ words, marked }) => verdictWord(marked, cut(words, 120))),
  ];
}

/** A name or address that a narrow column breaks behind its dots and colons. */
function breakable(name: string): Markup {
  const pieces = name.split(/(?<=[.:])/);
  return markup`<bdi class="value">${pieces.map((piece, at) => (at === 0 ? markup`${piece}` : markup`<wbr>${piece}`))}</bdi>`;
}
