import { categoryWords } from '../../../catalogue/domain-health/category-words.ts';
import { domainHealthReportShape } from '../../../catalogue/domain-health/report.ts';
import { type CategoryName, categoryNames } from '../../../catalogue/domain-health/weights.ts';
import { countOf } from '../../../model/counts.ts';
import type { Report } from '../../../model/report.ts';
import { severities } from '../../../model/verdict.ts';
import {
  adviceOf,
  alsoEnds,
  capWords,
  type DomainFault,
  faultOf,
  faultsOf,
  gainWords,
  groupByCategory,
  partFindingsOf,
  type ToldFinding,
  togetherWords,
} from '../../health.ts';
import { partLabelOf } from '../../labels.ts';
import { type Markup, markup, nothing } from '../../markup.ts';
import { pointsWords } from '../../report-words.ts';
import { clip, cut } from '../../visible-text.ts';
import { evidenceValues, findingCard } from '../findings.ts';
import {
  addressOfPart,
  cellTable,
  figure,
  type Links,
  type Room,
  readFields,
  tableSection,
} from '../tables.ts';
import {
  codesWhere,
  type Marked,
  markOfFindings,
  markOfThing,
  tonedBy,
  unjudged,
  verdictWord,
} from './verdict-marks.ts';

const longestText = 1000;

/** The findings of a domain, ready for its page. */
type HealthPage = {
  /** Why the letter is not that of the points. */
  readonly cap: Markup;
  /** What to do first. */
  readonly raise: Markup;
  /** Every fault once, under its category. */
  readonly findings: Markup;
  /** How many faults there are, and how many of each severity. */
  readonly faults: readonly DomainFault[];
};

/** What a page shows of a domain-health in place of its own findings, which only sum up; undefined for every other report. */
export function healthPage(report: Report, links: Links): HealthPage | undefined {
  const faults = faultsOf(report);
  if (!faults) return undefined;
  return {
    cap: capNotice(report),
    raise: raiseSection(report, faults),
    findings: faultSections(faults, links),
    faults,
  };
}

function capNotice(report: Report): Markup {
  const words = capWords(report);
  return words === undefined
    ? nothing
    : markup`<p class="notice">${cut(words, longestText)}</p>
`;
}

function raiseSection(report: Report, faults: readonly DomainFault[]): Markup {
  const advice = adviceOf(report);
  if (!advice || advice.raise.length === 0) return nothing;
  const items = advice.raise.map((entry) => {
    const fault = faultOf(entry, faults);
    const title = fault
      ? markup`<a href="#${idOf(faults, fault)}">${cut(fault.main.title, longestText)}</a>`
      : markup`${entry.findings[0]?.code ?? ''}`;
    return markup`<li><p class="what">${title}</p>
<p>${cut(entry.fix.text, longestText)}</p>
<p class="gain">${gainWords(entry, report)}</p></li>
`;
  });
  const together = togetherWords(advice);
  return markup`<section class="raise" id="raise"><h2>What would raise it most</h2>
<ol>
${items}</ol>
${together === undefined ? nothing : markup`<p class="together">${together}</p>\n`}</section>
`;
}

function faultSections(faults: readonly DomainFault[], links: Links): Markup {
  const room = { values: evidenceValues };
  const show = (fault: DomainFault) => showFault(faults, fault, links, room);
  const groups = groupByCategory(faults).map(({ name, faults: of }) => {
    const notes = of.filter(isNote);
    const folded =
      notes.length === 0
        ? nothing
        : markup`<details class="notes"><summary>${countOf(notes.length, 'note')}, nothing that must be fixed</summary>
${notes.map(show)}</details>
`;
    return markup`<section><h3>${name}</h3>
${of.filter((fault) => !isNote(fault)).map(show)}${folded}</section>
`;
  });
  return markup`<section id="findings"><h2>Findings</h2>
${groups.length === 0 ? markup`<p>None.</p>` : groups}</section>
`;
}

function isNote({ main, cost }: DomainFault): boolean {
  return main.severity === 'info' && cost === 0;
}

