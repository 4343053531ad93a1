import { isLoaded, type Load, type LoadedRun, type PagespeedEvidence } from '../evidence.ts';
import { type NamedEnd, nameBlock, readLoadBlock, readLoadEnd } from './end.ts';

/** Which of the runs speaks for the page. */
export type Choice = {
  /** The median by score, the lower of two; undefined when the page was never measured. */
  readonly run: LoadedRun | undefined;
  readonly chosen: 'single' | 'median' | 'none';
  /** 0 to 100, in the order of the runs. */
  readonly scores: readonly (number | null)[];
  /** Points between the best and the worst; null for fewer than two. */
  readonly spread: number | null;
  /** How the load ended that gave no page, if there is one; it was the last. */
  readonly lost: NamedEnd | undefined;
};

/** Chooses the median: LCP often differs by half between two loads of one page, so a mean would be a value that no load had. */
export function readChoice({ runs, url }: PagespeedEvidence): Choice {
  const last = runs.at(-1);
  const loaded = runs.filter(isLoaded).filter((run) => readLoadBlock(run, url) === undefined);
  const sorted = loaded.toSorted((a, b) => (a.end.page.score ?? -1) - (b.end.page.score ?? -1));
  const scores = loaded.map(({ end }) => toPoints(end.page.score));
  const known = scores.filter((score) => score !== null);
  return {
    run: sorted[Math.floor((sorted.length - 1) / 2)],
    chosen: loaded.length === 0 ? 'none' : loaded.length === 1 ? 'single' : 'median',
    scores,
    spread: known.length < 2 ? null : Math.max(...known) - Math.min(...known),
    lost: last && readLost(last, url),
  };
}

function readLost(last: Load, url: string): NamedEnd | undefined {
  if (!isLoaded(last)) return readLoadEnd(last, url);
  const block = readLoadBlock(last, url);
  return block && nameBlock(block, url);
}

/** Lighthouse's 0 to 1 as 0 to 100. */
export function toPoints(score: number | null): number | null {
  return score === null ? null : Math.round(score * 100);
}
