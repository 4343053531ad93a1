import type { CategoryName } from '#shared/catalogue/pagespeed-check/categories';
import { vantageTexts } from '#shared/model/vantage';
import type {
  BrowserEnd,
  BrowserFailure,
  BrowserRun,
  FieldObservation,
  Strategy,
} from '../../probes/browser/port.ts';

/** What was seen while a page was loaded, once or up to three times. JSON; nothing in it is judged. */
export type PagespeedEvidence = {
  readonly url: string;
  readonly strategy: Strategy;
  /** What was asked for; left out by older versions, which judged performance alone. */
  readonly categories?: readonly CategoryName[];
  /** A caller's own, as the option has it. */
  readonly budget?: string;
  /** In order; a run that gave no page is the last one. Screenshots are kept of the first alone. */
  readonly runs: readonly Load[];
  /** What real visitors saw. */
  readonly field: FieldObservation;
};

/** One load of the page, or why there was none. */
export type Load = BrowserRun | PsiRun | BrowserFailure;

/** A load that PageSpeed Insights made: in Google's browser, on Google's line, and nothing of it went through our proxy. */
export type PsiRun = {
  readonly kind: 'run';
  readonly source: 'psi';
  readonly end: Extract<BrowserEnd, { kind: 'loaded' | 'not-measured' }>;
  /** What its answer says of real visitors. */
  readonly field: FieldObservation;
  readonly tookMs: number;
};

export type LoadedRun = (BrowserRun | PsiRun) & { readonly end: Extract<BrowserEnd, { kind: 'loaded' }> };

/** Tells a run that measured the page from one that says why it could not. */
export function isLoaded(run: Load): run is LoadedRun {
  return run.kind === 'run' && run.end.kind === 'loaded';
}

/** Tells a run in somebody else's browser from one in ours. */
export function isRemote(run: Load): run is PsiRun {
  return run.kind === 'run' && 'source' in run;
}

/** The same loads, as if no browser had refused a certificate for its times: whether another clock would, it cannot say. */
export function withoutTimedRefusals(evidence: PagespeedEvidence): PagespeedEvidence {
  const isTimed = (run: Load) =>
    run.kind === 'run' &&
    run.end.kind === 'not-measured' &&
    run.end.message.includes('ERR_CERT_DATE_INVALID');
  const { reason, fix } = vantageTexts.clock;
  const unseen: Load = { kind: 'failure', code: 'browser-unavailable', reason, fix };
  return { ...evidence, runs: evidence.runs.map((run) => (isTimed(run) ? unseen : run)) };
}
