import { findSpec } from '#shared/catalogue/registry';
import { findingNow, type FindingNow } from '#shared/health/judge-again';
import { spanWords, waitWords } from '#shared/model/counts';
import type { Report } from '#shared/model/report';
import { checkWords } from '#shared/render/labels';
import { type Markup, markup, nothing } from '#shared/render/markup';
import { titleOf } from '#shared/render/report-words';
import { cut } from '#shared/render/visible-text';

/** Said first on a page whose visitor asked again sooner than the check allows; nothing once it may be asked. */
export function tooSoonNote(
  { check, checkedAt }: { readonly check: string; readonly checkedAt: string },
  nowMs: number,
): Markup {
  const floorMs = (findSpec(check)?.refreshFloorS ?? 0) * 1000;
  const ageMs = Math.max(0, nowMs - Date.parse(checkedAt));
  if (ageMs >= floorMs) return nothing;
  return markup`<p class="notice" role="status">Checked ${spanWords(ageMs)} ago. You can check again in ${waitWords((floorMs - ageMs) / 1000)}.</p>
`;
}

/** What became of a finding whose check was made again. */
export function recheckNote(check: string, code: string, { state, reason }: FindingNow): Markup {
  const title = titleOf({ check }, code) ?? code;
  const words = {
    fixed: markup`<b>Fixed:</b> “${title}” is not found any more.`,
    found: markup`<b>Still there:</b> “${title}”.`,
    'not-tested': markup`<b>Not known:</b> “${title}” could not be tested this time${reason === undefined ? nothing : markup`: ${cut(reason, 300)}`}.`,
    'not-applicable': markup`<b>Not there any more:</b> “${title}” does not apply now.`,
  }[state];
  return markup`<p class="notice ${state === 'fixed' ? 'pass' : ''}" role="status">${words} Only ${checkWords[check]?.name ?? check} was asked again.</p>
`;
}

type Recheck = FindingNow & { readonly check: string; readonly code: string };

/** The note of a page that was asked for one finding again. @param report the newest @param part the newest of the check that found it */
export function noteOfRecheck(report: Report, code: string, nowMs: number): Markup {
  const { recheck } = report as { readonly recheck?: Recheck };
  if (recheck?.code === code) return recheckNote(recheck.check, code, recheck);
  const isOwn = titleOf(report, code) !== undefined;
  return isOwn && report.check !== 'domain-health'
    ? markup`${recheckNote(report.check, code, findingNow(report, code))}`
    : tooSoonNote(report, nowMs);
}
