import { NetworkRecorder } from 'lighthouse/core/lib/network-recorder.js';
import thirdPartyWeb from 'lighthouse/core/lib/third-party-web.js';
import { siteOf } from '#shared/targets/parse-target';
import { cleanAddress } from '../clean-address.ts';
import type { RequestObservation, RequestsObservation, RequestTimings } from '../port.ts';

type Log = Parameters<typeof NetworkRecorder.recordsFromLogs>[0];
type Row = ReturnType<NetworkRecorder['getRawRecords']>[number];

/** Requests that are kept; all are counted. */
const mostEntries = 500;
/** Characters of all addresses that are kept; usual pages have a tenth of it. */
const mostCharacters = 400_000;

/** Where the page is from, by the address that was asked for and by that on which the browser ended. */
type PageAddresses = { readonly asked: string; readonly final: string };

/** Reads the requests of a load from the log of the DevTools protocol: what Lighthouse's own table leaves out is there. */
export function readLog(log: Log, page: PageAddresses): RequestsObservation {
  const recorder = new NetworkRecorder();
  // Without Lighthouse's search for the request of each initiator, which takes n² steps for a page that wants it so.
  for (const message of log) recorder.dispatch(message);
  const rows = recorder.getRawRecords().filter(({ isValid }) => isValid);
  const begun = rows.reduce((least, row) => Math.min(least, row.rendererStartTime), Infinity);
  const sites: Sites = { own: siteOfUrl(page.asked) ?? '', final: siteOfUrl(page.final) };
  const wire = rows.filter(isOnWire);
  const foreign = wire.filter((row) => isThirdParty(row, sites));
  return {
    total: rows.length,
    overNetwork: wire.length,
    bytes: sumBytes(wire),
    thirdPartyBytes: sumBytes(foreign),
    entries: keepFirst(rows, (row) => readRow(row, begun, sites)),
  };
}

function keepFirst(
  rows: readonly Row[],
  read: (row: Row) => RequestObservation,
): readonly RequestObservation[] {
  const kept: RequestObservation[] = [];
  let left = mostCharacters;
  for (const row of rows.toSorted((one, other) => one.networkRequestTime - other.networkRequestTime)) {
    const request = read(row);
    left -= request.url.length + (request.initiator.url?.length ?? 0) + (request.redirectsTo?.length ?? 0);
    if (kept.length >= mostEntries || left < 0) break;
    kept.push(request);
  }
  return kept;
}

type Sites = { readonly own: string; readonly final: string | undefined };

function siteOfUrl(address: string): string | undefined {
  const url = URL.parse(address);
  return url && url.hostname !== '' ? siteOf(url.hostname) : undefined;
}

function isOnWire({ url }: Row): boolean {
  return /^(?:https?|wss?):/.test(url);
}

function isThirdParty(row: Row, { final }: Sites): boolean {
  return isOnWire(row) && final !== undefined && siteOfUrl(row.url) !== final;
}

function sumBytes(rows: readonly Row[]): number {
  return rows.reduce((sum, row) => sum + atLeast0(row.transferSize), 0);
}

function readRow(row: Row, begun: number, sites: Sites): RequestObservation {
  const startMs = atLeast0(row.networkRequestTime - begun);
  const isWire = isOnWire(row);
  return {
    url: cleanAddress(row.url, sites.own),
    method: row.requestMethod.slice(0, 20),
    type: row.resourceType ?? 'Other',
    status: Math.max(0, row.statusCode),
    protocol: wordOf(row.protocol),
    mimeType: wordOf(row.mimeType),
    bytes: atLeast0(row.transferSize),
    decodedBytes: atLeast0(row.resourceSize),
    startMs,
    endMs: Math.max(startMs, atLeast0(row.networkEndTime - begun)),
    priority: row.priority,
    owner: isWire ? (thirdPartyWeb.getEntity(row.url)?.name ?? null) : null,
    isThirdParty: isThirdParty(row, sites),
    initiator: readInitiator(row, sites),
    redirectsTo: row.redirectDestination ? cleanAddress(row.redirectDestination.url, sites.own) : null,
    fromCache: isWire && isCached(row),
    failure: row.failed ? (wordOf(row.localizedFailDescription) ?? 'failed') : null,
    timings: readTimings(row),
  };
}

function readInitiator({ initiator }: Row, { own }: Sites): RequestObservation['initiator'] {
  const { type, stack, url = findCaller(stack) } = initiator;
  return { type, url: url ? cleanAddress(url, own) : null };
}

type Stack =
  | { readonly callFrames: readonly { readonly url: string }[]; readonly parent?: Stack | undefined }
  | undefined;
/** A promise or timer begins a stack of its own, below which lies that of whoever set it. */
const deepestStack = 20;

/** The script that asked: the first on the stack that has an address. */
function findCaller(top: Stack): string | undefined {
  let stack: Stack = top;
  for (let depth = 0; stack && depth < deepestStack; depth += 1, stack = stack.parent) {
    const named = stack.callFrames.find(({ url }) => url !== '');
    if (named) return named.url;
  }
  return undefined;
}

function isCached({ fromDiskCache, fromMemoryCache, fromPrefetchCache }: Row): boolean {
  return fromDiskCache || fromMemoryCache || fromPrefetchCache;
}

function wordOf(text: string): string | null {
  return text.slice(0, 100) || null;
}

/** The phases of a request that was answered over a connection, in ms; null where there was none. */
function readTimings({ timing, networkRequestTime, networkEndTime }: Row): RequestTimings | null {
  if (!timing || timing.receiveHeadersEnd < 0) return null;
  const { dnsStart, dnsEnd, connectStart, connectEnd, sslStart, sslEnd, sendStart, sendEnd } = timing;
  const begins = [dnsStart, connectStart, sendStart].filter((ms) => ms >= 0);
  const span = (from: number, to: number) => (from < 0 ? null : round(Math.max(0, to - from)));
  return {
    blocked: round(Math.max(0, Math.min(...begins))),
    dns: span(dnsStart, dnsEnd),
    connect: span(connectStart, connectEnd),
    ssl: span(sslStart, sslEnd),
    send: round(Math.max(0, sendEnd - sendStart)),
    wait: round(Math.max(0, timing.receiveHeadersEnd - sendEnd)),
    receive: round(Math.max(0, networkEndTime - networkRequestTime - timing.receiveHeadersEnd)),
  };
}

function atLeast0(value: number): number {
  return Number.isFinite(value) ? Math.max(0, Math.round(value)) : 0;
}

function round(ms: number): number {
  return Number.isFinite(ms) ? Math.round(ms * 10) / 10 : 0;
}