function idOf(faults: readonly DomainFault[], fault: DomainFault): string {
  return `finding-${faults.indexOf(fault) + 1}`;
}

function showFault(faults: readonly DomainFault[], fault: DomainFault, links: Links, room: Room): Markup {
  const { main, cost } = fault;
  return findingCard(main, {
    id: idOf(faults, fault),
    facts: [
      main.part === undefined ? [] : partLabelOf(main.part),
      cost < 0 ? `${pointsWords(cost)} of the domain` : [],
    ].flat(),
    more: markup`${showOthers(fault)}${showReport(fault, links)}`,
    room,
  });
}

function showOthers(fault: DomainFault): Markup {
  const lines = alsoEnds(fault);
  return lines.length === 0
    ? nothing
    : markup`<h5>The same fix also ends</h5><ul>${lines.map(({ text, code }) => markup`<li>${cut(text, longestText)} <code>${code}</code></li>`)}</ul>
`;
}

function showReport({ main }: DomainFault, links: Links): Markup {
  if (main.check === 'domain-health') return nothing;
  const href = addressOfPart(main, links);
  return href === undefined
    ? markup`<p class="from">From ${main.check} of <bdi>${cut(main.target, longestText)}</bdi>.</p>
`
    : markup`<p class="from">From <a href="${href}">${main.check} of <bdi>${cut(main.target, longestText)}</bdi></a>.</p>
`;
}

const { categories, entryPoints } = domainHealthReportShape;
const shape = { categories, entryPoints };
type Health = NonNullable<ReturnType<typeof readHealth>>;
type EntryPoint = Health['entryPoints'][number];
type Category = Health['categories'][CategoryName];
type Drawing = { readonly report: Report; readonly links: Links; readonly parts: readonly ToldFinding[] };

const longestReason = 300;
const mostRows = 20;

/** What the grade is made of, and where each address of the domain ends. */
export function drawHealth(report: Report, links: Links): Markup {
  const health = readHealth(report);
  if (!health) return nothing;
  const drawing = { report, links, parts: partFindingsOf(report) };
  return markup`${categorySection(health, drawing)}${entrySection(health, drawing)}`;
}

function readHealth(report: Report) {
  return readFields(report, shape);
}

function categorySection({ categories: all }: Health, { links, parts }: Drawing): Markup {
  const rows = categoryNames.map((name) => {
    const category = all[name];
    const { grade, score, weight, codes } = category;
    const href = addressOfPart(category.report, links);
    const words =
      href === undefined
        ? markup`${categoryWords[name]}`
        : markup`<a href="${href}">${categoryWords[name]}</a>`;
    return [
      words,
      verdictWord(markOfCategory(name, category, parts), grade === null ? 'no grade' : `${grade} ${score}`),
      markup`${weight} %`,
      markup`${codes.length}`,
      markup`${standingWords(category)}`,
    ];
  });
  return tableSection(
    'Five categories',
    cellTable(['Category', 'Grade', 'Weight', 'Findings', 'State'], rows),
  );
}

const stateWords = {
  ok: 'checked',
  partial: 'checked in part',
  unavailable: 'not checked',
  'not-applicable': 'nothing to check',
  'left-out': 'not asked for',
} as const;

function standingWords({ state, reason }: Category): string {
  return reason === undefined ? stateWords[state] : `${stateWords[state]}: ${cut(reason, longestReason)}`;
}

/** By the findings of its report; by their counts, where an earlier release did not keep them. */
function markOfCategory(
  name: CategoryName,
  { summary, score }: Category,
  parts: readonly ToldFinding[],
): Marked {
  const own = parts.filter(({ category }) => category === name);
  const counted = severities.filter((severity) => (summary?.[severity] ?? 0) > 0);
  if (score === null && own.length === 0) return unjudged;
  const found = own.length > 0 ? own : counted.map((severity) => ({ severity }));
  return { mark: markOfFindings(found), codes: own.map(({ code }) => code) };
}

const rowHeight = 44;
const boxWidth = 260;
const endLeft = 420;
const width = endLeft + boxWidth + 2;

