import type { Report } from '../../model/report.ts';
import {
  adviceOf,
  alsoEnds,
  capWords,
  type DomainFault,
  faultOf,
  faultsOf,
  gainWords,
  groupByCategory,
  togetherWords,
} from '../health.ts';
import { partLabelOf } from '../labels.ts';
import { type Markup, markup, nothing } from '../markup.ts';
import { pointsWords } from '../report-words.ts';
import { cut } from '../visible-text.ts';
import { evidenceValues, findingCard } from './findings.ts';
import { addressOfPart, type Links } from './pictures/figure.ts';
import type { Room } from './value.ts';

const longestText = 1000;

/** The findings of a domain, ready for its page. */
export type HealthPage = {
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
        : markup`<details class="notes"><summary>${notes.length === 1 ? '1 note' : `${notes.length} notes`}, nothing that must be fixed</summary>
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
