import type { BrowserFailure, BrowserRun, FieldSight, Strategy } from '../../probes/browser/port.ts';

/** What was seen while a page was loaded, once or up to three times. JSON; nothing in it is judged. */
export type PagespeedEvidence = {
  readonly url: string;
  readonly strategy: Strategy;
  /** In order; a run that gave no page is the last one. Screenshots are kept of the first alone. */
  readonly runs: readonly (BrowserRun | BrowserFailure)[];
  /** What real visitors saw. */
  readonly field: FieldSight;
};

export type LoadedRun = BrowserRun & { readonly end: Extract<BrowserRun['end'], { kind: 'loaded' }> };

/** Tells a run that measured the page from one that says why it could not. */
export function isLoaded(run: BrowserRun | BrowserFailure): run is LoadedRun {
  return run.kind === 'run' && run.end.kind === 'loaded';
}
