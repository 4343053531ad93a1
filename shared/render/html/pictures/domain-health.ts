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
  type DomainFixGroup,
  faultOf,
  faultsOf,
  gainWords,
  groupNameOf,
  partFindingsOf,
  type ToldFinding,
  togetherWords,
  unknownGainWords,
} from '../../health.ts';
import { partLabelOf } from '../../labels.ts';
import { type Markup, markup, nothing } from '../../markup.ts';
import { pointsWords, severityWords } from '../../report-words.ts';
import { clip, cut } from '../../visible-text.ts';
import { type Card, fold, severityMark } from '../findings.ts';
import { addressOfPart, cellTable, figure, type Links, readFields, scrollable } from '../tables.ts';
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
  /** What to do first, a line each. */
  readonly raise: Markup;
  /** Every fault once. */
  readonly cards: readonly Card[];
  /** How many faults there are, and how many of each severity. */
  readonly faults: readonly DomainFixGroup[];
};

/** What a page shows of a domain-health in place of its own findings, which only sum up; undefined for every other report. */
export function healthPage(
  report: Report,
  links: Links,
  againOf: (finding: ToldFinding) => Markup,
): HealthPage | undefined {
  const faults = faultsOf(report);
  if (!faults) return undefined;
  return {
    cap: capNotice(report),
    raise: raiseSection(report, faults),
    cards: faults.map((fault) => ({
      finding: fault.main,
      check: fault.main.check,
      id: idOf(faults, fault),
      facts: [
        groupNameOf(fault),
        fault.main.part === undefined || fault.main.check === 'domain-health'
          ? []
          : partLabelOf(fault.main.part),
        fault.cost < 0 ? `${pointsWords(fault.cost)} of the domain` : [],
      ].flat(),
      cost: fault.cost,
      more: markup`${showOthers(fault)}${showReport(fault, links)}`,
      again: againOf(fault.main),
    })),
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

/** Each fix by its name and what it gives: how it is done stands in its card. */
function raiseSection(report: Report, faults: readonly DomainFixGroup[]): Markup {
  const advice = adviceOf(report);
  if (!advice || advice.raise.length === 0) return nothing;
  const items = advice.raise.map((entry) => {
    const fault = faultOf(entry, faults);
    const words = gainWords(entry, report);
    const gain = words === undefined ? nothing : markup` <span class="gain">${words}</span>`;
    const title = fault
      ? markup`<span class="${fault.main.severity}">${severityMark(fault.main.severity)} <span class="severity">${severityWords[fault.main.severity]}</span></span> <a href="#${idOf(faults, fault)}">${cut(fault.main.title, longestText)}</a>`
      : markup`${entry.findings[0]?.code ?? ''}`;
    return markup`<li>${title}${gain}</li>
`;
  });
  const together = togetherWords(advice);
  const unknown = unknownGainWords(advice);
  return markup`<section class="raise" id="raise"><h2>What would raise it most</h2>
<ol>
${items}</ol>
${unknown === undefined ? nothing : markup`<p class="hint">${unknown}</p>\n`}${together === undefined ? nothing : markup`<p class="together">${together}</p>\n`}</section>
`;
}

function idOf(faults: readonly DomainFixGroup[], fault: DomainFixGroup): string {
  return `finding-${faults.indexOf(fault) + 1}`;
}

function showOthers(fault: DomainFixGroup): Markup {
  const lines = alsoEnds(fault);
  return lines.length === 0
    ? nothing
    : markup`<h4>The same fix also ends</h4><ul>${lines.map(({ text, code }) => markup`<li>${cut(text, longestText)} <code>${code}</code></li>`)}</ul>
`;
}

function showReport({ main }: DomainFixGroup, links: Links): Markup {
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
  const table = cellTable(['Category', 'Grade', 'Weight', 'Findings', 'State'], rows);
  return fold('categories', 'What the grade is made of', scrollable('What the grade is made of', table));
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

const rowHeight = 36;
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
  // The first above the arrow, the second below it.
  const lines = endLines(point).map(
    (line, at) =>
      markup`<text class="small quiet" x="${(boxWidth + endLeft) / 2}" y="${middle - 5 + at * 20}" text-anchor="middle">${line}</text>`,
  );
  return markup`<g ${tonedBy(marked)}><rect class="box" x="1" y="${y}" width="${boxWidth}" height="32" rx="5"/><text x="10" y="${middle + 5}">${shorten(point.url)}</text>
<path class="wire" d="M${boxWidth + 1} ${middle}H${endLeft - 9}"/><path class="band" d="M${endLeft} ${middle}l-9 -5v10z"/>${lines}
<rect class="box" x="${endLeft}" y="${y}" width="${boxWidth}" height="32" rx="5"/><text x="${endLeft + 10}" y="${middle + 5}">${shorten(endOf(point))}</text></g>
`;
}

const endStates = {
  ok: 'reached',
  invalid: 'no page',
  missing: 'nothing there',
  unknown: 'not seen',
} as const;

/** What holds at an address, as one or two lines: a page over http is no good end, however well it answers. */
function endLines({ url, state, https, redirects, finalStatus }: EntryPoint): readonly string[] {
  if (state === 'missing') return ['nothing there'];
  if (state === 'ok' && https === false)
    return url.startsWith('http:')
      ? ['answers over http,', 'does not lead to https']
      : ['leads away from https'];
  const hops = redirects === null ? '' : countOf(redirects, 'redirect');
  const end = finalStatus === null ? endStates[state] : `status ${finalStatus}`;
  return [[hops, end].filter((part) => part !== '').join(', ')];
}

function endWords(point: EntryPoint): string {
  return endLines(point).join(' ');
}

function shorten(text: string): string {
  return text.length > 32 ? `${clip(text, 31)}…` : text;
}
