import type { Report } from '#shared/model/report';
import { checkWords } from '#shared/render/check-words';
import { pdf } from '#shared/render/formats';
import { reportBody } from '#shared/render/html/report-body';
import { type Markup, markup, nothing } from '#shared/render/markup';
import { targetOf, timeWords } from '#shared/render/report-words';
import { cut } from '#shared/render/visible-text';
import { pagePath } from './addresses.ts';
import { choiceFields } from './choices.ts';
import { renderPage } from './layout.ts';
import { changesSince, type Past } from './past.ts';
import { samples } from './samples.ts';
import type { Visit } from './visit.ts';

/** What a page of a report shows. */
export type Shown = {
  readonly report: Report;
  readonly base: string;
  /** True where anybody may open the page of any report. */
  readonly isOpen: boolean;
  readonly past: Past;
  /** Whose page it is; undefined for the page of the report alone. */
  readonly visit?: Visit;
};

const longestTarget = 200;

/** The page of a report: everything that is known, and, on a tool's own page, the button that checks again. */
export function reportPage(shown: Shown): string {
  const { report, base, isOpen, past, visit } = shown;
  const target = cut(targetOf(report), longestTarget);
  const name = checkWords[report.check]?.name ?? report.check;
  const grade = report.grade === null ? '' : ` ${report.grade}`;
  return renderPage({
    base,
    title: `${target}:${grade} ${name}`,
    description: `${name} of ${timeWords(report.checkedAt)}: ${report.findings.length} findings.`,
    main: markup`<div class="report" data-recent="${visit?.self ?? `${base}${pagePath(report.check, targetOf(report))}`}" data-name="${name}" data-target="${target}" data-grade="${report.grade ?? '–'}">
${reportBody(report, {
  name,
  scores: past.scores,
  changes: changesSince(past, report),
  links: {
    // With tokens nobody was given the report of a part, which has a page by its target.
    ...(isOpen ? { ofPart: (reportId: string) => `${base}/r/${reportId}` } : {}),
    ofReport: (reportId) => `${base}/r/${reportId}`,
    ofTarget: (check, about) => `${base}${pagePath(check, about)}`,
  },
  actions: actionsOf(shown),
})}${visit ? markup`${choiceForm(visit)}${samplesOf(visit)}` : nothing}</div>
`,
  });
}

/** The page of a target that nothing is known of. */
export function emptyPage(visit: Visit, base: string): string {
  const { name } = checkWords[visit.spec.name] ?? { name: visit.spec.name };
  return renderPage({
    base,
    title: `${visit.ask.target}: ${name}`,
    description: `${name} of a domain or URL.`,
    main: markup`<p class="check">${name}</p>
<h1><bdi>${visit.ask.target}</bdi></h1>
<p>${visit.spec.summary}</p>
<p>No report is stored yet. A new one takes ${takes[visit.spec.queue]}.</p>
${startForm(visit, 'Check now')}${choiceForm(visit)}${samplesOf(visit)}`,
  });
}

/** What to expect of a check when it does not have to wait for its turn. */
const takes = {
  network: 'a few seconds',
  browser: 'up to a minute, as a browser loads the page',
  composite: 'up to a minute, as a browser loads the page too',
} as const;

/** The button that starts a check. */
export function startForm({ self }: Visit, words: string): Markup {
  return markup`<form class="start" action="${self}" method="post"><button type="submit">${words}</button></form>
`;
}

/** The same with the check's own options. */
function choiceForm({ self, spec }: Visit): Markup {
  const fields = choiceFields(spec, self.split('?')[1] ?? '');
  return fields === nothing
    ? nothing
    : markup`<form class="chosen" action="${self}" method="post">${fields}</form>
`;
}

function actionsOf({ report, base, visit }: Shown): Markup {
  const own = `${base}${pagePath(report.check, targetOf(report))}`;
  const alone = report.reportId !== undefined ? `${base}/r/${report.reportId}` : undefined;
  const share =
    alone === undefined || !visit
      ? nothing
      : markup`<a class="button" href="${alone}"><span>Link<span class="more-words"> to this report</span></span></a>`;
  const paper =
    alone === undefined
      ? nothing
      : markup`<a class="button" href="${alone}?format=${pdf.name}" rel="nofollow" download><span><span class="more-words">Save as </span>PDF</span></a>`;
  const again = visit
    ? startForm(visit, 'Check again')
    : markup`<a class="button" href="${own}">Newest report</a>`;
  return markup`<div class="actions">${again}${share}${paper}</div>
`;
}

function samplesOf({ program }: Visit): Markup {
  return markup`<details><summary>The same from a program</summary>
${samples(program)}</details>
`;
}
