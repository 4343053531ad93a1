import { gatherFamilies } from '../../web/families.ts';
import { withoutFragment } from '../../web/location.ts';
import { isSamePage, shownForS } from '../../web/redirect.ts';
import { type PageLead, redirectLimit, type WalkLimits, walkRedirects } from '../../web/walk.ts';
import type { GatherContext } from '../check.ts';
import type { HopAnswer, RedirectEvidence } from './evidence.ts';
import { readAnswer } from './gather/read-answer.ts';

/** 18 s for the chain: 2 s less than the run may take. */
export const walkLimits: WalkLimits = { redirects: redirectLimit, pageBytes: 524_288, chainMs: 18_000 };

/** Walks the chain of a URL; Refresh fields and meta refreshes are followed too, as a browser does. */
export async function gatherRedirects(
  { target, probes, progress }: GatherContext,
  limits: WalkLimits,
): Promise<RedirectEvidence> {
  const lateAt = performance.now() + limits.chainMs / 2;
  let arrivedAt = target;
  const walked = await walkRedirects(target, {
    http: probes.http,
    limits,
    arriveAt: (url, done) => {
      arrivedAt = withoutFragment(url);
      progress({ done, total: done + 1, current: new URL(url).host });
    },
    read: (answer, url) => {
      const { seen, refresh } = readAnswer(answer, url);
      return { seen, lead: leadOfRefresh(refresh, url) };
    },
  });
  const last = walked.stop.kind === 'arrived' ? walked.hops.at(-1) : undefined;
  if (!last) return { url: target, ...walked };
  const families = await gatherFamilies(arrivedAt, probes.http, () => performance.now() < lateAt);
  return { url: target, ...walked, families };
}

// A page that only reloads itself sends nobody on.
function leadOfRefresh(refresh: HopAnswer['refresh'], url: string): PageLead | null {
  if (!refresh || refresh.seconds > shownForS || isSamePage(refresh.to, url)) return null;
  return { url: new URL(refresh.to), via: refresh.via };
}
