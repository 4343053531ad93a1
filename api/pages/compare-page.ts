import type { Request, Response } from 'express';
import { findSpec } from '#shared/catalogue/registry';
import type { Caller } from '#shared/limits/caller';
import type { Comparison, ComparisonCell } from '#shared/model/comparison';
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
  const raw = rawQueryOf(request);
  const domains = raw === '' ? [] : readCompared(raw, services.targetPolicy).domains;
  const found = domains.length === 0 ? undefined : await compareDomains(services, caller, domains);
  await sendPage(request, response, comparePage(services, domains, found), 'private, no-cache');
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
  for (const { domain, state } of known)
    if (state === 'no-report') await start(services, { domain, caller, response });
  const address = new URLSearchParams(domains.map((name): [string, string] => ['domain', name])).toString();
  seeOther(response, `${basePathOf(services.site)}/compare?${address}`);
}

type ComparePageRequest = {
  readonly domain: string;
  readonly caller: Caller;
  readonly response: Response;
};

async function start(
  services: PageServices,
  { domain, caller, response }: ComparePageRequest,
): Promise<void> {
  const spec = findSpec(mainCheck);
  if (!spec) throw new Error(`${mainCheck} is in the catalogue`);
  const question = usualQuestion(services, spec, domain, caller);
  const freshness = freshnessOf(spec, undefined, Date.now());
  await askAsCaller(services, { caller, response }, { question, freshness, waitS: 0 });
}

function requireIds({ site }: PageServices): void {
  if (!site.reportIds)
    throw new Problem('report_ids_disabled', 'Reports have no ids here, and there is nothing to compare.');
}

function comparePage(
  services: PageServices,
  domains: readonly string[],
  found: Comparison | undefined,
): string {
  const base = basePathOf(services.site);
  const isMissing = found?.domains.some(({ state }) => state === 'no-report') === true;
  return renderPage({
    base,
    title: 'Compare domains: Diagnostic Tools',
    description: 'The newest reports of several domains side by side.',
    main: markup`<h1>Compare domains</h1>
<form class="ask" action="${base}/compare" method="post">
<label for="domains">Two to ten domains, with spaces between them</label>
<div class="row"><input id="domains" name="domains" type="text" required autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="2600" value="${domains.join(' ')}">
<button type="submit">Compare</button></div>
<p class="hint">Domains without a report are checked now. The others are shown as they were last seen.</p></form>
${isMissing ? markup`<p role="status">Some domains have no report yet. A check takes up to a minute: load this page again.</p>` : nothing}
${found ? table(base, found) : nothing}`,
  });
}

function table(base: string, { domains, rows }: Comparison): Markup {
  const labelled = domains.map(({ domain }) => domain);
  const links = domains.map(
    ({ domain }) =>
      markup`<td data-label="${domain}"><a href="${base}/d/${encodeURIComponent(domain)}">Open</a></td>`,
  );
  return scrollable(
    'Comparison',
    markup`<table class="rows">
<thead><tr><th scope="col">What</th>${labelled.map((domain) => markup`<th scope="col"><bdi>${domain}</bdi></th>`)}</tr></thead>
<tbody><tr><th scope="row">Report</th>${links}</tr>
${rows.map(
  ({
    name,
    cells,
  }) => markup`<tr><th scope="row">${name}</th>${cells.map((cell, index) => cellMarkup(cell, labelled[index] ?? ''))}</tr>
`,
)}</tbody></table>`,
  );
}

function cellMarkup({ text, verdict, severity }: ComparisonCell, domain: string): Markup {
  const words = verdict === 'broken' ? `broken (${severity})` : timeWords(text);
  return markup`<td data-label="${domain}">${words === '' ? '–' : words}</td>`;
}
