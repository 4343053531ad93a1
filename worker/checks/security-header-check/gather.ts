import { randomBytes } from 'node:crypto';
import type { HttpAnswer } from '../../probes/http/port.ts';
import type { GatherContext } from '../check.ts';
import type { Chain, CorsSight, HeaderEvidence } from './evidence.ts';
import { builtInPreloadList, type PreloadList } from './gather/preload.ts';
import { type Ask, walkChain } from './gather/walk-chain.ts';

/** After this no further hop is asked; an answer may take 8 s more, and a run 20 s in all. */
const walkLimitMs = 10_000;

/** Sees a page's headers by what is built in about the preload list. */
export const gatherHeaders = gatherHeadersWith(builtInPreloadList);

/**
 * Makes the gather for a preload list. It walks from the https and the http address at once, and asks the page with origins
 * that cannot exist; where the page turns out to be elsewhere, those questions are asked there instead.
 */
export function gatherHeadersWith(
  preloadList: PreloadList,
): (context: GatherContext) => Promise<HeaderEvidence> {
  return async ({ target, probes, progress }) => {
    const seenAtMs = Date.now();
    const lateAt = performance.now() + walkLimitMs;
    const isInTime = () => performance.now() < lateAt;
    const ask = countingAsk((request) => probes.http.ask(request), progress);
    const origin = `https://${randomBytes(8).toString('hex')}.invalid`;
    const [secure, plain] = startsOf(target);
    const [https, http, early] = await Promise.all([
      walkChain(secure, ask, isInTime),
      walkChain(plain, ask, isInTime),
      askWithOrigins(secure, origin, ask),
    ]);
    const pageUrl = pageUrlOf([https, http]) ?? secure;
    const corsUrl = isInTime() ? pageUrl : secure;
    const cors = corsUrl === secure ? early : await askWithOrigins(corsUrl, origin, ask);
    const preload = lookUp(preloadList, target, [https, http]);
    return { url: target, seenAtMs, https, http, corsUrl, cors, preload };
  };
}

/** The https and the http address of a target; a port of its own counts only for its own scheme. */
function startsOf(target: string): [secure: string, plain: string] {
  const url = new URL(target);
  const other = new URL(target);
  other.protocol = url.protocol === 'https:' ? 'http:' : 'https:';
  other.port = '';
  return url.protocol === 'https:' ? [url.href, other.href] : [other.href, url.href];
}

/** One answer for one question in a run: both chains usually end at the same page. */
function countingAsk(send: Ask, progress: GatherContext['progress']): Ask {
  const known = new Map<string, Promise<HttpAnswer>>();
  let done = 0;
  return (request) => {
    const key = JSON.stringify([request.method ?? 'GET', request.url, request.headers ?? {}]);
    const earlier = known.get(key);
    if (earlier) return earlier;
    const answer = send(request).then((seen) => {
      done += 1;
      progress({ done, total: known.size, current: new URL(request.url).host });
      return seen;
    });
    known.set(key, answer);
    return answer;
  };
}

function askWithOrigins(url: string, origin: string, ask: Ask): Promise<CorsSight[]> {
  return Promise.all([
    askWithOrigin({ url, method: 'GET', origin }, ask),
    askWithOrigin({ url, method: 'GET', origin: 'null' }, ask),
    askWithOrigin({ url, method: 'OPTIONS', origin }, ask),
  ]);
}

type Question = { readonly url: string; readonly method: 'GET' | 'OPTIONS'; readonly origin: string };

async function askWithOrigin({ url, method, origin }: Question, ask: Ask): Promise<CorsSight> {
  const preflight = method === 'OPTIONS' ? { 'access-control-request-method': 'GET' } : {};
  const answer = await ask({ url, method, headers: { origin, ...preflight }, bodyLimitBytes: 0 });
  return answer.kind === 'response'
    ? { method, origin, kind: 'answered', status: answer.status, headers: answer.headers }
    : { method, origin, kind: 'failed', reason: answer.reason };
}

function pageUrlOf(chains: readonly Chain[]): string | undefined {
  return chains.find(({ end }) => end.kind === 'answered')?.hops.at(-1)?.url;
}

function lookUp(list: PreloadList, target: string, chains: readonly Chain[]): HeaderEvidence['preload'] {
  const urls = [target, ...chains.flatMap(({ hops }) => hops.map(({ url }) => url))];
  return [...new Set(urls.map((url) => new URL(url).hostname))].map((host) => [host, list(host)]);
}
