import { z } from 'zod';
import type { Report } from '../../../model/report.ts';
import { type Markup, markup } from '../../markup.ts';
import { scrollable } from '../value.ts';

/** Where another report can be read; undefined where there is no such page. */
export type LinkOfReport = ((reportId: string) => string) | undefined;

/** The address of a report's page; undefined without one, and for what has not the form of an id. */
export function addressOf(reportId: string | undefined, linkOfReport: LinkOfReport): string | undefined {
  return reportId !== undefined && /^[\w-]{1,64}$/.test(reportId) ? linkOfReport?.(reportId) : undefined;
}

/** A picture with the same facts as a table, for those who do not see it. */
export function figure(title: string, picture: Markup, table: Markup): Markup {
  return markup`<section class="picture"><h2>${title}</h2>
${scrollable(title, picture)}
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
  return markup`<table><thead><tr>${heads.map((head) => markup`<th scope="col">${head}</th>`)}</tr></thead><tbody>
${rows.map(
  ([first, ...rest]) =>
    markup`<tr><th scope="row">${first ?? ''}</th>${rest.map((cell) => markup`<td>${cell}</td>`)}</tr>
`,
)}</tbody></table>`;
}

/** A word with a mark, so that colour is never the only difference. */
export function verdictWord(isGood: boolean | null, words: string): Markup {
  const tone = isGood === null ? 'info' : isGood ? 'pass' : 'high';
  const sign = isGood === null ? '–' : isGood ? '✓' : '✗';
  return markup`<span class="severity ${tone}"><span aria-hidden="true">${sign}</span> ${words}</span>`;
}

/** Own fields of a report as their check promises them; undefined where the stored report has others, as one of an older release may. */
export function readFields<Shape extends z.ZodRawShape>(
  report: Report,
  shape: Shape,
): z.infer<z.ZodObject<Shape>> | undefined {
  const parsed = z.object(shape).safeParse(report);
  return parsed.success ? parsed.data : undefined;
}
