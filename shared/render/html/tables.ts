import { z } from 'zod';
import type { Report } from '../../model/report.ts';
import type { CheckFormatName } from '../check-formats.ts';
import { labelOf, unitOf } from '../labels.ts';
import { type Markup, markup, nothing } from '../markup.ts';
import { valueWords } from '../report-words.ts';
import { cut, textOf } from '../visible-text.ts';

/** How many values may still be shown; one for a whole section, counted down. */
export type Room = { values: number };

const deepest = 8;
const mostItems = 100;
const mostColumns = 8;
/** Columns of a table that fits a sheet of paper without breaking words. */
const mostPrinted = 5;
const longestValue = 1000;
const longestKey = 200;

/** A wide table may be scrolled sideways, with the keyboard too. */
export function scrollable(label: string, content: Markup): Markup {
  return markup`<div class="scroll" role="region" aria-label="${label}" tabindex="0">${content}</div>`;
}

/** Any JSON as nested tables and lists, bounded in depth, width and number; what is left out is counted. */
export function valueTable(value: unknown, room: Room, depth = 0): Markup {
  room.values -= 1;
  if (room.values < 0) return markup`<span class="more">…</span>`;
  if (typeof value !== 'object' || value === null) return scalar(value);
  const size = Array.isArray(value) ? value.length : Object.keys(value).length;
  if (size === 0) return none('empty');
  if (depth >= deepest) return markup`<span class="more">… ${size} more</span>`;
  if (Array.isArray(value)) return arrayTable(value, room, depth);
  return isDeep(value)
    ? listsBelow(value as Row, room, depth)
    : pairTable(Object.entries(value), room, depth);
}

/** A list of objects: in a cell beside others it would make one row as high as a screen, and a column that a phone does not show. */
function isList(value: unknown): boolean {
  return Array.isArray(value) && value.some((item) => typeof item === 'object' && item !== null);
}

function isDeep(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.values(value).some(isList);
}

/** An object with lists of objects: its other values as a table, and below it each list in its full width. */
function listsBelow(value: Row, room: Room, depth: number): Markup {
  const entries = Object.entries(value).slice(0, mostItems);
  const plain = entries.filter(([, item]) => !isList(item));
  const lists = entries.filter(([, item]) => isList(item));
  return markup`${plain.length > 0 ? pairTable(plain, room, depth) : nothing}${lists.map(
    ([name, list]) =>
      markup`<p class="key">${cut(labelOf(name), longestKey)}</p>${valueTable(list, room, depth + 1)}`,
  )}`;
}

/** The value of a field: a number with the unit that the field's name says. */
function fieldCell(name: string, value: unknown, room: Room, depth: number): Markup {
  const hasUnit = typeof value === 'number' && unitOf(name) !== undefined;
  return valueTable(hasUnit ? valueWords(name, value) : value, room, depth + 1);
}

function scalar(value: unknown): Markup {
  if (value === '') return none('empty');
  if (value === null || value === undefined) return none('none');
  return markup`<bdi class="value">${cut(textOf(value), longestValue)}</bdi>`;
}

function none(word: string): Markup {
  return markup`<span class="none">${word}</span>`;
}

function arrayTable(items: readonly unknown[], room: Room, depth: number): Markup {
  const shown = items.slice(0, mostItems);
  if (shown.every(isPair)) return pairTable(shown, room, depth, items.length - shown.length);
  if (shown.some(isDeep) && shown.every((item) => typeof item === 'object' && !Array.isArray(item)))
    return markup`${shown.map((item) => markup`<div class="piece">${valueTable(item, room, depth + 1)}</div>`)}${more(items.length - shown.length)}`;
  const columns = columnsOf(shown);
  if (columns.length > 0) {
    const rows = shown.map((item) => rowOf(item as Row, columns, room, depth));
    return markup`<table class="${columns.length > mostPrinted ? 'rows many' : 'rows'}"><thead><tr>${columns.map((name) => markup`<th scope="col">${cut(labelOf(name), longestKey)}</th>`)}</tr></thead><tbody>${rows}</tbody></table>${more(items.length - shown.length)}`;
  }
  return markup`<ul>${shown.map((item) => markup`<li>${valueTable(item, room, depth + 1)}</li>`)}</ul>${more(items.length - shown.length)}`;
}

type Row = { readonly [name: string]: unknown };

function rowOf(row: Row, columns: readonly string[], room: Room, depth: number): Markup {
  const cells = columns.map((name) =>
    Object.hasOwn(row, name)
      ? markup`<td data-label="${cut(labelOf(name), longestKey)}">${fieldCell(name, row[name], room, depth)}</td>`
      : markup`<td></td>`,
  );
  return markup`<tr>${cells}</tr>`;
}

function pairTable(
  pairs: readonly (readonly [string, unknown])[],
  room: Room,
  depth: number,
  left = Math.max(0, pairs.length - mostItems),
): Markup {
  const rows = pairs
    .slice(0, mostItems)
    .map(
      ([name, value]) =>
        markup`<tr><th scope="row">${cut(labelOf(name), longestKey)}</th><td>${fieldCell(name, value, room, depth)}</td></tr>`,
    );
  return markup`<table class="pairs"><tbody>${rows}</tbody></table>${more(left)}`;
}

/** Header fields and the like: `[name, value]`. */
function isPair(item: unknown): item is readonly [string, string] {
  return Array.isArray(item) && item.length === 2 && item.every((part) => typeof part === 'string');
}

/** The names of a table's columns, where every item is an object and few names do for all of them; else none. */
function columnsOf(items: readonly unknown[]): readonly string[] {
  const names = new Set<string>();
  for (const item of items) {
    if (typeof item !== 'object' || item === null || Array.isArray(item)) return [];
    // What no row has is no column.
    for (const [name, value] of Object.entries(item))
      if (value !== '' && !(Array.isArray(value) && value.length === 0)) names.add(name);
    if (names.size > mostColumns) return [];
  }
  return [...names];
}

function more(count: number): Markup {
  return count > 0 ? markup`<p class="more">… ${count} more</p>` : nothing;
}

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
  format: CheckFormatName | 'json',
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
type Forms = { readonly wide: Markup; readonly upright?: Markup; readonly table: Markup };

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