/** http and https, with and without www: where a visitor who starts there ends. */
function entrySection({ entryPoints: all }: Health, drawing: Drawing): Markup {
  if (all.length === 0) return nothing;
  const shown = all.slice(0, mostRows);
  const picture = markup`<svg width="${width}" viewBox="0 0 ${width} ${shown.length * rowHeight}" role="img" aria-label="Where ${countOf(shown.length, 'entry point ends', 'entry points end')}; the table below says the same.">
${shown.map((point, index) => drawEntry(point, index, markOfEntry(point, drawing)))}</svg>`;
  const rows = shown.map((point) => [
    markup`<bdi class="value">${cut(point.url, longestReason)}</bdi>`,
    markup`<bdi class="value">${cut(point.finalUrl ?? '–', longestReason)}</bdi>`,
    verdictWord(markOfEntry(point, drawing), endWords(point)),
    markup`${cut(point.reason ?? '–', longestReason)}`,
  ]);
  const upright = markup`<ul class="ways-in">${shown.map((point) => entryItem(point, markOfEntry(point, drawing)))}</ul>`;
  const table = cellTable(['Start', 'End', 'State', 'Why'], rows);
  return figure('Entry points', { wide: picture, upright, table });
}

const entryCodes = codesWhere(
  'domain-health',
  (code, part) => part === 'entryPoints' || code === 'https-missing',
);

/** By the rules of the entry points that name this one, and by what its own redirect-check found. */
function markOfEntry({ url, finalUrl, state }: EntryPoint, { report, parts }: Drawing): Marked {
  const { mark, codes } = markOfThing(report, entryCodes, [url, ...(finalUrl === null ? [] : [finalUrl])]);
  const own = parts.filter(({ check, target }) => check === 'redirect-check' && target === url);
  const found = markOfFindings(own);
  const isQuiet = state === 'missing' || state === 'unknown';
  const worst = found === 'bad' || mark === 'bad' ? 'bad' : found === 'warned' ? found : mark;
  return {
    mark: isQuiet && worst === 'good' ? 'unknown' : worst,
    codes: [...codes, ...own.map(({ code }) => code)],
  };
}

function entryItem(point: EntryPoint, marked: Marked): Markup {
  const end = endOf(point);
  return markup`<li><bdi class="value"><b>${cut(point.url, longestReason)}</b></bdi><br>${verdictWord(marked, endWords(point))}${end === point.url ? nothing : markup`<br>↳ <bdi class="value">${cut(end, longestReason)}</bdi>`}</li>
`;
}

function endOf({ state, finalUrl, ended }: EntryPoint): string {
  return state === 'missing' ? 'no server answers' : (finalUrl ?? ended ?? 'unknown');
}

function drawEntry(point: EntryPoint, index: number, marked: Marked): Markup {
  const y = index * rowHeight + 6;
  const middle = y + 16;
  return markup`<g ${tonedBy(marked)}><rect class="box" x="1" y="${y}" width="${boxWidth}" height="32" rx="5"/><text x="10" y="${middle + 5}">${shorten(point.url)}</text>
<path class="wire" d="M${boxWidth + 1} ${middle}H${endLeft - 9}"/><path class="band" d="M${endLeft} ${middle}l-9 -5v10z"/><text class="small quiet" x="${(boxWidth + endLeft) / 2}" y="${middle - 5}" text-anchor="middle">${endWords(point)}</text>
<rect class="box" x="${endLeft}" y="${y}" width="${boxWidth}" height="32" rx="5"/><text x="${endLeft + 10}" y="${middle + 5}">${shorten(endOf(point))}</text></g>
`;
}

const endStates = {
  ok: 'reached',
  invalid: 'no page',
  missing: 'nothing there',
  unknown: 'not seen',
} as const;

function endWords({ state, redirects, finalStatus }: EntryPoint): string {
  if (state === 'missing') return 'nothing there';
  const hops = redirects === null ? '' : countOf(redirects, 'redirect');
  return [hops, finalStatus === null ? endStates[state] : `status ${finalStatus}`]
    .filter((part) => part !== '')
    .join(', ');
}

function shorten(text: string): string {
  return text.length > 32 ? `${clip(text, 31)}…` : text;
}
