import { z } from 'zod';
import type { Question } from '#shared/ask/question';
import { everPlainChecks, plainOptions } from '#shared/catalogue/asked-options';
import { findSpec } from '#shared/catalogue/registry';
import type { CheckSpec } from '#shared/catalogue/spec';
import type { Caller } from '#shared/limits/caller';
import { diffReports, type ReportDiff } from '#shared/model/diff';
import { anonymousAccount, type Grant, type HistoryQuestion } from '#shared/model/grant';
import { Problem } from '#shared/model/problem';
import type { Report } from '#shared/model/report';
import { pdf } from '#shared/render/formats';
import { reportBody } from '#shared/render/html/page';
import { checkWords } from '#shared/render/labels';
import { labelOf } from '#shared/render/labels';
import { block, type Markup, markup, nothing } from '#shared/render/markup';
import { targetOf, timeWords } from '#shared/render/report-words';
import { cut } from '#shared/render/visible-text';
import { readReport } from '#shared/stores/reports/read-report';
import { type PageServices, pagePath } from './page-services.ts';
import { renderPage } from './page.ts';

/** One visit of a tool's page, understood. */
export type Visit = {
  readonly question: Question;
  readonly caller: Caller;
  /** The page's own address, with the prefix. */
  readonly self: string;
  /** The whole address of the tool that it stands for, as a program asks it. */
  readonly program: string;
};

