import type { Probes } from '../../../probes/port.ts';
import type { Work } from '../../../probes/work.ts';
import { seeBodySigns } from '../../../web/block-page.ts';
import { isHtml, parseContentType } from '../../../web/content-type.ts';
import { indexFields, valuesOf } from '../../../web/fields.ts';
import { maskHeaders, maskUrls } from '../../../web/mask-credentials.ts';
import { oncePerAnswer } from '../../../web/once-per-answer.ts';
import { readLead } from '../../../web/page-refresh.ts';
import { builtInPreloadList, type PreloadList } from '../../../web/preload-list.ts';
import { isRedirect } from '../../../web/redirect.ts';
import {
  type HttpResponse,
  redirectLimit,
  type Stop,
  seeLocation,
  type WalkedHop,
  walkRedirects,
} from '../../../web/walk.ts';
import type { Chain, ChainEnd, DocumentObservation, Hop } from '../evidence.ts';
import { readDocumentInTurns } from './read-document.ts';

/** 17 s for a chain: 3 s less than the run may take. */
const limits = { redirects: redirectLimit, pageBytes: 524_288, chainMs: 17_000 };

type ReceivedAnswer = {
  readonly kind: 'response';
  readonly hop: Hop;
  readonly answer: HttpResponse;
};

/** Walks from an address to the page that its visitor ends at: redirects are followed, and pages that send the visitor on by themselves. */
export async function walkChain(
  start: string,
  {
    http,
    work,
    preloadList = builtInPreloadList,
  }: Pick<Probes, 'http' | 'work'> & { readonly preloadList?: PreloadList },
): Promise<Chain> {
  const walked = await walkRedirects<ReceivedAnswer>(start, {
    http,
    limits,
    preloadList,
    read: async (answer, url) => ({
      seen: {
        kind: 'response',
        hop: seeHop(answer, url),
        answer,
      },
      lead: await readLead(answer, url, work),
    }),
  });
  const answers = walked.hops.flatMap(({ seen }) => (seen.kind === 'response' ? [seen] : []));
  const last = walked.hops.at(-1);
  const end = last ? endOf(walked.stop, last) : ({ kind: 'answered' } as const);
  const answer = end.kind === 'answered' ? answers.at(-1)?.answer : undefined;
  const page = answer ? seePage(answer, answer.url, work) : undefined;
  const hops = walked.hops.flatMap(markLeft);
  return { start, hops, end, document: (await page?.document) ?? null, bodySigns: page?.bodySigns ?? [] };
}

function markLeft({ seen, next }: WalkedHop<ReceivedAnswer>): Hop[] {
  if (seen.kind !== 'response') return [];
  return [next && next.via !== 'http' ? { ...seen.hop, leftBy: next.via } : seen.hop];
}

function endOf(stop: Stop, { url, seen }: WalkedHop<ReceivedAnswer>): ChainEnd {
  if (stop.kind === 'nowhere') return { kind: stop.kind, url, why: stop.why };
  if (seen.kind === 'failure') return { kind: 'failed', url, code: seen.code, reason: seen.reason };
  if (stop.kind === 'given-up')
    return { kind: 'failed', url: stop.to, code: 'budget-spent', reason: whyGivenUp };
  if (stop.kind === 'loop') return endOfLoop(stop);
  if (stop.kind === 'too-many') return { kind: stop.kind, url: stop.to ?? url };
  if (stop.kind === 'arrived' || stop.kind === 'failure' || stop.kind === 'out-of-time')
    return { kind: 'answered' };
  const location = locationOf(seen.hop);
  // Software outside of the browser gets the address, and the page that gave it stays.
  if (stop.kind === 'foreign-scheme' && location === '') return { kind: 'answered', calls: stop.scheme };
  return { kind: stop.kind, url, location: seeLocation(location, url).text };
}

function endOfLoop({ kind, to, lost }: Extract<Stop, { kind: 'loop' }>): ChainEnd {
  return { kind, url: to, ...(lost ? { lost } : {}) };
}

const whyGivenUp = `one check follows at most ${redirectLimit} redirects`;

/** The Location that its status makes browsers follow; "" where the answer is a page. */
function locationOf({ status, headers }: Hop): string {
  const lines = headers.filter(([name]) => name.toLowerCase() === 'location');
  return isRedirect(status) || lines.length > 1 ? (lines[0]?.[1] ?? '') : '';
}

function seeHop({ status, headers, tls }: HttpResponse, url: string): Hop {
  return {
    url: maskUrls(url),
    status,
    headers: maskHeaders(headers, url),
    tls: tls && {
      trusted: tls.trusted,
      error: tls.error,
      ...(tls.atRightTime ? { atRightTime: tls.atRightTime } : {}),
    },
  };
}

/** What both chains see where they end at one page. */
const seePage = oncePerAnswer((answer, _url, work: Work) => ({
  document: seeDocument(answer, work),
  bodySigns: seeBodySigns(answer.body.text, answer.url),
}));

// null where there is no page to read: another type, or a body that never came.
async function seeDocument(answer: HttpResponse, work: Work): Promise<DocumentObservation | null> {
  const { text, cut } = answer.body;
  if (!isHtml(parseContentType(valuesOf(indexFields(answer.headers), 'content-type')))) return null;
  const isUnread = cut !== undefined && cut !== 'limit' && text === '';
  if (isUnread) return null;
  const document = await readDocumentInTurns(text, answer.url, work);
  return cut === undefined ? document : { ...document, cut: document.cut ?? `its body was cut (${cut})` };
}
