import type { Logger } from '#shared/telemetry/logger';
import { ageInDays, type BrowserAbout } from '../probes/browser/about.ts';
import type { NoBrowser } from '../probes/browser/find-browser.ts';
import type { BrowserProbeSettings } from '../probes/browser/open.ts';
import { sweepProfiles } from '../probes/browser/profiles.ts';
import { type BrowserTrial, tryBrowser } from '../probes/browser/try-browser.ts';

const sweepEveryMs = 10 * 60_000;

export type BrowserWatch = {
  readonly readiness: () => { readonly browser: true | string };
  /** Which browser it is, once one works. */
  readonly about: () => (BrowserAbout & { readonly ageDays: number | null }) | undefined;
  close(): void;
};

export type BrowserTries = {
  /** Longest that the browser may take to answer. */
  readonly startMs: number;
  /** From a try that failed to the next. */
  readonly againMs: number;
  /** Hears each change: what is wrong now, or undefined from when the browser works. Not called where somebody else loads pages in its stead. */
  readonly onTurn: (fault: NoBrowser | undefined) => void;
};

/** The browser is tried every minute until it works. */
export const browserTries = { startMs: 20_000, againMs: 60_000 } as const;

/**
 * Tries the browser until it works, says in the log what is wrong with it when that changes, and removes from time to
 * time what killed workers have left of theirs.
 */
export function watchBrowser(
  settings: Pick<BrowserProbeSettings, 'browser' | 'noSandbox' | 'psi'>,
  log: Logger,
  tries: BrowserTries,
): BrowserWatch {
  let state: true | string = true;
  let about: BrowserAbout | undefined;
  const onFound = (found: BrowserAbout) => {
    about = found;
  };
  const stopTrying = tryUntilItWorks(settings, { ...tries, onFound }, (fault) => {
    tellTurn(log, settings.psi !== undefined, fault);
    if (settings.psi) return;
    state = fault?.reason ?? true;
    tries.onTurn(fault);
  });
  const stopSweeping = sweepAtTimes(log);
  return {
    readiness: () => ({ browser: state }),
    about: () => about && { ...about, ageDays: ageInDays(about, Date.now()) },
    close() {
      stopSweeping();
      stopTrying();
    },
  };
}

/** Gives what stops it. A browser that works at the first try is no turn. */
function tryUntilItWorks(
  { browser, noSandbox }: Pick<BrowserProbeSettings, 'browser' | 'noSandbox'>,
  { startMs, againMs, onFound }: Omit<BrowserTries, 'onTurn'> & Pick<BrowserTrial, 'onFound'>,
  hear: (fault: NoBrowser | undefined) => void,
): () => void {
  const closing = new AbortController();
  let last: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  const tryOnce = async () => {
    const fault = await tryBrowser(browser, {
      noSandbox,
      startMs,
      signal: closing.signal,
      ...(onFound ? { onFound } : {}),
    });
    if (closing.signal.aborted) return;
    if (fault?.reason !== last) hear(fault);
    last = fault?.reason;
    if (fault) timer = setTimeout(() => void tryOnce(), againMs).unref();
  };
  void tryOnce(); // never rejects
  return () => {
    clearTimeout(timer);
    closing.abort();
  };
}

function tellTurn(log: Logger, hasStandIn: boolean, fault: NoBrowser | undefined): void {
  if (!fault) return log.info({}, 'browser works: pagespeed-check is on');
  const { reason, fix } = fault;
  if (hasStandIn) log.warn({ reason }, 'no browser: PageSpeed Insights loads the pages');
  else log.error({ reason, fix }, 'no browser: pagespeed-check is off');
}

function sweepAtTimes(log: Logger): () => void {
  const sweep = () =>
    void sweepProfiles(Date.now()).then(
      (count) => count > 0 && log.info({ count }, 'browser profiles of killed workers removed'),
      (error: unknown) => log.warn({ err: error }, 'old browser profiles not removed'),
    );
  sweep();
  const timer = setInterval(sweep, sweepEveryMs).unref();
  return () => clearInterval(timer);
}
