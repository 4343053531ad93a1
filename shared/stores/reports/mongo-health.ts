import { type Db, MongoServerError } from 'mongodb';
import {
  duplicateKey,
  isAnswer,
  isLate,
  sayMongoFault,
  storeUnavailable,
} from '../../backends/mongo-errors.ts';
import type { Mongo } from '../../backends/mongo.ts';
import type { Problem } from '../../model/problem.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { Outcomes } from '../../telemetry/outcomes.ts';

/** Whether reports can be read and kept, as far as this process knows. */
export type Health = {
  /** True, or in a few words why not. */
  state(): Promise<true | string>;
  /** What every new report would meet; undefined while writes work. Sends no request. */
  fault(): Problem | undefined;
  close(): void;
};

type Trial = {
  readonly state: true | string;
  readonly write: Problem | undefined;
  readonly at: number;
  /** The server did not answer in time, though it has answered calls just before. */
  readonly isPause?: boolean;
};

/** The result of a trial is valid for so long, for all callers; a store that is slow from now on is to be reported as slow. */
const trustMs = 200;
/** One trial that fails may be a busy machine; new checks are refused from the second in a row. */
const trialsThatFail = 2;
/** A server that has answered a call so lately and now answers none in time may have paused: it is away when the next trial fails, too. */
const answeredLatelyMs = 2000;
/** How often a trial write checks the store while no other call does. */
const tryEveryMs = 5000;
const lookEveryMs = 1000;

/**
 * Judges the store by what it does: by a small read and write of its own, and by how the calls of the last seconds ended. A server may
 * answer `ping` and neither read nor write: a locked collection, a full disk, a user that may only read, a set without its majority.
 */
export function openHealth(mongo: Mongo, log: Pick<Logger, 'error' | 'info'>): Health {
  let last: Trial = { state: true, write: undefined, at: Number.NEGATIVE_INFINITY };
  let failed = 0;
  let wasPause = false;
  let trying: Promise<Trial> | undefined;
  const tell = openTelling(log);
  const tryNow = (): Promise<Trial> => {
    trying ??= tryStore(mongo).then((trial) => {
      const isForgiven = trial.isPause === true && !wasPause;
      wasPause = trial.isPause === true;
      last = isForgiven ? { ...trial, state: true } : trial;
      failed = trial.write ? failed + 1 : 0;
      trying = undefined;
      if (!isForgiven) tell(trial.write);
      return last;
    });
    return trying;
  };
  const timer = setInterval(() => {
    const failedAt = Math.max(...[mongo.outcomes.reads, mongo.outcomes.writes].map(lastFailure));
    const isDue = performance.now() - last.at > tryEveryMs;
    if (isDue || wasPause || last.state !== true || failedAt > last.at) void tryNow();
  }, lookEveryMs).unref();
  return {
    async state() {
      const { state } = performance.now() - last.at < trustMs ? last : await tryNow();
      return state === true ? sayOutcomes(mongo) : state;
    },
    fault: () => (failed >= trialsThatFail ? last.write : undefined),
    close: () => clearInterval(timer),
  };
}

const lastFailure = (outcomes: Outcomes) => outcomes.lastFailedAt();

function sayOutcomes({ outcomes }: Mongo): true | string {
  for (const kind of ['reads', 'writes'] as const) {
    const fault = outcomes[kind].fault();
    if (fault)
      return `${fault.failed} of the last ${fault.all} ${kind} of MongoDB failed: ${sayMongoFault(fault.last)}`;
  }
  return true;
}

/** Where each process counts its trials. What was counted is read again: a write that is confirmed and lost is none. */
const trialId = 'trial';
type TrialDocument = { readonly _id: string; readonly count: number };
const trialsOf = (database: Db) => database.collection<TrialDocument>('upkeep');

// Never rejects.
async function tryStore(mongo: Mongo): Promise<Trial> {
  const { reads, writes } = mongo.outcomes;
  const lately = performance.now() - answeredLatelyMs;
  const [hasRead, hasWritten] = [reads.lastWorkedAt() > lately, writes.lastWorkedAt() > lately];
  const end = (state: true | string, write?: Problem): Trial => ({ state, write, at: performance.now() });
  const before = await attempt(() => readCount(mongo));
  if ('error' in before)
    return {
      ...end(sayFailed('answers no reads', before.error)),
      isPause: hasRead && isLate(causeOf(before.error)),
    };
  const written = await attempt(() => countOne(mongo));
  const after = 'error' in written ? written : await attempt(() => readCount(mongo));
  if ('error' in after) {
    const trial = end(sayFailed('keeps nothing that is written', after.error), storeUnavailable(after.error));
    return { ...trial, isPause: hasWritten && isLate(causeOf(after.error)) };
  }
  if (after.found > before.found) return end(true);
  const lost = new Error('what it confirmed as written is not there');
  return end(`MongoDB keeps nothing that is written: ${lost.message}`, storeUnavailable(lost));
}

function causeOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? error.cause : error;
}

function sayFailed(what: string, error: unknown): string {
  const cause = causeOf(error);
  return isAnswer(cause)
    ? `MongoDB ${what}: ${sayMongoFault(error)}`
    : `MongoDB does not answer: ${sayMongoFault(error)}`;
}

async function attempt<T>(
  act: () => Promise<T>,
): Promise<{ readonly found: T } | { readonly error: unknown }> {
  try {
    return { found: await act() };
  } catch (error) {
    return { error };
  }
}

// As a reader of reports does: by the key of a report, from where writes go.
function readCount(mongo: Mongo): Promise<number> {
  return mongo.read(async (database, limit) => {
    const primary = { ...limit, readPreference: 'primary' } as const;
    const [trial] = await Promise.all([
      trialsOf(database).findOne({ _id: trialId }, primary),
      database.collection('reports').findOne({ jobKey: trialId }, { ...primary, projection: { _id: 1 } }),
    ]);
    return trial?.count ?? 0;
  });
}

function countOne(mongo: Mongo): Promise<unknown> {
  const count = () =>
    mongo.write((database, limit) =>
      trialsOf(database).updateOne({ _id: trialId }, { $inc: { count: 1 } }, { ...limit, upsert: true }),
    );
  // Of several processes that start at once one makes the document; for the others it is there the next time.
  return count().catch((error: unknown) => {
    const cause = causeOf(error);
    if (cause instanceof MongoServerError && cause.code === duplicateKey) return count();
    throw error;
  });
}

/** One line when writing ends, and one when it works again. A store that never took a write is away, which has a line of its own. */
function openTelling(log: Pick<Logger, 'error' | 'info'>): (write: Problem | undefined) => void {
  let since: number | undefined;
  let hasWorked = false;
  return (write) => {
    hasWorked ||= !write;
    if (write && hasWorked && since === undefined) {
      since = performance.now();
      log.error({ err: write.cause, reason: sayMongoFault(write) }, 'reports cannot be written');
    }
    if (write || since === undefined) return;
    log.info({ forMs: Math.round(performance.now() - since) }, 'reports can be written again');
    since = undefined;
  };
}
