import type { Logger } from '../shared/logger.ts';
import type { NoBrowser } from './probes/browser/find-browser.ts';
import type { BrowserProbeSettings } from './probes/browser/open.ts';
import { sweepProfiles } from './probes/browser/profiles.ts';
import { tryBrowser } from './probes/browser/try-browser.ts';

const sweepEveryMs = 10 * 60_000;

export type BrowserWatch = {
  /** Resolves only when there is no browser, and nobody to load pages in its stead. */
  readonly missing: Promise<NoBrowser>;
  readonly readiness: () => { readonly browser: true | string };
  close(): void;
};

/** Tries the browser once, says in the log what is wrong with it, and removes from time to time what killed workers have left of theirs. */
export function watchBrowser(
  { browser, noSandbox, psi }: Pick<BrowserProbeSettings, 'browser' | 'noSandbox' | 'psi'>,
  log: Logger,
): BrowserWatch {
  let state: true | string = true;
  const { promise: missing, resolve, reject } = Promise.withResolvers<NoBrowser>();
  const closing = new AbortController();
  tryBrowser(browser, { noSandbox, signal: closing.signal }).then((fault) => {
    if (!fault || closing.signal.aborted) return;
    const { reason, fix } = fault;
    if (psi) return log.warn({ reason }, 'no browser: PageSpeed Insights loads the pages');
    log.error({ reason, fix }, 'no browser: pagespeed-check is off');
    state = reason;
    resolve(fault);
  }, reject);
  const sweep = () =>
    void sweepProfiles(Date.now()).then(
      (count) => count > 0 && log.info({ count }, 'browser profiles of killed workers removed'),
      (error: unknown) => log.warn({ err: error }, 'browser profiles not swept'),
    );
  sweep();
  const timer = setInterval(sweep, sweepEveryMs).unref();
  const close = () => {
    clearInterval(timer);
    closing.abort();
  };
  return { missing, readiness: () => ({ browser: state }), close };
}
