import type { UserAgent } from '#shared/catalogue/redirect-check/spec';
import { withoutFragment } from '#shared/targets/without-fragment';
import type { HttpProbe } from '../../probes/http/port.ts';
import { gatherFamilies } from '../../web/families.ts';
import { indexFields, valuesOf } from '../../web/fields.ts';
import { leadOfRefresh } from '../../web/page-refresh.ts';
import { builtInPreloadList, type PreloadList } from '../../web/preload-list.ts';
import { redirectLimit, seeLocation, type WalkLimits, walkRedirects } from '../../web/walk.ts';
import type { GatherContext } from '../check.ts';
import type { FirstAnswer, RedirectEvidence } from './evidence.ts';
import { readAnswer } from './gather/read-answer.ts';

/** 18 s for the chain: 2 s less than the run may take. */
export const walkLimits: WalkLimits = { redirects: redirectLimit, pageBytes: 524_288, chainMs: 18_000 };

/** Walks the chain of a URL; Refresh fields and meta refreshes are followed too, as a browser does. */
export async function gatherRedirects(
  { target, options, probes, progress }: GatherContext,
  limits: WalkLimits,
  preloadList: PreloadList = builtInPreloadList,
): Promise<RedirectEvidence> {
  const lateAt = performance.now() + limits.chainMs / 2;
  let arrivedAt = target;
  const userAgent = readUserAgent(options['userAgent']);
  const ours = userAgent === undefined ? undefined : askAsOurs(target, probes.http);
  const walk = walkRedirects(target, {
    http: probes.http,
    limits,
    userAgent,
    preloadList,
    arriveAt: (url, done) => {
      arrivedAt = withoutFragment(url);
      progress({ done, total: done + 1, current: new URL(url).host });
    },
    read: async (answer, url) => {
      const { seen, refresh } = await readAnswer(answer, url, probes.work);
      return { seen, lead: leadOfRefresh(refresh, url, seen.bodySigns ?? []) };
    },
  });
  const [walked, asOurs] = await Promise.all([walk, ours]);
  const last = walked.stop.kind === 'arrived' ? walked.hops.at(-1) : undefined;
  const isPreloaded = preloadList(new URL(target).hostname) === 'listed';
  const seen = { url: target, isPreloaded, ...walked, ...(asOurs ? { asOurs } : {}) };
  if (!last) return seen;
  const families = await gatherFamilies(arrivedAt, probes.http, () => performance.now() < lateAt);
  return { ...seen, families };
}

async function askAsOurs(url: string, http: HttpProbe): Promise<FirstAnswer> {
  const answer = await http.ask({ url: withoutFragment(url), bodyLimitBytes: 0 });
  if (answer.kind === 'failure') return { kind: 'failed', reason: answer.reason };
  const [location] = valuesOf(indexFields(answer.headers), 'location');
  const { status } = answer;
  return {
    kind: 'answered',
    status,
    location: location === undefined ? null : seeLocation(location, url).text,
  };
}

/** What is sent as User-Agent for each choice but our own. Each still names this service, so that an operator knows who asked. */
const userAgentTexts: { readonly [A in Exclude<UserAgent, 'ours'>]: string } = {
  desktop:
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 DiagnosticTools',
  phone:
    'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36 DiagnosticTools',
  'googlebot-like': 'Mozilla/5.0 (compatible; Googlebot/2.1-like; DiagnosticTools)',
};

/** The text for an option of a job; undefined where our own User-Agent is sent. */
function readUserAgent(option: unknown): string | undefined {
  return typeof option === 'string' && Object.hasOwn(userAgentTexts, option)
    ? userAgentTexts[option as keyof typeof userAgentTexts]
    : undefined;
}
