import type { PagespeedCode } from '#shared/catalogue/pagespeed-check/rules';
import { isKeptBack } from '#shared/model/failure';
import type { Evidence } from '#shared/model/verdict';
import type { BrowserEnd, BrowserRun, RefusedHost } from '../../../probes/browser/port.ts';
import { whyNowhere } from '../../../web/nowhere.ts';
import { readUnseen } from '../../../web/page-seen.ts';
import { isRemote, type Load, type LoadedRun } from '../evidence.ts';
import { displayBytes } from './ratings.ts';

/** The codes by which a load that was not measured ends, in the order in which loading gets that far. */
export const endStages = [
  ['target-not-allowed', 'target-address-not-allowed', 'redirect-to-nowhere', 'target-unreachable'],
  ['certificate-not-trusted'],
  ['page-not-loaded', 'page-interstitial'],
  ['target-error-status', 'target-blocks-checks', 'target-is-default-page', 'page-not-html'],
  ['page-not-painted', 'page-hung', 'page-crashed', 'page-memory-excessive'],
] as const satisfies readonly (readonly PagespeedCode[])[];
export type PageEndCode = (typeof endStages)[number][number];

/** How far a load is known to have come: to an answer, or to the document itself, with a good status and as HTML. */
export type Reach = 'nothing' | 'answer' | 'document';

/** Where a code can be met earlier too, it is known to come no further than this. */
const reachOf: { readonly [C in PageEndCode]: Reach } = {
  'target-not-allowed': 'nothing',
  'target-address-not-allowed': 'nothing',
  'redirect-to-nowhere': 'nothing',
  'target-unreachable': 'nothing',
  'certificate-not-trusted': 'answer',
  // An empty answer, a broken handshake and a certificate that is refused end here too.
  'page-not-loaded': 'nothing',
  'page-interstitial': 'nothing',
  'target-error-status': 'document',
  'target-blocks-checks': 'document',
  'target-is-default-page': 'document',
  'page-not-html': 'document',
  'page-not-painted': 'document',
  'page-hung': 'answer',
  'page-crashed': 'nothing',
  'page-memory-excessive': 'answer',
};

/** These Lighthouse gives only to a page whose document came well (core/lib/navigation-error.js: all else comes first). */
const documentCodes: ReadonlySet<string> = new Set(['PAGE_HUNG', 'NO_DCL']);

/** How far a load came that ended so. */
export function reachOfEnd({ code, evidence }: NamedEnd): Reach {
  if (code === 'browser-failed' || code === 'browser-unavailable' || code === 'not-from-here')
    return 'nothing';
  const { lighthouse } = evidence;
  return typeof lighthouse === 'string' && documentCodes.has(lighthouse) ? 'document' : reachOf[code];
}

/** Faults of this machine; they say nothing about the page. */
export type OwnFaultCode = 'browser-failed' | 'browser-unavailable' | 'not-from-here';

/** Why there is nothing measured, as a code of the rules, and what was seen of it. */
export type NamedEnd = { readonly code: PageEndCode | OwnFaultCode; readonly evidence: Evidence };

/** Lighthouse's codes (core/lib/lh-error.js, 13.5) as ours; a code that is not here is a fault of ours. */
const lighthouseCodes: ReadonlyMap<string, PageEndCode> = new Map([
  ['DNS_FAILURE', 'target-unreachable'],
  ['FAILED_DOCUMENT_REQUEST', 'page-not-loaded'],
  ['NO_DOCUMENT_REQUEST', 'page-not-loaded'],
  ['ERRORED_DOCUMENT_REQUEST', 'target-error-status'],
  ['INSECURE_DOCUMENT_REQUEST', 'certificate-not-trusted'],
  ['CHROME_INTERSTITIAL_ERROR', 'page-interstitial'],
  ['NOT_HTML', 'page-not-html'],
  ['NO_FCP', 'page-not-painted'],
  ['NO_LCP', 'page-not-painted'],
  ['NO_NAVSTART', 'page-not-painted'],
  ['NO_TRACING_STARTED', 'page-not-painted'],
  ['NO_RESOURCE_REQUEST', 'page-not-painted'],
  ['NO_SCREENSHOTS', 'page-not-painted'],
  ['INVALID_SPEEDLINE', 'page-not-painted'],
  ['NO_SPEEDLINE_FRAMES', 'page-not-painted'],
  ['SPEEDINDEX_OF_ZERO', 'page-not-painted'],
  ['NO_METRICS', 'page-not-painted'],
  ['NO_DCL', 'page-hung'],
  ['PAGE_HUNG', 'page-hung'],
  ['PROTOCOL_TIMEOUT', 'page-hung'],
  ['TARGET_CRASHED', 'page-crashed'],
]);

