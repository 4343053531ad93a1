import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { zstdCompress } from 'node:zlib';
import type { Logger } from '#shared/logger';
import { Problem } from '#shared/model/problem';
import type { Blob, ReportStore } from '#shared/report-store/port';
import type { EvidenceFile } from './judge.ts';
import { maskEvidence, mayHoldSecrets } from './mask-evidence.ts';

export type EvidenceSettings = {
  readonly reportStore: Pick<ReportStore, 'keepBlobs'>;
  readonly log: Logger;
  /** How long the evidence of a report is kept for the operator; 0 keeps none. */
  readonly evidenceForS: number;
};

/** Keeps what reports were judged from, for the operator alone, who may want to judge it again. */
export type EvidenceKeeper = {
  /** Takes a file to be written soon. Costs the run nothing, and never fails it. */
  keep(file: EvidenceFile): void;
  /** Writes what was taken. */
  close(): Promise<void>;
};

/** Evidence that is larger packed is not kept. */
const packedLimitBytes = 262_144;
/** Characters; evidence of usual sites packs to a tenth or less. */
const jsonLimit = 2_621_440;
/** Files that wait to be written; what comes beyond is not kept. */
const waitingLimit = 200;
const batch = 20;
/** Answers that the end of a run sets off go first. */
const restMs = 100;

type Waiting = { readonly file: EvidenceFile; readonly reportId: string; readonly expiresAt: number };

/** Opens the keeper: files are masked, packed and written in batches after their runs; what fails is logged and let go. */
export function openEvidenceKeeper({ reportStore, log, evidenceForS }: EvidenceSettings): EvidenceKeeper {
  const waiting: Waiting[] = [];
  let dropped = 0;
  let writing: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  const writeBatch = async () => {
    const blobs: Blob[] = [];
    for (const each of waiting.splice(0, batch)) {
      const bytes = await pack(each.file);
      if (bytes && bytes.length <= packedLimitBytes)
        blobs.push({ name: { reportId: each.reportId, kind: 'evidence' }, bytes, expiresAt: each.expiresAt });
      await nextTurn();
    }
    try {
      if (blobs.length > 0) await reportStore.keepBlobs(blobs);
    } catch (error) {
      const lost = { files: blobs.length, err: error };
      if (error instanceof Problem) log.warn(lost, 'evidence not kept');
      else log.error(lost, 'evidence not kept');
    }
  };
  const writeAll = async () => {
    while (waiting.length > 0) await writeBatch();
    if (dropped > 0) log.warn({ files: dropped, waitingLimit }, 'evidence not kept: too much at once');
    dropped = 0;
    writing = undefined;
  };
  const start = () => {
    clearTimeout(timer);
    timer = undefined;
    writing ??= writeAll();
    return writing;
  };
  return {
    keep(file) {
      const { reportId } = file;
      if (evidenceForS === 0 || reportId === null) return;
      if (waiting.length >= waitingLimit) {
        dropped += 1;
        return;
      }
      waiting.push({ file, reportId, expiresAt: Date.now() + evidenceForS * 1000 });
      if (!writing) timer ??= setTimeout(() => void start(), restMs).unref();
    },
    close: start,
  };
}

const compress = promisify(zstdCompress);

/** In a thread of Node's pool: megabytes that a hostile target sent would block the event loop. */
async function pack(file: EvidenceFile): Promise<Uint8Array | undefined> {
  const json = JSON.stringify(file);
  if (json.length > jsonLimit) return undefined;
  const masked = mayHoldSecrets(json)
    ? JSON.stringify({ ...file, evidence: maskEvidence(file.evidence) })
    : json;
  const bytes = Buffer.from(masked);
  // Where it is told the size, zstd makes its tables no larger than that.
  return compress(bytes, { pledgedSrcSize: bytes.length });
}
