import type { PagespeedCode } from '../../../shared/catalogue/pagespeed-check/rules.ts';
import { brokenBy, brokenIf, type Evidence, notTested, type Verdict } from '../../../shared/model/verdict.ts';
import type { BrowserRun, RefusedHost } from '../../probes/browser/port.ts';
import type { Choice } from './choose-run.ts';
import { endStages, type NamedEnd, type PageEndCode } from './name-end.ts';
import { displayBytes } from './ratings.ts';

type TrafficCode = Extract<
  PagespeedCode,
  'page-transfer-excessive' | 'page-not-quiet' | 'requests-not-allowed' | 'requests-unreachable'
>;
type OwnCode = Extract<PagespeedCode, 'measurement-uncertain' | 'browser-failed' | 'browser-unavailable'>;

/** Below this Lighthouse itself calls a machine slower than it expects (core/gather/driver/environment.js). */
const slowBenchmark = 1000;
/** More points between the runs than chance explains on a quiet machine. */
const wideSpread = 10;

/** Judges whether there was a page to measure: what is broken says why not, what loading had passed by then holds. */
export function judgeEnd(end: NamedEnd | undefined): Record<PageEndCode, Verdict> {
  const reached = end
    ? endStages.findIndex((codes) => codes.some((code) => code === end.code))
    : endStages.length;
  const verdicts = endStages.flatMap((codes, stage) =>
    codes.map((code): [string, Verdict] => {
      if (end?.code === code) return [code, brokenBy([end.evidence])];
      if (reached === -1) return [code, notTested('the browser did not load the page')];
      return [code, stage < reached ? 'holds' : notTested('the page could not be loaded that far')];
    }),
  );
  return Object.fromEntries(verdicts) as Record<PageEndCode, Verdict>;
}

/** Judges what went through the proxy while the page loaded. */
export function judgeTraffic(run: BrowserRun | undefined): Record<TrafficCode, Verdict> {
  if (run?.end.kind !== 'loaded') {
    const unseen = notTested('the page could not be measured');
    const cut = run && run.traffic.cut !== null ? judgeCut(run) : unseen;
    return {
      'page-transfer-excessive': cut,
      'page-not-quiet': unseen,
      'requests-not-allowed': unseen,
      'requests-unreachable': unseen,
    };
  }
  const isOurs = ({ code }: RefusedHost) =>
    code === 'target-not-allowed' || code === 'target-address-not-allowed';
  const { refused } = run.traffic;
  return {
    'page-transfer-excessive': judgeCut(run),
    'page-not-quiet': brokenIf(run.end.page.warnings.some((warning) => /loaded too slowly/i.test(warning))),
    'requests-not-allowed': brokenBy(showHosts(refused.filter(isOurs))),
    'requests-unreachable': brokenBy(showHosts(refused.filter((host) => !isOurs(host)))),
  };
}

/** Judges the measurement itself. */
export function judgeMeasurement(
  { run, spread }: Choice,
  end: NamedEnd | undefined,
): Record<OwnCode, Verdict> {
  const fault = (code: 'browser-failed' | 'browser-unavailable') =>
    end?.code === code ? brokenBy([end.evidence]) : 'holds';
  const reasons = doubtsOf(run?.end.page.environment.benchmarkIndex, spread);
  return {
    'measurement-uncertain': run
      ? brokenIf(reasons.length > 0, { reason: reasons.join(', and ') })
      : notTested('nothing was measured'),
    'browser-failed':
      end?.code === 'browser-unavailable' ? notTested('there is no browser') : fault('browser-failed'),
    'browser-unavailable': fault('browser-unavailable'),
  };
}

/** Why the numbers may be off; empty when nothing speaks against them. */
export function doubtsOf(benchmarkIndex: number | undefined, spread: number | null): readonly string[] {
  return [
    benchmarkIndex !== undefined && benchmarkIndex < slowBenchmark
      ? [
          `the machine was slow or busy (benchmark index ${Math.round(benchmarkIndex)}, below ${slowBenchmark})`,
        ]
      : [],
    spread !== null && spread > wideSpread ? [`the runs lie ${spread} points apart`] : [],
  ].flat();
}

function judgeCut({ traffic }: BrowserRun): Verdict {
  return brokenIf(traffic.cut !== null, {
    size: displayBytes(traffic.receivedBytes),
    connections: traffic.connections,
    budget: traffic.cut,
  });
}

function showHosts(refused: readonly RefusedHost[]): readonly Evidence[] {
  return refused.map(({ host, port, code, reason }) => ({
    host,
    port,
    code,
    reason,
    count: refused.length === 1 ? 'one such place' : `${refused.length} such places`,
  }));
}
