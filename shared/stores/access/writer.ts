import { Problem } from '../../model/problem.ts';
import type { AccessRecord, AccessRecords } from '../../ports/access-record.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { openFailures } from '../../telemetry/loops.ts';
import { giveBack } from '../../time/give-back.ts';

/** Keeps records without holding up the runs that they tell of. */
export type AccessWriter = {
  note(record: AccessRecord): void;
  /** Writes what is left. */
  close(): Promise<void>;
};

const writeEveryMs = 1000;
const writtenAtOnce = 500;
/** Of a store that is away: the last so many, 10 MB. */
const keptMost = 20_000;

/** Opens it: what is noted is written each second, and again while the store does not take it. @param days how long a record is kept */
export function openAccessWriter(
  records: Pick<AccessRecords, 'keep'>,
  days: number,
  log: Pick<Logger, 'error' | 'warn' | 'info'>,
): AccessWriter {
  let waiting: AccessRecord[] = [];
  let lost = 0;
  const failures = openFailures('access records', log);
  let pausedUntil = 0;
  let writing = Promise.resolve();
  const write = async () => {
    const batch = waiting.slice(0, writtenAtOnce);
    if (batch.length === 0) return;
    waiting = waiting.slice(batch.length);
    try {
      await records.keep(batch, Date.now() + days * 86_400_000);
      failures.over();
      if (lost > 0) log.warn({ lost }, 'access records were lost while the store was unavailable');
      lost = 0;
    } catch (error) {
      pausedUntil = performance.now() + failures.note(error);
      // A defect is reported, and not retried for ever.
      if (!(error instanceof Problem)) return;
      waiting = [...batch, ...waiting];
      lost += Math.max(0, waiting.length - keptMost);
      waiting = waiting.slice(-keptMost);
    }
  };
  const writeAll = async () => {
    while (waiting.length > 0 && performance.now() >= pausedUntil) {
      await write();
      await giveBack();
    }
  };
  const queueWrite = () => {
    writing = writing.then(writeAll);
    return writing;
  };
  const timer = setInterval(() => void queueWrite(), writeEveryMs).unref();
  return {
    note(record) {
      if (days > 0) waiting.push(record);
    },
    async close() {
      clearInterval(timer);
      pausedUntil = 0;
      await queueWrite();
    },
  };
}
