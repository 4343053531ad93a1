import type { PagespeedCode } from '#shared/catalogue/pagespeed-check/rules';
import { brokenBy, eachOf, notTested, type Verdicts } from '#shared/model/verdict';
import type { NamedEnd } from '../facts/end.ts';

/** Judges what only a browser of ours, behind our own proxy, can show; laid over the other verdicts where PageSpeed Insights measured. */
export function judgeRemote(end: NamedEnd | undefined) {
  const unseen = notTested('PageSpeed Insights loaded the page and does not report this');
  return {
    ...eachOf(
      ['page-memory-excessive', 'page-transfer-excessive', 'requests-not-allowed', 'requests-unreachable'],
      unseen,
    ),
    // Its settings are tuned to its own slow machines (core/config/lr-mobile-config.js): our limit says nothing of them.
    'measurement-uncertain': notTested('PageSpeed Insights measured once, on its own machines'),
    'browser-failed': end?.code === 'browser-failed' ? brokenBy([end.evidence]) : 'not-applicable',
    'browser-unavailable': 'not-applicable',
  } satisfies Partial<Verdicts<PagespeedCode>>;
}
