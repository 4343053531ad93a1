import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip, zstdCompress } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import { answers, type Wanted } from '../shared/model/job.ts';
import { anonymousAccount, type Grant, grantOf } from '../shared/report-store/grants.ts';
import type { StoredReport } from '../shared/report-store/port.ts';

export type Coding = 'identity' | 'gzip' | 'zstd';

/** A report ready to be sent: its bytes in each content coding are made once. */
export type ReadyReport = {
  readonly reportId: string;
  readonly checkedAt: number;
  readonly freshUntil: number;
  /** Strong; differs by coding. */
  readonly etags: Readonly<Record<Coding, string>>;
  readonly lastModified: string;
  /** The Link field. */
  readonly links: string;
  /** Accounts that were answered with it, as far as this process knows: their grants are written. */
  readonly givenTo: Set<string>;
  readonly grant: Grant;
  readonly identity: Buffer;
  /** The same bytes, one a character: Node sends head and body of a string in one write. */
  readonly latin1: string;
  bytes(coding: Coding): Promise<Buffer> | Buffer;
};

/** Reports in memory, by jobKey, the newest of each. */
export type ReportCache = {
  find(jobKey: string, wanted: Wanted, nowMs: number): ReadyReport | undefined;
  keep(stored: StoredReport): ReadyReport;
  drop(jobKey: string): void;
  clear(): void;
};

/** Below this size a coding saves less than its header costs. */
const leastCompressed = 1024;

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

/** The coding to send, by Accept-Encoding; identity unless one of ours is named with a weight above 0. */
export function chooseCoding(acceptEncoding: string | undefined, sizeBytes: number): Coding {
  if (acceptEncoding === undefined || sizeBytes < leastCompressed) return 'identity';
  const allows = (coding: string) =>
    new RegExp(`(?:^|[,\\s])${coding}(?!\\s*;\\s*q=0(?:\\.0*)?(?:[,\\s]|$))(?:[;,\\s]|$)`, 'i').test(
      acceptEncoding,
    );
  if (allows('zstd')) return 'zstd';
  return allows('gzip') ? 'gzip' : 'identity';
}

function makeReady(stored: StoredReport, linksOf: (reportId: string) => string): ReadyReport {
  const identity = Buffer.from(stored.json.buffer, stored.json.byteOffset, stored.json.byteLength);
  const digest = createHash('sha256').update(identity).digest('base64url').slice(0, 22);
  const made: Partial<Record<Coding, Buffer>> = { identity };
  const make = async (coding: 'gzip' | 'zstd') =>
    (made[coding] = await (coding === 'gzip' ? promisify(gzip) : promisify(zstdCompress))(identity));
  return {
    reportId: stored.reportId,
    checkedAt: stored.checkedAt,
    freshUntil: stored.freshUntil,
    etags: { identity: `"${digest}"`, gzip: `"${digest}-gzip"`, zstd: `"${digest}-zstd"` },
    lastModified: new Date(stored.checkedAt).toUTCString(),
    links: linksOf(stored.reportId),
    // The parts that a domain-health report names have to be given too.
    givenTo: new Set(stored.isOpen && stored.check !== 'domain-health' ? [anonymousAccount] : []),
    grant: grantOf(stored),
    identity,
    latin1: identity.toString('latin1'),
    bytes: (coding) => made[coding] ?? make(coding === 'gzip' ? 'gzip' : 'zstd'),
  };
}
