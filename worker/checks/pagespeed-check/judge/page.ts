import type { PagespeedCode } from '#shared/catalogue/pagespeed-check/rules';
import { countOf } from '#shared/model/counts';
import { isKeptBack, isNotAsked } from '#shared/model/failure';
import { allOf, brokenBy, brokenIf, type Evidence, notTested, type Verdict } from '#shared/model/verdict';
import type { RefusedHost, Traffic } from '../../../probes/browser/port.ts';
import { isLoaded, isRemote, type Load } from '../evidence.ts';
import type { Choice } from '../facts/choice.ts';
import { endStages, type NamedEnd, type PageEndCode, reachOfEnd } from '../facts/end.ts';
import { displayBytes } from '../facts/ratings.ts';
import { readSentOn } from '../facts/sent-on.ts';

type TrafficCode = Extract<
  PagespeedCode,
  'page-transfer-excessive' | 'page-not-quiet' | 'requests-not-allowed' | 'requests-unreachable'
>;
type OwnCode = Extract<PagespeedCode, 'measurement-uncertain' | 'browser-failed' | 'browser-unavailable'>;

/** Below this Lighthouse itself calls a machine slower than it expects (core/gather/driver/environment.js). */
const slowBenchmark = 1000;
/** More points between the runs than chance explains on a quiet machine. */
const wideSpread = 10;

/** Why nothing more is said of a page that ran out of its budget. */
export const cutShort = 'the load was stopped because the page transfers too much';

/** Judges whether there was a page to measure: what is broken says why not, what loading is known to have passed by then holds. */
export function judgeEnd({ run, lost }: Choice, url: string): Record<PageEndCode, Verdict> {
  const passed = run ? endStages.flat() : lost ? codesPassed(lost) : [];
  const isOurFault = lost?.code === 'browser-failed' || lost?.code === 'browser-unavailable';
  const unseen = notTested(
    lost?.code === 'not-from-here'
      ? `${lost.evidence['reason'] as string}`
      : isOurFault
        ? 'the browser did not load the page'
        : 'the page could not be loaded that far',
  );
  const verdicts = endStages.flat().map((code): [string, Verdict] => {
    // If another load gave numbers, measurement-uncertain reports this one.
    if (lost?.code === code) return [code, run ? 'not-applicable' : brokenBy([lost.evidence])];
    if (!passed.includes(code)) return [code, unseen];
    return [code, code === 'certificate-not-trusted' ? judgeCertificate(run, url) : 'holds'];
  });
  return Object.fromEntries(verdicts) as Record<PageEndCode, Verdict>;
}

/** The codes that this end cannot have been, since loading came further. */
function codesPassed(end: NamedEnd): readonly PageEndCode[] {
  const own = endStages.findIndex((codes) => codes.some((code) => code === end.code));
  const reach = reachOfEnd(end);
  const stages = reach === 'document' ? own : reach === 'answer' ? 1 : 0;
  return endStages.slice(0, stages).flat();
}

function judgeCertificate(run: Choice['run'], url: string): Verdict {
  const addresses = run ? [url, run.end.page.finalUrl] : [url];
  if (addresses.some((address) => address.startsWith('https:'))) return 'holds';
  return run ? 'not-applicable' : notTested('whether there was a certificate was not seen');
}

/** Judges whether the page that came first is the one on which the browser stayed. */
export function judgeStay(run: Choice['run'], asked: string): Verdict {
  const sentOn = run && readSentOn(run.end.page, asked);
  if (sentOn === undefined)
    return notTested(
      run
        ? 'the address in the browser is that of no request that was seen'
        : 'the page could not be measured',
    );
  return brokenBy(sentOn === null ? [] : [{ ...sentOn }]);
}

/** Judges what went through the proxy while the page loaded. */
export function judgeTraffic(run: Load | undefined): Record<TrafficCode, Verdict> {
  const unseen = notTested('the page could not be measured');
  const traffic = run?.kind === 'run' && !isRemote(run) ? run.traffic : undefined;
  if (!run || !isLoaded(run)) {
    const cut = traffic && traffic.cut !== null ? judgeCut(traffic) : unseen;
    return {
      ...allOf({ 'page-not-quiet': 0, 'requests-not-allowed': 0, 'requests-unreachable': 0 }, unseen),
      'page-transfer-excessive': cut,
    };
  }
  return {
    'page-transfer-excessive': traffic ? judgeCut(traffic) : unseen,
    'page-not-quiet': brokenIf(run.end.page.warnings.some((warning) => /loaded too slowly/i.test(warning))),
    ...judgeRequests(traffic),
  };
}

function judgeRequests(
  traffic: Traffic | undefined,
): Record<'requests-not-allowed' | 'requests-unreachable', Verdict> {
  const refused = traffic?.refused ?? [];
  const keptBack = refused.filter(({ code }) => isKeptBack(code));
  const spent = refused.filter(({ code }) => isNotAsked(code));
  const unreached = refused.filter((host) => !keptBack.includes(host) && !spent.includes(host));
  // Once the budget of a page is used up, none of its requests are let through.
  const whole = (verdict: Verdict, why: string | false) =>
    verdict === 'holds' && why !== false ? notTested(why) : verdict;
  const isCut = traffic !== undefined && traffic.cut !== null;
  const missing = spent.find(({ code }) => code === 'not-from-here');
  const budget =
    spent.length > 0 && (missing?.reason ?? 'the budget of this run for requests to other hosts was spent');
  return {
    'requests-not-allowed': whole(brokenBy(showHosts(keptBack)), isCut && cutShort),
    'requests-unreachable': whole(brokenBy(showHosts(unreached)), isCut ? cutShort : budget),
  };
}

/** Judges the measurement itself. */
export function judgeMeasurement(choice: Choice, last: Load | undefined): Record<OwnCode, Verdict> {
  const { run, lost } = choice;
  const fault = (code: 'browser-failed' | 'browser-unavailable') =>
    lost?.code === code ? brokenBy([lost.evidence]) : 'holds';
  const unstarted = notTested('no browser was started');
  const isUnstarted = !run && last?.kind === 'failure';
  const reasons = doubtsOf(choice);
  return {
    'measurement-uncertain': run
      ? brokenIf(reasons.length > 0, { reason: reasons.join(', and ') })
      : notTested('nothing was measured'),
    'browser-failed': isUnstarted ? unstarted : fault('browser-failed'),
    'browser-unavailable':
      isUnstarted && last.code === 'target-not-allowed' ? unstarted : fault('browser-unavailable'),
  };
}

/** Why the numbers may be off; empty when nothing speaks against them. */
export function doubtsOf({ run, spread, lost }: Choice): readonly string[] {
  const benchmarkIndex = run?.end.page.environment.benchmarkIndex;
  return [
    benchmarkIndex !== undefined && benchmarkIndex < slowBenchmark
      ? [
          `the machine was slow or busy (benchmark index ${Math.round(benchmarkIndex)}, below ${slowBenchmark})`,
        ]
      : [],
    spread !== null && spread > wideSpread ? [`the runs lie ${countOf(spread, 'point')} apart`] : [],
    run && lost ? [`another load of the page gave no numbers (${lost.code})`] : [],
  ].flat();
}

function judgeCut(traffic: Traffic): Verdict {
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
    reason: reason.replace(/\.$/, ''),
    count: countOf(refused.length, 'such place'),
  }));
}
