import { countOf } from '#shared/model/counts';
import type { Finding } from '#shared/model/finding';
import type { Report } from '#shared/model/report';
import { type Around, reportBody, titleOfTarget } from '#shared/render/html/page';
import { checkWords } from '#shared/render/labels';
import { block, type Markup, markup, nothing } from '#shared/render/markup';
import { isMissing, shellWord, targetOf, timeWords } from '#shared/render/report-words';
import { cut } from '#shared/render/visible-text';
import { choiceForm } from './choices.ts';
import { mailOf } from './mail-part.ts';
import { badgeMenu, downloadMenu } from './menus.ts';
import { basePathOf, mainCheck, type PageServices, pagePath, withParameter } from './page-services.ts';
import { renderPage } from './page.ts';
import { changesSince, type Past } from './past.ts';
import { samples } from './samples.ts';
import { domainTabs } from './tabs.ts';
import { startForm, type Visit } from './visit.ts';

/** What a page of a report shows. */
type Shown = {
  readonly report: Report;
  readonly services: Pick<PageServices, 'site'>;
  /** What a program puts before a path. */
  readonly origin: string;
  readonly past: Past;
  /** Whose page it is; undefined for the page of the report alone. */
  readonly visit?: Visit;
  /** What to say first, of what was just asked. */
  readonly note?: Markup;
};

const longestTarget = 200;

/** The page of a report: everything that is known, and, on a tool's own page, the button that checks again. */
export function reportPage(shown: Shown): string {
  const { services, visit } = shown;
  const base = basePathOf(services.site);
  const isOfMail = visit?.own.get('part') === 'mail' && shown.report.check === 'dns-check';
  const report = isOfMail ? mailOf(shown.report) : shown.report;
  const target = cut(targetOf(report), longestTarget);
  const name = isOfMail ? 'Mail' : (checkWords[report.check]?.name ?? report.check);
  const grade = report.grade === null ? '' : ` ${report.grade}`;
  const recent = visit?.self ?? `${base}${pagePath(report.check, targetOf(report))}`;
  return renderPage({
    base,
    title: `${target}:${grade} ${name}`,
    description: `${name} of ${timeWords(report.checkedAt)}: ${countOf(report.findings.length, 'finding')}.`,
    main: markup`<div class="report" data-recent="${recent}" data-name="${name}" data-target="${target}" data-grade="${report.grade ?? '–'}">
${reportBody(report, { name, ...aroundOf({ ...shown, report }, base, isOfMail) })}${belowOf(report, visit)}</div>
`,
  });
}

function belowOf(report: Report, visit: Visit | undefined): Markup {
  return visit && !isMissing(report)
    ? markup`<div class="folds">${choiceForm(visit)}${samplesOf(visit)}</div>`
    : nothing;
}

/** What stands around a report on a page of this service. */
function aroundOf(shown: Shown, base: string, isOfMail: boolean): Omit<Around, 'name'> {
  const { report, services, past, visit, note, origin } = shown;
  const { site } = services;
  const current = isOfMail ? 'mail' : report.check;
  return {
    // The mail half has no past of its own.
    scores: isOfMail ? [] : past.scores,
    changes: isOfMail ? undefined : changesSince(past, report),
    links: {
      // With tokens, reports of parts are not granted; their pages go by target.
      ...(site.isOpen ? { ofPart: (reportId: string) => `${base}/r/${reportId}` } : {}),
      ofReport: (reportId) => `${base}/r/${reportId}`,
      ofTarget: (check, about) => `${base}${pagePath(check, about)}`,
    },
    tabs: markup`${domainTabs(site, base, { current, target: targetOf(report), report })}${note ?? nothing}`,
    actions: actionsOf(shown, base),
    againOf: (finding) => againForm(report, finding, visit),
    json: report.reportId === undefined ? undefined : `${origin}/api/reports/${report.reportId}`,
  };
}

/** Beside a finding: has the check that found it made again, and nothing else. Not for what domain-health finds itself, of several. */
function againForm(
  report: Report,
  finding: Finding & { readonly check?: string },
  visit: Visit | undefined,
): Markup {
  const check = finding.check ?? report.check;
  if (!visit || finding.severity === 'info' || (report.check === mainCheck && check === mainCheck))
    return nothing;
  const address = withParameter(visit.self, 'recheck', finding.code);
  return markup`<form class="again" action="${address}" method="post"><button type="submit" class="plain">Check this again</button></form>
`;
}

/** The page of a target that nothing is known of. */
export function emptyPage(visit: Visit, { site }: Pick<PageServices, 'site'>): string {
  const base = basePathOf(site);
  const { spec, target } = visit.question;
  const { name } = checkWords[spec.name] ?? { name: spec.name };
  return renderPage({
    base,
    title: `${target}: ${name}`,
    description: `${name} of a domain or URL.`,
    main: markup`<p class="check">${name}</p>
<h1>${titleOfTarget(target)}</h1>
${domainTabs(site, base, { current: spec.name, target })}<p>${spec.summary}</p>
<p>No report is stored yet. A new one takes ${takes[spec.queue]}.</p>
${startForm(visit, 'Check now')}${choiceForm(visit)}${samplesOf(visit)}`,
  });
}

/** What to expect of a check when it does not have to wait for its turn. */
const takes = {
  network: 'a few seconds',
  browser: 'up to a minute, as a browser loads the page',
  composite: 'up to a minute, as a browser loads the page too; grades come after a second or two',
} as const;

function actionsOf({ report, visit, origin }: Shown, base: string): Markup {
  const own = `${base}${pagePath(report.check, targetOf(report))}`;
  const alone = report.reportId !== undefined ? `${base}/r/${report.reportId}` : undefined;
  const share =
    alone === undefined || !visit
      ? nothing
      : markup`<a class="button" href="${alone}"><span>Link<span class="more-words"> to this report</span></span></a>`;
  const again = visit
    ? startForm(visit, 'Check again')
    : markup`<a class="button" href="${own}">Newest report</a>`;
  if (isMissing(report))
    return markup`<div class="actions">${again}</div>
`;
  return markup`<div class="actions">${again}${share}${downloadMenu(report, alone)}${badgeMenu(report, base, origin)}</div>
`;
}

function samplesOf({ program, question: { spec, target } }: Visit): Markup {
  const [service = ''] = program.split('/api/tools/', 1);
  const body = { check: spec.name, targets: [target], everySeconds: 86_400 };
  const watch = [
    `diag watch create ${spec.name} ${shellWord(target)} --every 1d`,
    `curl -H "Authorization: Bearer $DIAG_TOKEN" -H 'Content-Type: application/json' -H "Idempotency-Key: $(uuidgen)" -d '${JSON.stringify(body).replaceAll("'", '%27')}' ${shellWord(`${service}/api/watches`)}`,
  ].join('\n');
  return markup`<details class="fold"><summary><h2>The same from a program, and how to watch it</h2></summary>
${samples(program)}<p><b>Watch it</b>: with a token of the scopes <code>tools</code> and <code>watch</code> you are told what changes.</p>
<pre><code>${block(watch)}</code></pre></details>
`;
}
