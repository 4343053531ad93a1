import type { Request, Response } from 'express';
import { lookAtJob } from '#shared/ask/ask';
import { findSpec } from '#shared/catalogue/registry';
import type { Caller } from '#shared/limits/caller';
import type { Comparison, ComparisonRow } from '#shared/model/comparison';
import { countOf, spanWords } from '#shared/model/counts';
import { freshnessOf } from '#shared/model/freshness';
import { Problem } from '#shared/model/problem';
import { scrollable } from '#shared/render/html/tables';
import { type Markup, markup, nothing } from '#shared/render/markup';
import { timeWords } from '#shared/render/report-words';
import { askAsCaller } from '../ask/ask-as-caller.ts';
import { compareDomains, readCompared } from '../history/compare.ts';
import { admit } from '../request/admit.ts';
import { readForm } from '../request/read-json.ts';
import { rawQueryOf } from '../request/read-query.ts';
import { admitForm } from './admit-form.ts';
import { basePathOf, mainCheck, type PageServices } from './page-services.ts';
import { renderPage, seeOther, sendPage } from './page.ts';
import { usualQuestion } from './tool-page.ts';

/** Answers /compare?domain=&domain=: a table of the newest reports, and a form. Starts nothing. */
export async function answerComparePage(
  services: PageServices,
  request: Request,
  response: Response,
): Promise<void> {
  requireIds(services);
  const caller = await admit(
    services.limits,
    request,
    response,
    services.site.isOpen ? 'anyone' : 'reports:read',
  );
  const { raw, jobs, until } = readReload(rawQueryOf(request));
  const domains = raw === '' ? [] : readCompared(raw, services.targetPolicy).domains;
  const found = domains.length === 0 ? undefined : await compareDomains(services, caller, domains);
  const isRunning = until > Date.now() && (await someRuns(services, jobs));
  const again = isRunning ? addressOf(raw, jobs, until) : undefined;
  await sendPage(request, response, comparePage(services, domains, { found, again }), 'private, no-cache');
}

/** How long the page of a comparison loads itself again while a check runs, and how often. */
const reloadsForMs = 120_000;
const reloadS = 4;
const reloadPart = /&jobs=((?:[0-9a-f]{32},?){1,10})&until=(\d{1,15})$/;

/** Takes what the page tells itself off the end of its query: the jobs that it waits for, and until when. */
function readReload(query: string) {
  const [part = '', jobs = '', until = '0'] = reloadPart.exec(query) ?? [];
  const raw = query.slice(0, query.length - part.length);
  const latest = Date.now() + reloadsForMs;
  return { raw, jobs: jobs.split(',').filter((id) => id !== ''), until: Math.min(Number(until), latest) };
}

function addressOf(raw: string, jobs: readonly string[], until: number): string {
  return jobs.length === 0 ? `/compare?${raw}` : `/compare?${raw}&jobs=${jobs.join(',')}&until=${until}`;
}

async function someRuns({ jobs: { jobQueue } }: PageServices, jobs: readonly string[]): Promise<boolean> {
  const states = await Promise.all(jobs.map((id) => lookAtJob(jobQueue, id)));
  return states.some((state) => state?.state === 'waiting' || state?.state === 'running');
}

/** Answers a POST of the same: starts the checks of those domains that have no report, and shows the table. */
export async function answerCompareForm(
  services: PageServices,
  request: Request,
  response: Response,
): Promise<void> {
  const caller = await admitForm(services, request, response, 'tools');
  requireIds(services);
  const { domains: text = '' } = await readForm(services.bodies, { request, response, caller }, ['domains']);
  const names = text.split(/[\s,;]+/).filter((name) => name !== '');
  const query = new URLSearchParams(names.map((name): [string, string] => ['domain', name])).toString();
  const { domains } = readCompared(query, services.targetPolicy);
  const { domains: known } = await compareDomains(services, caller, domains);
  const jobs: string[] = [];
  for (const { domain, state } of known) {
    if (state !== 'no-report') continue;
    const answer = await start(services, { domain, caller, response });
    if (answer.kind === 'later') jobs.push(answer.jobId);
  }
  const address = new URLSearchParams(domains.map((name): [string, string] => ['domain', name])).toString();
  seeOther(response, `${basePathOf(services.site)}${addressOf(address, jobs, Date.now() + reloadsForMs)}`);
}

type ComparePageRequest = {
  readonly domain: string;
  readonly caller: Caller;
  readonly response: Response;
};

