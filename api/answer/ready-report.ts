import type { IncomingMessage } from 'node:http';
import type { Response } from 'express';
import { LRUCache } from 'lru-cache';
import type { ReportPlaces } from '#shared/ask/find-report';
import type { GrantParts } from '#shared/ask/grant-report';
import { type Freshness, answers } from '#shared/model/freshness';
import { anonymousAccount, type Grant, grantOf } from '#shared/model/grant';
import type { StoredReport } from '#shared/ports/report-store';
import {
  type Choice,
  type Representation,
  representationFields,
  representStored,
  sendRepresentation,
} from './representation.ts';

/** A report ready to be sent. */
export type ReadyReport = Representation & {
  readonly reportId: string;
  readonly checkedAt: number;
  readonly freshUntil: number;
  readonly lastModified: string;
  /** The Link field. */
  readonly links: string;
  /** By form, what `lastingFields` has given. */
  readonly fieldLists: Record<string, readonly string[]>;
  readonly grant: Grant;
  /** True when this process knows that the account's grant of it is written. */
  isGivenTo(account: string): boolean;
  noteGiven(account: string): void;
};

/** Where reports are: in memory, and behind it in the store. */
export type Reports = ReportPlaces<ReadyReport> &
  GrantParts & {
    readonly remembered: ReportCache;
  };

/** Reports in memory, by jobKey, the newest of each. */
export type ReportCache = {
  find(jobKey: string, wanted: Freshness, nowMs: number): ReadyReport | undefined;
  keep(stored: StoredReport): ReadyReport;
  drop(jobKey: string): void;
  clear(): void;
  /** How many reports are in memory. */
  count(): number;
};

/**
 * What V8 holds for a report beside its bytes: objects, closures, ids, tags, its place in the cache.
 * Measured with 20,000 reports of 1, 2 and 4 kB: RSS grew by 3.1 to 3.2 kB each beside their bytes (`npm run bench memory`, first line);
 * the list of a form has 160 bytes.
 */
const objectBytes = 3600;
const accountBytes = 128;

/** A report with what it holds at the moment, in bytes. */
type CachedReport = { readonly ready: ReadyReport; heldBytes: number };

/**
 * Opens the cache.
 * @param sizeBytes of all reports together, as V8 holds them: their bytes in every coding made so far, and the objects around them
 * @param linksOf the Link field of a report
 */
export function openReportCache(sizeBytes: number, linksOf: (reportId: string) => string): ReportCache {
  const cache = new LRUCache<string, CachedReport>({
    maxSize: sizeBytes,
    sizeCalculation: ({ heldBytes }) => heldBytes,
  });
  return {
    find(jobKey, wanted, nowMs) {
      const ready = cache.get(jobKey)?.ready;
      return ready && answers(ready, wanted, nowMs) ? ready : undefined;
    },
    keep(stored) {
      const { jobKey } = stored;
      const known = cache.peek(jobKey)?.ready;
      if (known?.reportId === stored.reportId) return known;
      const ready = makeReady(stored, linksOf, (moreBytes) => {
        kept.heldBytes += moreBytes;
        // The cache counts an entry when it is set.
        if (cache.peek(jobKey) === kept && cache.delete(jobKey)) cache.set(jobKey, kept);
      });
      const bytes = stored.prepared?.gzip.length ?? ready.sizeBytes;
      const kept: CachedReport = { ready, heldBytes: objectBytes + stored.target.length + bytes };
      if (!known || known.checkedAt <= stored.checkedAt) cache.set(jobKey, kept);
      return ready;
    },
    drop: (jobKey) => void cache.delete(jobKey),
    clear: () => cache.clear(),
    count: () => cache.size,
  };
}

function makeReady(
  stored: StoredReport,
  linksOf: (reportId: string) => string,
  onGrown: (moreBytes: number) => void,
): ReadyReport {
  // The parts that a domain-health report names have to be given too.
  const givenTo = new Set(stored.isOpen && stored.check !== 'domain-health' ? [anonymousAccount] : []);
  return {
    ...representStored(stored, onGrown),
    reportId: stored.reportId,
    checkedAt: stored.checkedAt,
    freshUntil: stored.freshUntil,
    lastModified: new Date(stored.checkedAt).toUTCString(),
    links: linksOf(stored.reportId),
    fieldLists: {},
    grant: grantOf(stored),
    isGivenTo: (account) => givenTo.has(account),
    noteGiven(account) {
      if (givenTo.has(account)) return;
      givenTo.add(account);
      onGrown(accountBytes);
    },
  };
}

export type ReportAnswer = {
  readonly ready: ReadyReport;
  /** How it came about, for Cache-Status (RFC 9211). */
  readonly via: 'hit' | 'stored' | 'collapsed';
  /** The caller asked for its own freshness: then no cache may answer for us. */
  readonly isOwnFreshness: boolean;
  readonly isPublic: boolean;
};

/** The fields that are the same in each answer with this form of a report, but for its length, as a flat list of names and values. */
export function lastingFields(ready: ReadyReport, choice: Choice): readonly string[] {
  const form = choice.isKnown ? `${choice.coding} known` : choice.coding;
  return (ready.fieldLists[form] ??= [...representationFields(ready, choice), ...originFields(ready)]);
}

function originFields({ lastModified, links }: ReadyReport): readonly string[] {
  return ['Last-Modified', lastModified, 'Link', links];
}

/** The fields that tell caches of a report's answer, as a flat list of names and values. */
export function cacheFields({ ready, via, isOwnFreshness, isPublic }: ReportAnswer): readonly string[] {
  const freshForS = Math.max(0, Math.round((ready.freshUntil - Date.now()) / 1000));
  const cacheControl = isOwnFreshness
    ? 'private, no-cache'
    : `${isPublic ? 'public' : 'private'}, max-age=${freshForS}`;
  return ['Cache-Control', cacheControl, 'Cache-Status', cacheStatus(via, isOwnFreshness, freshForS)];
}

/** Sends a report: 200, or 304 when the caller has it already. */
export async function sendReport(
  request: IncomingMessage,
  response: Response,
  answer: ReportAnswer,
): Promise<void> {
  const fields = [...cacheFields(answer), ...originFields(answer.ready)];
  // What was announced before stays; writeHead would replace it.
  const announced = response.getHeader('Link');
  if (announced !== undefined) fields.push('Link', String(announced));
  await sendRepresentation(request, response, answer.ready, fields);
}

// RFC 9211 §2.2: `request` where a stored answer was there and the caller did not want it.
function cacheStatus(via: ReportAnswer['via'], isOwnFreshness: boolean, ttlS: number): string {
  if (via === 'hit') return `diag; hit; ttl=${ttlS}`;
  const forwarded = `diag; fwd=${isOwnFreshness ? 'request' : 'uri-miss'}`;
  return `${forwarded}; ${via}`;
}
