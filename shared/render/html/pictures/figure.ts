import { z } from 'zod';
import type { Report } from '../../../model/report.ts';
import type { CheckFormatName } from '../../formats.ts';
import { type Markup, markup, nothing } from '../../markup.ts';
import { scrollable } from '../value.ts';

/** Where other reports can be read; a file that stands alone has no such pages. */
export type Links = {
  /** The page of a report by its id. */
  readonly ofReport?: (reportId: string) => string;
  /** The page of a part's report by its id, where readers of the whole may read it. */
  readonly ofPart?: (reportId: string) => string;
  /** The page of a check and a domain or URL. */
  readonly ofTarget?: (check: string, target: string) => string;
};

/** The address of a report's page; undefined without one, and for what has not the form of an id. */
export function addressOf(reportId: string | undefined, { ofReport }: Links): string | undefined {
  return reportId !== undefined && /^[\w-]{1,64}$/.test(reportId) ? ofReport?.(reportId) : undefined;
}

/** A link to the report as a file of this format; nothing where the report has no address, as in a file. */
export function exportLink(
  { reportId }: Pick<Report, 'reportId'>,
  links: Links,
  format: CheckFormatName,
  words: string,
): Markup {
  const address = addressOf(reportId, links);
  if (address === undefined) return nothing;
  return markup`<p class="hint"><a href="${address}/export?format=${format}" rel="nofollow" download>${words}</a></p>
`;
}

/** The address of the report of a part: itself, or the page of what it is about. */
export function addressOfPart(
  {
    check,
    target,
    reportId,
  }: { readonly check: string; readonly target: string; readonly reportId?: unknown },
  links: Links,
): string | undefined {
  const { ofPart, ofTarget } = links;
  const own = typeof reportId === 'string' && ofPart ? addressOf(reportId, { ofReport: ofPart }) : undefined;
  return own ?? ofTarget?.(check, target);
}

/** The forms of a picture: a wide one, one from top to bottom for a phone, and the same facts as a table for those who see neither. */
export type Forms = { readonly wide: Markup; readonly upright?: Markup; readonly table: Markup };

/** A picture in its forms. */
export function figure(title: string, { wide, upright, table }: Forms): Markup {
  const picture = scrollable(title, wide);
  return markup`<section class="picture"><h2>${title}</h2>
${upright ? markup`<div class="wide">${picture}</div><div class="upright">${upright}</div>` : picture}
<details><summary>${title} as a table</summary>${scrollable(`${title} as a table`, table)}</details></section>
`;
}

/** Facts that are best read as a table, with a title. */
export function tableSection(title: string, table: Markup): Markup {
  return markup`<section class="picture"><h2>${title}</h2>
${scrollable(title, table)}</section>
`;
}

/** A table of cells that are markup, with the first of each row as its head. */
export function cellTable(heads: readonly string[], rows: readonly (readonly Markup[])[]): Markup {
  return markup`<table class="rows"><thead><tr>${heads.map((head) => markup`<th scope="col">${head}</th>`)}</tr></thead><tbody>
${rows.map(
  ([first, ...rest]) =>
    markup`<tr><th scope="row">${first ?? ''}</th>${rest.map((cell, index) => markup`<td data-label="${heads[index + 1] ?? ''}">${cell}</td>`)}</tr>
`,
)}</tbody></table>`;
}

/** Own fields of a report as their check promises them; undefined where the stored report has others, as one of an older release may. */
export function readFields<Shape extends z.ZodRawShape>(
  report: Report,
  shape: Shape,
): z.infer<z.ZodObject<Shape>> | undefined {
  const parsed = z.object(shape).safeParse(report);
  return parsed.success ? parsed.data : undefined;
}
