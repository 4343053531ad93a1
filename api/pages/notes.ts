import { findSpec } from '#shared/catalogue/registry';
import { spanWords, waitWords } from '#shared/model/counts';
import type { Report } from '#shared/model/report';
import { checkWords } from '#shared/render/labels';
import { type Markup, markup, nothing } from '#shared/render/markup';
import { recheckOf, recheckWords } from '#shared/render/recheck';
import { cut } from '#shared/render/visible-text';
import { parseHttpUrl, type TargetPolicy } from '#shared/targets/parse-target';
import { pagePath } from './page-services.ts';

/** Said first on a page whose visitor asked again sooner than the check allows; nothing once it may be asked. */
export function tooSoonNote({ check, checkedAt }: Report, nowMs: number): Markup {
  const floorMs = (findSpec(check)?.refreshFloorS ?? 0) * 1000;
  const ageMs = Math.max(0, nowMs - Date.parse(checkedAt));
  if (ageMs >= floorMs) return nothing;
  return markup`<p class="notice" role="status">Checked ${spanWords(ageMs)} ago. You can check again in ${waitWords((floorMs - ageMs) / 1000)}.</p>
`;
}

const longestNote = 500;

/** Said where somebody named a page, and its domain was checked. */
export function pageNote(page: string | null, base: string, policy: TargetPolicy): Markup {
  const url = page === null ? undefined : parseHttpUrl(page, policy);
  if (!url?.ok) return nothing;
  const { href } = url.value;
  const links = ['security-header-check', 'pagespeed-check', 'redirect-check'].map(
    (check) => markup` <a href="${base}${pagePath(check, href)}">${checkWords[check]?.name ?? check}</a>`,
  );
  return markup`<p class="notice">Only the domain was checked. Check this page: <bdi>${cut(href, longestNote)}</bdi>${links}</p>
`;
}

/** What became of a finding whose check was made again. @param report the newest */
export function noteOfRecheck(report: Report, code: string, nowMs: number): Markup {
  const recheck = recheckOf(report, code);
  if (!recheck) return tooSoonNote(report, nowMs);
  const { word, rest } = recheckWords(recheck);
  return markup`<p class="notice ${recheck.state === 'fixed' ? 'pass' : ''}" role="status"><b>${word}:</b> ${cut(rest, longestNote)} Only what found it was asked again.</p>
`;
}
