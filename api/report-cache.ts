import { LRUCache } from 'lru-cache';
import { answers, type Wanted } from '../shared/model/job.ts';
import { anonymousAccount, type Grant, grantOf } from '../shared/report-store/grants.ts';
import type { StoredReport } from '../shared/report-store/port.ts';
import { type Representation, represent } from './representation.ts';

/** A report ready to be sent. */
export type ReadyReport = Representation & {
  readonly reportId: string;
  readonly checkedAt: number;
  readonly freshUntil: number;
  readonly lastModified: string;
  /** The Link field. */
  readonly links: string;
  /** Accounts that were answered with it, as far as this process knows: their grants are written. */
  readonly givenTo: Set<string>;
  readonly grant: Grant;
  /** The bytes of `identity`, one a character: Node sends head and body of a string in one write. */
  readonly latin1: string;
};

/** Reports in memory, by jobKey, the newest of each. */
export type ReportCache = {
  find(jobKey: string, wanted: Wanted, nowMs: number): ReadyReport | undefined;
  keep(stored: StoredReport): ReadyReport;
  drop(jobKey: string): void;
  clear(): void;
};

/** Opens the cache. @param sizeBytes of all reports together @param linksOf the Link field of a report */
export function openReportCache(sizeBytes: number, linksOf: (reportId: string) => string): ReportCache {
  const cache = new LRUCache<string, ReadyReport>({
    maxSize: sizeBytes,
    sizeCalculation: ({ identity }) => identity.length * 3 + 512,
  });
  return {
    find(jobKey, wanted, nowMs) {
      const ready = cache.get(jobKey);
      return ready && answers(ready, wanted, nowMs) ? ready : undefined;
    },
    keep(stored) {
      const known = cache.peek(stored.jobKey);
      if (known?.reportId === stored.reportId) return known;
      const ready = makeReady(stored, linksOf);
      if (!known || known.checkedAt <= stored.checkedAt) cache.set(stored.jobKey, ready);
      return ready;
    },
    drop: (jobKey) => void cache.delete(jobKey),
    clear: () => cache.clear(),
  };
}

function makeReady(stored: StoredReport, linksOf: (reportId: string) => string): ReadyReport {
  const representation = represent(stored.json, 'application/json; charset=utf-8');
  return {
    ...representation,
    reportId: stored.reportId,
    checkedAt: stored.checkedAt,
    freshUntil: stored.freshUntil,
    lastModified: new Date(stored.checkedAt).toUTCString(),
    links: linksOf(stored.reportId),
    // The parts that a domain-health report names have to be given too.
    givenTo: new Set(stored.isOpen && stored.check !== 'domain-health' ? [anonymousAccount] : []),
    grant: grantOf(stored),
    latin1: representation.identity.toString('latin1'),
  };
}
