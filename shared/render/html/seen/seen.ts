import type { Report } from '../../../model/report.ts';
import { labelOf } from '../../labels.ts';
import { type Markup, markup, nothing } from '../../markup.ts';
import { ownFields, targetOf } from '../../report-words.ts';
import { cut } from '../../visible-text.ts';
import { fold } from '../findings.ts';
import { cellTable, exportLink, type Links, scrollable, valueTable } from '../tables.ts';
import { type Fact, factsOf } from './facts.ts';
import { type Cell, type List, listsOf } from './lists.ts';

/** Values shown of the check's own fields, in equal shares; a page of more is not read. */
const fieldValues = 6000;
const leastShare = 100;
const longestLabel = 200;
const longestText = 1000;
/** Rows that are shown without a click. */
const mostOpen = 8;

/** Fields that the sections above tell whole, in words. */
const toldAbove: { readonly [check: string]: readonly string[] } = {
  'domain-health':
    'partFindings expiries raise raisedTo raiseLeftOut worstFindings categories caps gradeBeforeCaps entryPoints'.split(
      ' ',
    ),
  'security-header-check': ['observatory'],
};

/** What was seen, as people read it, and all that is left for machines in one fold at the end. */
export function seenSection(report: Report, links: Links): Markup {
  const facts = factsOf(report);
  const lists = listsOf(report);
  const raw = rawFold(
    rawFields(report, facts, lists),
    exportLink(report, links, 'json', 'The whole report as JSON'),
  );
  if (facts.length === 0 && lists.length === 0 && raw === nothing) return nothing;
  const content = markup`${factTable(facts.filter(({ words }) => words !== targetOf(report)))}${lists.map(listTable)}${raw}`;
  // The parts of a domain tell it on pages of their own.
  if (report.check === 'domain-health') return fold('seen', 'What was seen', content);
  return markup`<section class="picture" id="seen"><h2>What was seen</h2>
${content}</section>
`;
}

function factTable(facts: readonly Fact[]): Markup {
  const rows = facts.map(
    ({ name, words }) =>
      markup`<tr><th scope="row">${labelOf(name)}</th><td><bdi>${cut(words, longestText)}</bdi></td></tr>
`,
  );
  return rows.length === 0
    ? nothing
    : scrollable('What was seen', markup`<table class="pairs"><tbody>${rows}</tbody></table>`);
}

type Field = readonly [name: string, value: unknown];

/** What is reported nowhere else. An object stays where a sentence tells a part of it. */
function rawFields(report: Report, facts: readonly Fact[], lists: readonly List[]): readonly Field[] {
  const above = Object.hasOwn(toldAbove, report.check) ? (toldAbove[report.check] ?? []) : [];
  const whole = new Set([...above, ...lists.map(({ name }) => name)]);
  const told = new Set(facts.map(({ name }) => name));
  const target = targetOf(report);
  return ownFields(report).filter(
    ([name, value]) =>
      value !== target &&
      !whole.has(name) &&
      (!told.has(name) || (typeof value === 'object' && value !== null)),
  );
}

function isEmpty(cell: Cell): boolean {
  return cell == null || cell === '';
}

function listTable({ title, heads, rows }: List): Markup {
  const filled = heads.map((_, at) => rows.some((row) => !isEmpty(row[at])));
  const shown = rows.map((row) =>
    row
      .filter((_, at) => filled[at])
      // A phone shows no empty cell.
      .map((cell) => (isEmpty(cell) ? nothing : markup`<bdi>${cut(String(cell), longestText)}</bdi>`)),
  );
  const table = scrollable(
    title,
    cellTable(
      heads.filter((_, at) => filled[at]),
      shown,
    ),
  );
  // A long table is more than a screen, and few read all of it.
  if (rows.length > mostOpen)
    return markup`<details class="fold"><summary><h3>${title} (${rows.length})</h3></summary>
${table}</details>
`;
  return markup`<h3>${title}</h3>
${table}`;
}

function rawFold(fields: readonly Field[], link: Markup): Markup {
  if (fields.length === 0 && link === nothing) return nothing;
  const share = Math.max(leastShare, Math.floor(fieldValues / (fields.length + 1)));
  let isShortened = false;
  const tables = fields.map(([name, value]) => {
    const room = { values: share };
    const table = valueTable(value, room);
    isShortened ||= room.values < 0;
    return markup`<p class="key">${cut(labelOf(name), longestLabel)}</p>${scrollable(`Raw data: ${cut(labelOf(name), longestLabel)}`, table)}
`;
  });
  const more = isShortened
    ? markup`<p class="more">Shortened: the JSON export has everything.</p>
`
    : nothing;
  return markup`<details class="fields fold" id="raw-data"><summary>Raw data</summary>
${tables}${more}${link}</details>
`;
}
