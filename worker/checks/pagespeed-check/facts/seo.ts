import type { PageObservation } from '../../../probes/browser/port.ts';
import { isParseable, parseRobots } from '../../../web/robots.ts';

/** The score of SEO, 0 to 1, made anew with what our own reader says of robots.txt; `lighthouse` is the score that Lighthouse gave. */
export type SeoScore = {
  readonly score: number | null;
  readonly lighthouse: number | null;
  /** Why robots.txt costs points; "" where it does not. */
  readonly fault: string;
};

/** Lighthouse's audit knows four fields and calls any other a fault, License too; RFC 9309 §2.2.4 lets crawlers read others. */
export function readSeo({ categories }: Pick<PageObservation, 'categories'>): SeoScore {
  const lighthouse = categories?.scores.seo ?? null;
  const { robots, seo = [] } = categories ?? {};
  const own = judgeRobots(robots);
  const counted = seo.find(({ id, weight }) => id === 'robots-txt' && weight > 0);
  if (own === undefined || !counted || lighthouse === null)
    return { score: lighthouse, lighthouse, fault: robots?.fault ?? '' };
  const weights = seo.filter(({ weight, score }) => weight > 0 && score !== null);
  const all = weights.reduce((sum, { weight }) => sum + weight, 0);
  const reached = weights.reduce(
    (sum, { id, weight, score }) => sum + weight * (id === 'robots-txt' ? own : (score ?? 0)),
    0,
  );
  // Lighthouse rounds to two digits (core/scoring.js).
  return {
    score: Math.round((reached / all) * 100) / 100,
    lighthouse,
    fault: own === 1 ? '' : (robots?.fault ?? ''),
  };
}

/** 1 where a crawler can read it, 0 where not; undefined where the file was not seen. */
function judgeRobots(robots: NonNullable<PageObservation['categories']>['robots']): 0 | 1 | undefined {
  const { status = null, text = '' } = robots?.answer ?? {};
  if (status === null || status < 200 || status > 299) return undefined;
  return isParseable(parseRobots(text)) ? 1 : 0;
}
