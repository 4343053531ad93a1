import { isLoaded, type Load, type LoadedRun, type PagespeedEvidence } from '../evidence.ts';
import { type NamedEnd, nameStranger, readLoadEnd } from './end.ts';

/** Which of the runs speaks for the page. */
export type Choice = {
  /** The median run; undefined when the page was never measured. */
  readonly run: LoadedRun | undefined;
  readonly chosen: 'single' | 'median' | 'none';
  /** 0 to 100, in the order of the runs. */
  readonly scores: readonly (number | null)[];
  /** Points between the best and the worst; null for fewer than two. */
  readonly spread: number | null;
  /** How the load ended that gave no page, if there is one; it was the last. */
  readonly lost: NamedEnd | undefined;
};

/** Chooses one of the runs, since a mean of them would be a value that no load had. */
export function readChoice({ runs, url }: PagespeedEvidence): Choice {
  const last = runs.at(-1);
  const loaded = runs.filter(isLoaded).filter((run) => nameStranger(run, url) === undefined);
  const scores = loaded.map(({ end }) => toPoints(end.page.score));
  const known = scores.filter((score) => score !== null);
  return {
    run: medianByMoments(loaded) ?? medianByScore(loaded),
    chosen: loaded.length === 0 ? 'none' : loaded.length === 1 ? 'single' : 'median',
    scores,
    spread: known.length < 2 ? null : Math.max(...known) - Math.min(...known),
    lost: last && readLost(last, url),
  };
}

/**
 * As Lighthouse chooses (`computeMedianRun`, core/lib/median-run.js, 13.5): the run nearest to the medians of First Contentful Paint and Time to Interactive, by Euclidean distance;
 * of equally near ones that with the lower Time to Interactive.
 * @returns undefined where a run lacks one of the two
 */
function medianByMoments(runs: readonly LoadedRun[]): LoadedRun | undefined {
  const moments = runs.flatMap((run) => {
    const { metrics, interactiveMs } = run.end.page;
    const fcp = metrics.fcp.value;
    return fcp === null || interactiveMs === undefined ? [] : [{ run, fcp, tti: interactiveMs }];
  });
  if (moments.length === 0 || moments.length < runs.length) return undefined;
  const fcp = medianOf(moments.map((moment) => moment.fcp));
  const tti = medianOf(moments.map((moment) => moment.tti));
  const ranked = moments.map((moment) => ({
    ...moment,
    distance: Math.hypot(moment.fcp - fcp, moment.tti - tti),
  }));
  return ranked.toSorted((a, b) => a.distance - b.distance || a.tti - b.tti)[0]?.run;
}

/** The median by score, the lower of two. */
function medianByScore(runs: readonly LoadedRun[]): LoadedRun | undefined {
  const sorted = runs.toSorted((a, b) => (a.end.page.score ?? -1) - (b.end.page.score ?? -1));
  return sorted[Math.floor((sorted.length - 1) / 2)];
}

/** The middle number, or the mean of the middle two. */
function medianOf(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const lower = sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
  return (lower + upper) / 2;
}

function readLost(last: Load, url: string): NamedEnd | undefined {
  return isLoaded(last) ? nameStranger(last, url) : readLoadEnd(last, url);
}

/** Lighthouse's 0 to 1 as 0 to 100. */
export function toPoints(score: number | null): number | null {
  return score === null ? null : Math.round(score * 100);
}
