import { randomBytes } from 'node:crypto';
import type { HttpProbe } from '../../probes/http/port.ts';
import { rememberAnswers } from '../../probes/http/remember.ts';
import { gatherFamilies } from '../../web/families.ts';
import { maskHeaders } from '../../web/mask-credentials.ts';
import { builtInPreloadList, type PreloadList } from '../../web/preload-list.ts';
import type { GatherContext } from '../check.ts';
import type { Chain, CorsObservation, DocumentObservation, HeaderEvidence } from './evidence.ts';
import { letsAnyoneIn, lookAlikesOf, showsCors } from './facts/cors.ts';
import { gatherSiteFiles } from './gather/site-files.ts';
import { walkChain } from './gather/walk-chain.ts';

/** Until then there is time to ask the page with origins, which takes 8 s at most of the 20 s of a run. */
const askOriginsBeforeMs = 10_000;

/** Sees a page's headers by what is built in about the preload list. */
export const gatherHeaders = gatherHeadersWith(builtInPreloadList);

/**
 * Makes the gather for a preload list. It walks from the https and the http address at once, asks the page with origins
 * that cannot exist, and for the site's files; where the page turns out to be elsewhere, the origins are tried there instead.
 */
export function gatherHeadersWith(
  preloadList: PreloadList,
): (context: GatherContext) => Promise<HeaderEvidence> {
  return async ({ target, probes, progress }) => {
    const seenAtMs = Date.now();
    const http = countAnswers(rememberAnswers(probes.http), progress);
    const [secure, plain] = startsOf(target);
    // In this order: the page first, as everything else waits for it; its answers to origins last, which mostly cost their connection.
    const asking = { http, work: probes.work, preloadList };
    const walks = [walkChain(secure, asking), walkChain(plain, asking)] as const;
    const [files, page] = await Promise.all([gatherSiteFiles(secure, http), gatherPage(secure, walks, http)]);
    const preload = lookUp(preloadList, target, [page.https, page.http]);
    return { url: target, seenAtMs, ...page, preload, files };
  };
}

type PageEvidence = Pick<HeaderEvidence, 'https' | 'http' | 'corsUrl' | 'cors' | 'families'>;

async function gatherPage(
  secure: string,
  walks: readonly [https: Promise<Chain>, http: Promise<Chain>],
  http: HttpProbe,
): Promise<PageEvidence> {
  const lateAt = performance.now() + askOriginsBeforeMs;
  const isInTime = () => performance.now() < lateAt;
  const origin = `https://${randomBytes(8).toString('hex')}.invalid`;
  const [https, plainChain, early] = await Promise.all([...walks, askWithOrigins(secure, origin, http)]);
  const found = pageUrlOf([https, plainChain]);
  const corsUrl = isInTime() ? (found ?? secure) : secure;
  const gatherCors = async () => {
    const answers = await (corsUrl === secure ? early : askWithOrigins(corsUrl, origin, http));
    const isPage = found === corsUrl && isWhole(https.document ?? plainChain.document);
    return isPage ? [...answers, ...(await askAsRelated(found, answers, { http, isInTime }))] : answers;
  };
  // Awaited together: where the run ends, none of them may be left alone.
  const [cors, families] = await Promise.all([
    gatherCors(),
    found === undefined ? undefined : gatherFamilies(found, http, isInTime),
  ]);
  return { https, http: plainChain, corsUrl, cors, ...(families ? { families } : {}) };
}

// A page that comes to no end has used the time of the run.
function isWhole(document: DocumentObservation | null): boolean {
  return document === null || document.cut === null || !document.cut.includes('timeout');
}

/** The https and the http address of a target; a port of its own counts only for its own scheme. */
function startsOf(target: string): [secure: string, plain: string] {
  const url = new URL(target);
  const other = new URL(target);
  other.protocol = url.protocol === 'https:' ? 'http:' : 'https:';
  other.port = '';
  return url.protocol === 'https:' ? [url.href, other.href] : [other.href, url.href];
}

/** Tells how many questions were answered. */
function countAnswers(http: HttpProbe, progress: GatherContext['progress']): HttpProbe {
  let asked = 0;
  let done = 0;
  return {
    async ask(request) {
      asked += 1;
      const answer = await http.ask(request);
      done += 1;
      progress({ done, total: asked, current: new URL(request.url).host });
      return answer;
    },
  };
}

function askWithOrigins(url: string, origin: string, http: HttpProbe): Promise<CorsObservation[]> {
  // Asked first: its answer has no page, which would cost the connection.
  const preflight = askWithOrigin({ url, method: 'OPTIONS', origin }, http);
  return Promise.all([
    askWithOrigin({ url, method: 'GET', origin }, http),
    askWithOrigin({ url, method: 'GET', origin: 'null' }, http),
    preflight,
  ]);
}

/**
 * Asks whether a page lets origins in that only look like its own. A page without CORS is asked once, with its own origin; only where that
 * answer or another shows CORS, the look-alikes are. One that lets strangers in with credentials is asked no further.
 */
async function askAsRelated(
  url: string,
  answers: readonly CorsObservation[],
  { http, isInTime }: { readonly http: HttpProbe; readonly isInTime: () => boolean },
): Promise<CorsObservation[]> {
  const [stranger = ''] = answers.map(({ origin }) => origin);
  if (answers.some(letsAnyoneIn)) return [];
  const { origin } = new URL(url);
  const own = answers.some(showsCors)
    ? []
    : [{ ...(await askWithOrigin({ url, method: 'GET', origin }, http)), as: 'own' } as const];
  if (![...answers, ...own].some(showsCors)) return own;
  const asked = lookAlikesOf(new URL(url), stranger).map(async (each): Promise<CorsObservation> => {
    const question = { url, method: 'GET', origin: each } as const;
    if (isInTime()) return { ...(await askWithOrigin(question, http)), as: 'look-alike' };
    const reason = 'there was no time left to ask';
    return { method: 'GET', origin: each, as: 'look-alike', kind: 'failed', reason };
  });
  return [...own, ...(await Promise.all(asked))];
}

type Question = { readonly url: string; readonly method: 'GET' | 'OPTIONS'; readonly origin: string };

async function askWithOrigin({ url, method, origin }: Question, http: HttpProbe): Promise<CorsObservation> {
  const preflight = method === 'OPTIONS' ? { 'access-control-request-method': 'GET' } : {};
  const answer = await http.ask({
    url,
    method,
    headers: { origin, ...preflight },
    bodyLimitBytes: 0,
    isLenient: true,
  });
  return answer.kind === 'response'
    ? { method, origin, kind: 'answered', status: answer.status, headers: maskHeaders(answer.headers, url) }
    : { method, origin, kind: 'failed', reason: answer.reason };
}

function pageUrlOf(chains: readonly Chain[]): string | undefined {
  return chains.find(({ end }) => end.kind === 'answered')?.hops.at(-1)?.url;
}

function lookUp(list: PreloadList, target: string, chains: readonly Chain[]): HeaderEvidence['preload'] {
  const urls = [target, ...chains.flatMap(({ hops }) => hops.map(({ url }) => url))];
  return [...new Set(urls.map((url) => new URL(url).hostname))].map((host) => [host, list(host)]);
}
