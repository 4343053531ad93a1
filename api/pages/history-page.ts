import type { Request, Response } from 'express';
import { areGradesAlike } from '#shared/catalogue/news';
import type { Outline } from '#shared/catalogue/outline';
import { findSpec } from '#shared/catalogue/registry';
import type { Grant } from '#shared/model/grant';
import { anonymousAccount } from '#shared/model/grant';
import { Problem } from '#shared/model/problem';
import { scoreLine } from '#shared/render/html/charts';
import { titleOfTarget } from '#shared/render/html/page';
import { cellTable, scrollable } from '#shared/render/html/tables';
import { checkNameOf } from '#shared/render/labels';
import { type Markup, markup, nothing } from '#shared/render/markup';
import { timeWords } from '#shared/render/report-words';
import { readOutlines } from '#shared/stores/reports/with-history';
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
  const ids = grants.map(({ reportId }) => reportId);
  const outlines = await readOutlines(reports.reportStore, ids);
  await sendPage(request, response, historyPage(services, { target, grants, outlines }), 'private, no-cache');
}

type Seen = {
  readonly target: string;
  readonly grants: readonly Grant[];
  readonly outlines: ReadonlyMap<string, Outline>;
};

function historyPage({ site }: PageServices, { target, grants, outlines }: Seen): string {
  const base = basePathOf(site);
  return renderPage({
    base,
    title: `${target}: History`,
    description: 'The grades of a domain over time.',
    main: markup`<p class="check">History</p>
<h1>${titleOfTarget(target)}</h1>
${domainTabs(site, base, { current: 'history', target })}${grants.length === 0 ? markup`<p>No report is stored yet.</p>` : table(base, grants, outlines)}`,
  });
}

function table(base: string, grants: readonly Grant[], outlines: Seen['outlines']): Markup {
  const rows = grants.map(({ reportId, checkedAt, grade, score }, index) => {
    const iso = new Date(checkedAt).toISOString();
    const now = outlines.get(reportId);
    const older = grants[index + 1];
    const then = older && outlines.get(older.reportId);
    return [
      markup`<a href="${base}/r/${reportId}"><time datetime="${iso}">${timeWords(iso)}</time></a>${againWords(now)}`,
      markup`${grade ?? '–'}`,
      markup`${score ?? '–'}`,
      markup`${now && then ? deltaWords(then, now) : '–'}`,
    ];
  });
  const line = grants.length > 1 ? scoreLine([...grants].reverse()) : nothing;
  return markup`${line}${scrollable('Reports', cellTable(['Checked', 'Grade', 'Score', 'Change'], rows))}`;
}

/** Which check alone was made again; nothing where all were. */
function againWords(outline: Outline | undefined): Markup {
  const again = outline?.reports[0]?.recheckedAt;
  if (!again) return nothing;
  return markup`<br><span class="facts">${checkNameOf(again.check)} again <time datetime="${again.at}">${timeWords(again.at)}</time></span>`;
}

/** What the score gained, where that is a change of the domain. */
function deltaWords(then: Outline, now: Outline): string {
  const [before, after] = [then.reports[0]?.score ?? null, now.reports[0]?.score ?? null];
  if (before === null || after === null || !areGradesAlike(then, now)) return '–';
  const delta = after - before;
  return delta > 0 ? `+${delta}` : delta < 0 ? `−${-delta}` : '0';
}
