import { Problem } from '../../model/problem.ts';
import type { AccessRecord, AccessRecords } from '../../ports/access-record.ts';
import type { Logger } from '../../telemetry/logger.ts';

/** Keeps records without holding up the runs that they tell of. */
export type AccessWriter = {
  note(record: AccessRecord): void;
  /** Writes what is left. */
  close(): Promise<void>;
};

const writeEveryMs = 1000;
/** Of a store that is away: the last so many, 10 MB. */
const keptMost = 20_000;

/** Opens it: what is noted is written each second, and again while the store does not take it. @param days how long a record is kept */
export function openAccessWriter(
  records: Pick<AccessRecords, 'keep'>,
  days: number,
  log: Pick<Logger, 'error' | 'warn'>,
): AccessWriter {
  let waiting: AccessRecord[] = [];
  let lost = 0;
  let writing = Promise.resolve();
  const write = async () => {
    const batch = waiting;
    if (batch.length === 0) return;
    waiting = [];
    try {
      await records.keep(batch, Date.now() + days * 86_400_000);
      if (lost > 0) log.warn({ lost }, 'access records were lost while the store was away');
      lost = 0;
    } catch (error) {
      // A defect is told, and not tried for ever.
      if (!(error instanceof Problem)) return log.error({ err: error }, 'access records not kept');
      waiting = [...batch, ...waiting];
      lost += Math.max(0, waiting.length - keptMost);
      waiting = waiting.slice(-keptMost);
    }
  };
  const queueWrite = () => {
    writing = writing.then(write);
    return writing;
  };
  const timer = setInterval(() => void queueWrite(), writeEveryMs).unref();
  return {
    note(record) {
      if (days > 0) waiting.push(record);
    },
    async close() {
      clearInterval(timer);
      await queueWrite();
    },
  };
}
