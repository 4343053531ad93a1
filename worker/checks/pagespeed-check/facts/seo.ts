import type { PageObservation, WeighedAudit } from '../../../probes/browser/port.ts';
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
  if (!categories) return { score: null, lighthouse: null, fault: '' };
  const { robots, seo = [], scores } = categories;
  const lighthouse = scores.seo ?? null;
  const fault = robots?.fault ?? '';
  const own = judgeRobots(robots);
  const isCounted = seo.some(({ id, weight }) => id === 'robots-txt' && weight > 0);
  if (own === undefined || !isCounted || lighthouse === null) return { score: lighthouse, lighthouse, fault };
  return { score: addUp(seo, own), lighthouse, fault: own === 1 ? '' : fault };
}

/** As Lighthouse does, with two digits (core/scoring.js). */
function addUp(audits: readonly WeighedAudit[], robots: number): number {
  const counted = audits.flatMap(({ id, weight, score }) =>
    weight > 0 && score !== null ? [{ weight, score: id === 'robots-txt' ? robots : score }] : [],
  );
  const all = counted.reduce((sum, { weight }) => sum + weight, 0);
  return Math.round((counted.reduce((sum, { weight, score }) => sum + weight * score, 0) / all) * 100) / 100;
}

/** 1 where a crawler can read it, 0 where not; undefined where the file was not seen. */
function judgeRobots(robots: NonNullable<PageObservation['categories']>['robots']): 0 | 1 | undefined {
  const { status = null, text = '' } = robots?.answer ?? {};
  if (status === null || status < 200 || status > 299) return undefined;
  return isParseable(parseRobots(text)) ? 1 : 0;
}
