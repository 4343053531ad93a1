import type { Request, Response } from 'express';
import { findSpec } from '#shared/catalogue/registry';
import type { Grant } from '#shared/model/grant';
import { anonymousAccount } from '#shared/model/grant';
import { Problem } from '#shared/model/problem';
import { scoreLine } from '#shared/render/html/charts';
import { titleOfTarget } from '#shared/render/html/page';
import { cellTable, scrollable } from '#shared/render/html/tables';
import { type Markup, markup, nothing } from '#shared/render/markup';
import { timeWords } from '#shared/render/report-words';
import { admit } from '../request/admit.ts';
import { decodeSegment } from '../request/read-query.ts';
import { basePathOf, mainCheck, type PageServices } from './page-services.ts';
import { renderPage, sendPage } from './page.ts';
import { domainTabs } from './tabs.ts';
import { usualQuestion } from './tool-page.ts';

const mostRows = 100;

/** Answers /d/{domain}/history: the grades of a domain over time, as far as this visitor was given their reports. Starts nothing. */
export async function answerHistoryPage(
  services: PageServices,
  request: Request,
  response: Response,
): Promise<void> {
  const { site, limits, reports } = services;
  if (!site.reportIds)
    throw new Problem('report_ids_disabled', 'Reports have no ids here, so there is no history.');
  const caller = await admit(limits, request, response, site.isOpen ? 'anyone' : 'reports:read');
  const spec = findSpec(mainCheck);
  if (!spec) throw new Error(`${mainCheck} is in the catalogue`);
  const segment = decodeSegment(request.path.split('/')[2] ?? '') ?? '';
  const { target } = usualQuestion(services, spec, segment, caller);
  const account = site.isOpen ? anonymousAccount : caller.account;
  const asked = { account, check: mainCheck, target, options: 'plain', limit: mostRows } as const;
  const grants = await reports.reportStore.grants.list(asked);
  await sendPage(request, response, historyPage(services, target, grants), 'private, no-cache');
}

function historyPage({ site }: PageServices, target: string, grants: readonly Grant[]): string {
  const base = basePathOf(site);
  return renderPage({
    base,
    title: `${target}: History`,
    description: 'The grades of a domain over time.',
    main: markup`<p class="check">History</p>
<h1>${titleOfTarget(target)}</h1>
${domainTabs(site, base, { current: 'history', target })}${grants.length === 0 ? markup`<p>No report is stored yet.</p>` : table(base, grants)}`,
  });
}

function table(base: string, grants: readonly Grant[]): Markup {
  const rows = grants.map(({ reportId, checkedAt, grade, score }, index) => {
    const iso = new Date(checkedAt).toISOString();
    const before = grants[index + 1]?.score ?? null;
    const delta = score === null || before === null ? null : score - before;
    return [
      markup`<a href="${base}/r/${reportId}"><time datetime="${iso}">${timeWords(iso)}</time></a>`,
      markup`${grade ?? '–'}`,
      markup`${score ?? '–'}`,
      markup`${delta === null ? '–' : delta > 0 ? `+${delta}` : delta < 0 ? `−${-delta}` : '0'}`,
    ];
  });
  const line = grants.length > 1 ? scoreLine([...grants].reverse()) : nothing;
  return markup`${line}${scrollable('Reports', cellTable(['Checked', 'Grade', 'Score', 'Change'], rows))}`;
}