/** What a page of a report shows. */
type Shown = {
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
  const { spec, target } = visit.question;
  const { name } = checkWords[spec.name] ?? { name: spec.name };
  return renderPage({
    base,
    title: `${target}: ${name}`,
    description: `${name} of a domain or URL.`,
    main: markup`<p class="check">${name}</p>
<h1><bdi>${target}</bdi></h1>
<p>${spec.summary}</p>
<p>No report is stored yet. A new one takes ${takes[spec.queue]}.</p>
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
function choiceForm({ self, question: { spec } }: Visit): Markup {
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

type Described = {
  readonly enum?: readonly string[];
  readonly default?: unknown;
  readonly description?: string;
};

/** The options of a check as fields of its form, with what the page was asked for; nothing for a check without any. */
function choiceFields({ options, repeatable, name: check }: CheckSpec, query: string): Markup {
  const schema = z.toJSONSchema(options, { io: 'input' });
  const fields = Object.entries((schema.properties ?? {}) as { readonly [name: string]: Described });
  if (fields.length === 0) return nothing;
  const asked = new URLSearchParams(query);
  const rows = fields.map(([name, described]) => {
    const id = `${check}-${name}`;
    const value = repeatable.includes(name)
      ? asked.getAll(name).join(' ')
      : (asked.get(name) ?? defaultOf(described));
    return markup`<p><label for="${id}">${labelOf(name)}</label> ${fieldOf({ id, name, value }, described)}<br><span class="hint">${described.description ?? ''}</span></p>
`;
  });
  return markup`<details class="choices"><summary>Choices</summary>
${rows}<button type="submit">Check with these</button></details>
`;
}

type Field = { readonly id: string; readonly name: string; readonly value: string };

function fieldOf({ id, name, value }: Field, { enum: values }: Described): Markup {
  if (values === undefined)
    return markup`<input id="${id}" name="${name}" value="${value}" maxlength="500" autocomplete="off" spellcheck="false">`;
  const options = values.map(
    (one) => markup`<option value="${one}"${one === value ? markup` selected` : nothing}>${one}</option>`,
  );
  return markup`<select id="${id}" name="${name}">${options}</select>`;
}

function defaultOf({ default: usual, enum: values }: Described): string {
  return typeof usual === 'string' ? usual : (values?.[0] ?? '');
}

/**
 * The query of a tool with what was chosen in the form of its page. What a check takes anyway is left out, so that the page without a query is
 * the same.
 * @param query as the page was asked; @param chosen field → its text; several values of one stand apart by spaces or commas
 */
export function queryOfChoices(
  { options, repeatable }: CheckSpec,
  query: string,
  chosen: { readonly [name: string]: string | undefined },
): string {
  const schema = z.toJSONSchema(options, { io: 'input' });
  const fields = (schema.properties ?? {}) as { readonly [name: string]: Described };
  const kept = query
    .split('&')
    .filter((pair) => pair !== '' && chosen[pair.split('=', 1)[0] ?? ''] === undefined);
  const added = Object.entries(chosen).flatMap(([name, text = '']) => {
    const values = repeatable.includes(name) ? text.split(/[\s,]+/) : [text.trim()];
    const usual = fields[name] ? defaultOf(fields[name]) : '';
    return values
      .filter((value) => value !== '' && value !== usual)
      .map((value) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
  });
  return [...kept, ...added].join('&');
}

/** The same request in three languages; nothing in it needs an escape, as the address is percent-encoded. */
export function samples(address: string): Markup {
  const url = address.replaceAll("'", '%27');
  const texts = [
    ['curl', `curl '${url}'`],
    [
      'JavaScript',
      `const answer = await fetch('${url}');\nconst report = await answer.json();\nconsole.log(report.grade, report.findings);`,
    ],
    [
      'Python',
      `import json, urllib.request\n\nwith urllib.request.urlopen('${url}') as answer:\n    report = json.load(answer)\nprint(report['grade'], len(report['findings']))`,
    ],
  ] as const;
  return markup`${texts.map(
    ([name, text]) => markup`<p><b>${name}</b></p>
<pre><code>${block(text)}</code></pre>
`,
  )}`;
}

/** Earlier reports of the same question that this account has seen. */
type Past = {
  /** The reports before and this one, oldest first: what a line of scores shows. */
  readonly scores: readonly Pick<Grant, 'checkedAt' | 'score' | 'grade'>[];
  /** The one before this. */
  readonly previous: Report | undefined;
};

const mostScores = 30;
/** Reports that are read to find one of the same question: rules and settings may have changed since. */
const mostRead = 3;
const noPast: Past = { scores: [], previous: undefined };

/** A report whose past is looked up, by what the store knows of it. */
type Present = { readonly grant: Grant; readonly jobKey: string };

/** Looks up what this account saw before this report, and notes that it has seen this one; nothing where reports have no ids. */
export async function findPast(
  { reports, site }: PageServices,
  account: string,
  { grant, jobKey }: Present,
): Promise<Past> {
  if (!site.reportIds) return noPast;
  const { reportStore } = reports;
  const { check, target, checkedAt, reportId } = grant;
  // A URL may be somebody's secret, and so may what was asked beyond the default: callers without a token have no past of it.
  if (account === anonymousAccount && !isPublic(grant)) return noPast;
  // A report that was made for a caller without a token has no grant, as everybody may read it; a history is made of grants.
  // A store that takes no writes now costs nobody the page.
  await reportStore.grants.give(account, grant).catch((error: unknown) => {
    if (!(error instanceof Problem)) throw error;
  });
  const before = { checkedAt, reportId };
  const options = optionsAsked(grant);
  const question = { account, check, target, options, limit: mostScores + 1, before };
  const listed = await reportStore.grants.list(question);
  // Two processes may tell the time of one report by a millisecond apart: it is not its own past.
  const earlier = listed.filter(({ reportId: id }) => id !== reportId).slice(0, mostScores);
  const read = await Promise.all(earlier.slice(0, mostRead).map(({ reportId: id }) => reportStore.get(id)));
  const previous = read.find((stored) => stored?.jobKey === jobKey);
  return {
    scores: [...earlier].reverse().concat(grant),
    previous: previous && readReport(previous),
  };
}

/** What changed since the report before; undefined where there is none, or where it did not finish. */
function changesSince({ previous }: Past, report: Report): ReportDiff | undefined {
  return previous && previous.state !== 'failed' ? diffReports(previous, report) : undefined;
}

// Reports with other options are no points of one line. What an earlier release kept may have had any.
function optionsAsked({ check, options }: Grant): HistoryQuestion['options'] {
  const isPlain = options === plainOptions || (options === null && everPlainChecks.includes(check));
  return isPlain ? 'plain' : { text: options ?? 'unknown' };
}

function isPublic(grant: Grant): boolean {
  return optionsAsked(grant) === 'plain' && findSpec(grant.check)?.targetKind === 'domain';
}
