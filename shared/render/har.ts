import type { z } from 'zod';
import { pagespeedReportShape, type speedRequestSchema } from '../catalogue/pagespeed-check/report.ts';
import type { Report } from '../model/report.ts';

type Request = z.infer<typeof speedRequestSchema>;

/** A file is not longer: what would pass it is left out, and the log says so. */
const mostCharacters = 2_000_000;

/**
 * The requests of a page as an HTTP Archive (HAR 1.2): who reads it gets their order, times and sizes. There are no cookies, header fields,
 * request bodies or response texts in it, as no report has them.
 */
export function renderHar(report: Report): string {
  const read = pagespeedReportShape.requests.safeParse(report['requests']).data;
  const begunMs = Date.parse(report.checkedAt) - report.durationMs;
  const all = read?.entries ?? [];
  const entries: object[] = [];
  let left = mostCharacters;
  for (const request of all) {
    const entry = describeEntry(request, begunMs);
    left -= JSON.stringify(entry).length + 1;
    if (left < 0) break;
    entries.push(entry);
  }
  const total = Math.max(read?.total ?? 0, all.length);
  const log = {
    version: '1.2',
    creator: { name: 'Diagnostic Tools', version: `rules ${report.rulesVersion}` },
    pages: [
      {
        startedDateTime: new Date(begunMs).toISOString(),
        id: 'page',
        title: titleOf(report),
        pageTimings: { onContentLoad: -1, onLoad: -1 },
        comment: 'It began about then; the times of the requests among each other are as seen.',
      },
    ],
    entries,
    ...(entries.length < total ? { comment: `The first ${entries.length} of ${total} requests.` } : {}),
  };
  return JSON.stringify({ log });
}

function titleOf({ target }: Report): string {
  return typeof target['url'] === 'string' ? target['url'] : '';
}

function describeEntry(request: Request, begunMs: number): object {
  const timings = describeTimings(request);
  const { blocked, dns, connect, send, wait, receive } = timings;
  const time = [blocked, dns, connect, send, wait, receive].reduce((sum, ms) => sum + Math.max(0, ms), 0);
  const { bytes, priority, type, owner, failure, initiator, fromCache } = request;
  return {
    pageref: 'page',
    startedDateTime: new Date(begunMs + request.startMs).toISOString(),
    time: round(time),
    request: describeRequest(request),
    response: describeResponse(request),
    cache: {},
    timings,
    // Fields of their own begin with an underscore, by the format's rules; the names are those that Chromium's DevTools writes.
    _resourceType: type.toLowerCase(),
    _priority: priority,
    _initiator: initiator,
    _transferSize: bytes,
    _owner: owner,
    ...(fromCache ? { _fromCache: 'memory' } : {}),
    ...(failure === null ? {} : { _error: failure }),
  };
}

function describeRequest({ url, method, protocol }: Request) {
  const { searchParams } = URL.parse(url) ?? new URL('about:blank');
  return {
    method,
    url: asUri(url),
    httpVersion: versionOf(protocol),
    cookies: [],
    headers: [],
    queryString: [...searchParams].map(([name, value]) => ({ name, value })),
    headersSize: -1,
    bodySize: -1,
  };
}

function describeResponse({ status, protocol, decodedBytes, mimeType, redirectsTo }: Request) {
  return {
    status,
    statusText: '',
    httpVersion: versionOf(protocol),
    cookies: [],
    headers: [],
    content: { size: decodedBytes, mimeType: mimeType ?? '' },
    redirectURL: asUri(redirectsTo ?? ''),
    headersSize: -1,
    bodySize: -1,
  };
}

/** What the browser did not tell was waiting. −1 stands for a phase that a request did not have. */
function describeTimings({ timings, startMs, endMs }: Request) {
  if (timings === null)
    return { blocked: -1, dns: -1, connect: -1, ssl: -1, send: 0, wait: endMs - startMs, receive: 0 };
  const { blocked, dns, connect, ssl, send, wait, receive } = timings;
  return { blocked, dns: dns ?? -1, connect: connect ?? -1, ssl: ssl ?? -1, send, wait, receive };
}

function versionOf(protocol: string | null): string {
  const names: ReadonlyMap<string, string> = new Map([
    ['h2', 'HTTP/2'],
    ['h3', 'HTTP/3'],
    ['http/1.1', 'HTTP/1.1'],
    ['http/1.0', 'HTTP/1.0'],
  ]);
  return names.get(protocol ?? '') ?? '';
}

// Browsers ask for addresses with characters that RFC 3986 does not know.
function asUri(url: string): string {
  return url.replace(/[^\w\-.~:/?#[\]@!$&'()*+,;=%]/gu, (character) =>
    encodeURIComponent(character.isWellFormed() ? character : '\ufffd'),
  );
}

function round(ms: number): number {
  return Math.round(ms * 10) / 10;
}