async function start(
  services: PageServices,
  { domain, caller, response }: ComparePageRequest,
): ReturnType<typeof askAsCaller> {
  const spec = findSpec(mainCheck);
  if (!spec) throw new Error(`${mainCheck} is in the catalogue`);
  const question = usualQuestion(services, spec, domain, caller);
  const freshness = freshnessOf(spec, undefined, Date.now());
  return askAsCaller(services, { caller, response }, { question, freshness, waitS: 0 });
}

function requireIds({ site }: PageServices): void {
  if (!site.reportIds)
    throw new Problem('report_ids_disabled', 'Reports have no ids here, and there is nothing to compare.');
}

type Found = {
  readonly found: Comparison | undefined;
  /** Where the page is loaded from again; undefined where nothing runs. */
  readonly again: string | undefined;
};

function comparePage(services: PageServices, domains: readonly string[], { found, again }: Found): string {
  const base = basePathOf(services.site);
  const isMissing = found?.domains.some(({ state }) => state === 'no-report') === true;
  return renderPage({
    base,
    title: 'Compare domains: Diagnostic Tools',
    description: 'The newest reports of several domains side by side.',
    head:
      again === undefined
        ? nothing
        : markup`<meta http-equiv="refresh" content="${reloadS}; url=${base}${again}">
`,
    main: markup`<h1>Compare domains</h1>
<form class="ask" action="${base}/compare" method="post">
<label for="domains">Two to ten domains, with spaces between them</label>
<div class="row"><input id="domains" name="domains" type="text" required autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="2600" value="${domains.join(' ')}">
<button type="submit">Compare</button></div>
<p class="hint">Domains without a report are checked now. The others are shown as they were last seen.</p></form>
${isMissing ? markup`<p role="status">${again === undefined ? 'Some domains have no report yet. Press Compare to have them checked.' : 'Some domains are being checked. This page loads itself again until their reports are there.'}</p>` : nothing}
${found ? tables(base, found) : nothing}`,
  });
}

/** What tells the domains apart, then, folded, what is the same of all of them, follows from another row, or only informs. */
function tables(base: string, { domains, rows }: Comparison): Markup {
  const names = domains.map(({ domain }) => domain);
  const links = domains.map(
    ({ domain }) =>
      markup`<td data-label="${domain}"><a href="${base}/d/${encodeURIComponent(domain)}">Open</a></td>`,
  );
  const seen = domains.flatMap(({ state }, index) => (state === 'ok' ? [index] : []));
  const told = rows.filter((row) => tellsApart(row, seen));
  const folded = rows.filter((row) => !told.includes(row));
  const opening = markup`<tr><th scope="row">Report</th>${links}</tr>
`;
  const first = scrollable('Comparison', table(names, [opening, ...rowsOf(names, told)]));
  if (folded.length === 0) return first;
  return markup`${first}
<details><summary>${countOf(folded.length, 'more row')}: the same for all of them, consequences of a row above, or only information</summary>
${scrollable('What is the same, or only informs', table(names, rowsOf(names, folded)))}</details>`;
}

/** True for a row that a reader of a comparison looks for. @param seen the domains that have a report: the others differ from all */
function tellsApart({ kind, cells, consequenceOf }: ComparisonRow, seen: readonly number[]): boolean {
  if (kind !== 'verdict') return true;
  if (consequenceOf !== null) return false;
  if (cells.every(({ severity }) => severity === null || severity === 'info')) return false;
  return seen.length < 2 || new Set(seen.map((index) => cells[index]?.text)).size > 1;
}

function table(names: readonly string[], rows: readonly Markup[]): Markup {
  return markup`<table class="rows">
<thead><tr><th scope="col">What</th>${names.map((name) => markup`<th scope="col"><bdi>${name}</bdi></th>`)}</tr></thead>
<tbody>${rows}</tbody></table>`;
}

function rowsOf(names: readonly string[], rows: readonly ComparisonRow[]): readonly Markup[] {
  return rows.map(
    ({ name, cells }) =>
      markup`<tr><th scope="row">${name}</th>${cells.map(({ text }, index) => markup`<td data-label="${names[index] ?? ''}">${cellWords(text)}</td>`)}</tr>
`,
  );
}

const isoTime = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** A time as how long ago it is: the page is only true now. */
function cellWords(text: string): Markup {
  if (text === '') return markup`–`;
  if (!isoTime.test(text)) return markup`${text}`;
  const ago = `${spanWords(Math.max(0, Date.now() - Date.parse(text)))} ago`;
  return markup`<time datetime="${text}" title="${timeWords(text)}">${ago}</time>`;
}
