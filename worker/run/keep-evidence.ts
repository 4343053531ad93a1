import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { zstdCompress, zstdCompressSync } from 'node:zlib';
import { Problem } from '#shared/model/problem';
import type { Blob, ReportStore } from '#shared/ports/report-store';
import type { Logger } from '#shared/telemetry/logger';
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
  /**
   * Packs a file and hands it to the store. `kept` resolves when the store has it or could not take it at once; neither ever rejects.
   * A report that is inserted after `kept` has its evidence even if the process is killed in between; without a report it expires.
   * @param json the file as JSON
   */
  begin(file: EvidenceFile, json: string): Promise<{ readonly kept: Promise<void> }>;
  /** Waits for what was begun; what the store has not taken by then is tried once more. */
  close(): Promise<void>;
};

/** Evidence that is larger packed is not kept. */
const packedLimitBytes = 262_144;
/** Characters; evidence of usual sites packs to a tenth or less. */
const jsonLimit = 2_621_440;
/** Bytes; packing more would hold up the event loop for longer than a thread takes to begin. */
const syncLimit = 100_000;
/** Files that wait for the store; what comes beyond is not kept. */
const waitingLimit = 200;
/** As patient as the writing of reports. */
const tries = 8;
const retryMs = 1000;
/** Losses of so long are reported together. */
const tellMs = 1000;

/** Opens the keeper. What fails is logged and let go. */
export function openEvidenceKeeper({ reportStore, log, evidenceForS }: EvidenceSettings): EvidenceKeeper {
  const losses = openLosses(log);
  const writing = openWriting(reportStore, losses);
  return {
    async begin(file, json) {
      const { reportId } = file;
      const bytes = evidenceForS > 0 && reportId !== null ? await pack(file, json) : undefined;
      if (!bytes || reportId === null) return nothingToKeep;
      const expiresAt = file.checkedAtMs + evidenceForS * 1000;
      const kept = writing.begin({ name: { reportId, kind: 'evidence' }, bytes, expiresAt });
      // The driver writes to its socket in this turn of the loop: judging, which comes next, may take all of it.
      await nextTurn();
      return { kept };
    },
    async close() {
      await writing.close();
      losses.tell();
    },
  };
}

/** Writes evidence that another process has packed. */
export type EvidenceWriter = {
  /** Resolves when the store has it or could not take it at once. */
  readonly begin: (blob: Blob) => Promise<void>;
  close(): Promise<void>;
};

/** Opens the writer, as patient as the keeper. */
export function openEvidenceWriter({
  reportStore,
  log,
}: Omit<EvidenceSettings, 'evidenceForS'>): EvidenceWriter {
  const losses = openLosses(log);
  const writing = openWriting(reportStore, losses);
  return {
    begin: writing.begin,
    async close() {
      await writing.close();
      losses.tell();
    },
  };
}

const nothingToKeep = { kept: Promise.resolve() };

/** Writes into the store; what it cannot take now is tried again, beside the runs. */
function openWriting(reportStore: EvidenceSettings['reportStore'], losses: LostEvidence) {
  const closing = new AbortController();
  const under = new Set<Promise<void>>();
  const track = (work: Promise<void>): Promise<void> => {
    const done: Promise<void> = work.finally(() => under.delete(done));
    under.add(done);
    return done;
  };
  /** Gives what may be tried again. */
  const writeOnce = async (blob: Blob): Promise<Problem | undefined> => {
    try {
      await reportStore.keepBlobs([blob]);
      return undefined;
    } catch (error) {
      if (error instanceof Problem) return error;
      losses.add('error', error);
      return undefined;
    }
  };
  const writeAgain = async (blob: Blob): Promise<void> => {
    for (let tried = 2; ; tried += 1) {
      await delay(retryMs, undefined, { signal: closing.signal }).catch(() => undefined); // closing: try at once
      const fault = await writeOnce(blob);
      if (!fault) return;
      if (tried >= tries || closing.signal.aborted) return losses.add('warn', fault);
    }
  };
  return {
    /** Resolves after the first try. */
    begin: async (blob: Blob): Promise<void> => {
      if (under.size >= waitingLimit) return losses.add('warn', new Error('too much at once'));
      await track(
        writeOnce(blob).then((fault) => {
          if (fault) void track(writeAgain(blob)); // waited for when the worker closes
        }),
      );
    },
    async close() {
      closing.abort();
      while (under.size > 0) await Promise.all(under);
    },
  };
}

type LostEvidence = ReturnType<typeof openLosses>;

/** Counts what is lost: a store that is away loses hundreds at once, which are one line. */
function openLosses(log: Logger) {
  let files = 0;
  let level: 'warn' | 'error' = 'warn';
  let last: unknown;
  let timer: NodeJS.Timeout | undefined;
  const tell = () => {
    clearTimeout(timer);
    timer = undefined;
    if (files > 0) log[level]({ files, err: last }, 'evidence not kept');
    files = 0;
    level = 'warn';
  };
  return {
    tell,
    add(of: typeof level, error: unknown): void {
      files += 1;
      last = error;
      if (of === 'error') level = 'error';
      timer ??= setTimeout(tell, tellMs).unref();
    },
  };
}

const compress = promisify(zstdCompress);

/** What a hostile target sent, megabytes, is packed in a thread of Node's pool. */
async function pack(file: EvidenceFile, json: string): Promise<Uint8Array | undefined> {
  if (json.length > jsonLimit) return undefined;
  const masked = mayHoldSecrets(json)
    ? JSON.stringify({ ...file, evidence: maskEvidence(file.evidence) })
    : json;
  const bytes = Buffer.from(masked);
  // Where it is told the size, zstd makes its tables no larger than that.
  const options = { pledgedSrcSize: bytes.length };
  const packed = bytes.length > syncLimit ? await compress(bytes, options) : zstdCompressSync(bytes, options);
  return packed.length > packedLimitBytes ? undefined : packed;
}
