import type { PagespeedFields } from '#shared/catalogue/pagespeed-check/report';
import type { PageObservation } from '../../../probes/browser/port.ts';
import { isRemote, type Load } from '../evidence.ts';
import type { Choice } from '../facts/choice.ts';
import { doubtsOf } from '../judge/page.ts';

/** Where and how it was measured; null when nothing was started. */
export function reportEnvironment(choice: Choice, last: Load | undefined): PagespeedFields['environment'] {
  const shown = choice.run ?? last;
  if (!shown || shown.kind === 'failure') return null;
  const told = describeTold(shown.end.kind === 'loaded' ? shown.end.page.environment : undefined);
  if (isRemote(shown)) return { provider: 'psi', ...told, ...untoldByPsi };
  const { browser, traffic, peakMemoryBytes } = shown;
  return {
    provider: 'local',
    ...told,
    browser: browser.product,
    browserSource: browser.source,
    sandbox: browser.sandbox,
    confidence: doubtsOf(choice).length === 0 ? 'normal' : 'low',
    peakMemoryBytes,
    receivedBytes: traffic.receivedBytes,
    // Evidence of an older version has neither.
    sentBytes: traffic.sentBytes ?? null,

    overspent: traffic.overspent ?? [],
  };
}

/** What Lighthouse tells of where it ran. */
function describeTold(told: PageObservation['environment'] | undefined) {
  return {
    lighthouse: told?.lighthouse ?? null,
    browser: /\b(?:Headless)?Chrome\/[\d.]{1,20}/.exec(told?.userAgent ?? '')?.[0] ?? null,
    benchmarkIndex: told?.benchmarkIndex || null,
    throttling: told?.throttling ?? {},
  };
}

const untoldByPsi = {
  browserSource: null,
  sandbox: null,
  confidence: null,
  peakMemoryBytes: null,
  receivedBytes: null,
  sentBytes: null,
  overspent: [],
};
