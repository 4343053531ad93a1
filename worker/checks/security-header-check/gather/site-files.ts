import type { HttpProbe } from '../../../probes/http/port.ts';
import { seeBodySigns } from '../../../web/block-page.ts';
import { maskHeaders, maskUrls } from '../../../web/mask-credentials.ts';
import { builtInPreloadList } from '../../../web/preload-list.ts';
import { parseRobots } from '../../../web/robots.ts';
import { type HttpResponse, type WalkLimits, walkRedirects } from '../../../web/walk.ts';
import type { SiteFileObservation, SiteFiles } from '../evidence.ts';

/** Crawlers follow at least five redirects (RFC 9309 §2.3.1.2). The files must not keep a report waiting. */
const limits = { redirects: 5, chainMs: 6000 };
/** Both files together with all they say stay below this; real ones have 1 KB. */
const securityTxtBytes = 32_768;
/** What a crawler reads at least (RFC 9309 §2.5). */
const robotsBytes = 512_000;

/** Asks for the files that a site has at fixed places, all at once. @param start any address of the site, over https */
export async function gatherSiteFiles(start: string, http: HttpProbe): Promise<SiteFiles> {
  const ask = <Content>(path: string, pageBytes: number, read: (text: string) => Content) =>
    seeFile(new URL(path, start).href, { http, limits: { ...limits, pageBytes } }, read);
  const [wellKnown, legacy, robots] = await Promise.all([
    ask('/.well-known/security.txt', securityTxtBytes, maskUrls),
    ask('/security.txt', securityTxtBytes, maskUrls),
    ask('/robots.txt', robotsBytes, parseRobots),
  ]);
  return { securityTxt: { wellKnown, legacy }, robots };
}

type SiteFileContext = { readonly http: HttpProbe; readonly limits: WalkLimits };

async function seeFile<Content>(
  url: string,
  asking: SiteFileContext,
  read: (text: string) => Content,
): Promise<SiteFileObservation<Content>> {
  const { hops, stop } = await walkRedirects<{ kind: 'response'; answer: HttpResponse }>(url, {
    ...asking,
    preloadList: builtInPreloadList,
    read: (answer) => ({ seen: { kind: 'response', answer } }),
  });
  const route = hops.map((hop) => hop.url);
  const last = hops.at(-1)?.seen;
  if (last?.kind === 'failure') return { kind: 'failed', route, reason: last.reason };
  if (!last || stop.kind !== 'arrived') return { kind: 'astray', route };
  const { status, headers, body } = last.answer;
  return {
    kind: 'answered',
    route,
    status,
    headers: maskHeaders(headers.slice(0, 100), url).map(([name, value]) => [name, value.slice(0, 1024)]),
    bodySigns: seeBodySigns(body.text, last.answer.url),
    sizeBytes: body.decodedBytes,
    cut: body.cut ?? null,
    content: isMarkup(body.text) ? null : read(body.text),
  };
}

// A page instead of the file is of any length, and nothing of it is needed.
function isMarkup(text: string): boolean {
  return /^\uFEFF?\s*</.test(text);
}