/** Names how a run ended that measured nothing. */
export function readLoadEnd(run: Load, url: string): NamedEnd {
  const { host } = new URL(url);
  if (run.kind === 'failure') {
    const { code, reason } = run;
    if (code === 'target-not-allowed') return { code, evidence: { host, reason } };
    if (code === 'name-not-found') return { code: 'target-unreachable', evidence: { host, code, reason } };
    return { code, evidence: { reason, operator: run.fix } };
  }
  if (isRemote(run)) return nameGivenUp(run.end, url);
  // What the proxy saw is closer to the cause than what the browser reports.
  const refused = findMainRefusal(run, url);
  if (refused) return nameRefusal(refused, url);
  const { end, traffic } = run;
  // As one that was killed for its silence: a page that is not there would have been asked for.
  if (end.kind === 'not-measured' && isUnasked(end.code) && traffic.connections === 0)
    return { code: 'browser-failed', evidence: { reason: `it asked for nothing (${lineOf(end.message)})` } };
  if (end.kind === 'killed') return nameKill(run, end.why, host);
  if (end.kind === 'crashed') return { code: 'browser-failed', evidence: { reason: lineOf(end.message) } };
  return nameGivenUp(end, url);
}

/** Codes of a document that never came. */
function isUnasked(code: string): boolean {
  return code === 'FAILED_DOCUMENT_REQUEST' || code === 'NO_DOCUMENT_REQUEST';
}

/** Whether a server sends this status to clients that it takes for robots, so that it says nothing of the page that visitors get. */
function isBlockingStatus(status: number | null, url: string): boolean {
  return status !== null && readUnseen({ url, status, headers: [], bodySigns: [] }, url)?.kind === 'blocked';
}

/** The end of a load that met no page of the site: a challenge, a login elsewhere, the server's own page; undefined where it met one. */
export function nameStranger(run: LoadedRun, url: string): NamedEnd | undefined {
  if (isRemote(run) || !run.end.document) return undefined;
  const unseen = readUnseen({ bodySigns: [], ...run.end.document }, url);
  const { host } = new URL(url);
  if (unseen?.kind === 'default-page')
    return { code: 'target-is-default-page', evidence: { host, url: run.end.document.url, ...unseen.page } };
  if (unseen?.kind !== 'blocked') return undefined;
  const { vendor, reason } = unseen.block;
  return { code: 'target-blocks-checks', evidence: { host, vendor, reason } };
}

/** By the code that Lighthouse gave it up with. */
function nameGivenUp(end: Extract<BrowserEnd, { kind: 'loaded' | 'not-measured' }>, url: string): NamedEnd {
  const { host } = new URL(url);
  if (end.kind === 'loaded') return { code: 'browser-failed', evidence: { reason: 'it has a result' } };
  const code = lighthouseCodes.get(end.code) ?? 'browser-failed';
  if (code === 'target-error-status' && isBlockingStatus(end.status, url)) {
    const reason = `the server answers our browser with status ${end.status}, which servers send to automated clients`;
    return { code: 'target-blocks-checks', evidence: { host, status: end.status, reason } };
  }
  return {
    code,
    evidence: { host, lighthouse: end.code, reason: lineOf(end.message), status: end.status },
  };
}

/** The refusal that kept the document itself away: of the page's host, or of a host that it redirects to. */
function findMainRefusal(run: BrowserRun, url: string): RefusedHost | undefined {
  const { end, traffic } = run;
  const isDocumentLost =
    end.kind === 'not-measured' &&
    ['FAILED_DOCUMENT_REQUEST', 'DNS_FAILURE', 'CHROME_INTERSTITIAL_ERROR'].includes(end.code);
  const isSilent = end.kind === 'killed' && end.why === 'silent';
  if (!isDocumentLost && !isSilent) return undefined;
  const own = traffic.refused.find(({ host }) => host === new URL(url).hostname);
  // A document that is redirected loads nothing else, so the refused host is where the redirect goes.
  return own ?? (isDocumentLost ? traffic.refused.at(-1) : undefined);
}

function nameRefusal({ host, port, code, reason }: RefusedHost, from: string): NamedEnd {
  const evidence = { host, port, code, reason };
  const to = `https://${host}/`;
  const nowhere =
    host !== new URL(from).hostname && URL.canParse(to) ? whyNowhere({ from, to, code }) : undefined;
  if (nowhere !== undefined)
    return { code: 'redirect-to-nowhere', evidence: { ...evidence, from, reason: nowhere } };
  if (code === 'not-from-here') return { code, evidence };
  return { code: isKeptBack(code) ? code : 'target-unreachable', evidence };
}

function nameKill({ tookMs, traffic, peakMemoryBytes }: BrowserRun, why: string, host: string): NamedEnd {
  const seconds = Math.round(tookMs / 1000);
  const memory = displayBytes(peakMemoryBytes ?? 0);
  if (why === 'memory') return { code: 'page-memory-excessive', evidence: { host, memory, seconds } };
  // A browser that cannot start what it loads pages with, for want of processes or memory, asks for nothing.
  if (why === 'silent' && traffic.connections === 0)
    return { code: 'browser-failed', evidence: { reason: `it asked for nothing within ${seconds} s` } };
  if (why === 'silent')
    return {
      code: 'target-unreachable',
      evidence: { host, reason: `the connection was made, but no data came within ${seconds} s` },
    };
  const reason =
    why === 'disk' ? 'it wrote more than 100 MB to disk' : `it had not finished after ${seconds} s`;
  return { code: 'page-hung', evidence: { host, reason, receivedBytes: traffic.receivedBytes } };
}

// Words of Lighthouse or Chromium are quoted: they are whole sentences.
function lineOf(message: string): string {
  const line = message.split('\n')[0]?.slice(0, 300) ?? '';
  return `the browser says “${line.replace(/[.\s]+$/, '')}”`;
}
