import { hash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { isRedisAway, keyPrefix, redisTimeoutMs, refusalOf } from '../../backends/redis.ts';
import { randomId } from '../../model/job.ts';
import type { JobQueue } from '../../ports/job-queue.ts';
import { openWorkWhile, type WorkWhile } from '../../queue/delivery/work-while.ts';
import { queueUnavailable } from '../../queue/unavailable.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { AgreedSetting } from './agreed-settings.ts';

/** Whether this process has the same settings as the others that live: the oldest that works decides. */
export type Agreement = {
  /** True while it has; else which differ, and how. */
  state(): true | string;
  /** Why this process takes no work; undefined while it may. */
  refusal(): string | undefined;
  /** Resolves when the settings were compared, or Redis was away for as long as a request waits for it. */
  readonly firstLook: Promise<void>;
  /** A worker that is open while this process may take work. */
  readonly work: WorkWhile['work'];
  close(): void;
};

/** What a process tells with each beat. */
type Told = {
  readonly id: string;
  /** It takes no work, so it decides nothing. */
  readonly refused: boolean;
  /** Of the value of each setting that it could read, by name. */
  readonly hashes: Readonly<Record<string, string>>;
};
type OwnValue = Pick<AgreedSetting, 'name' | 'isNeeded'> & { readonly here: string };

const beatMs = 5000;
/** A process lives for so long after its last beat. */
const holdMs = 15_000;
/** A process that was refused decides only when nobody else has worked for so long: a Redis that comes back empty is left to the others. */
const leaveToOthersMs = 2 * beatMs;

/** Compares the settings with those of the other processes over this Redis, at each connection and every 5 s. */
export function openAgreement(redis: Redis, settings: readonly AgreedSetting[], log: Logger): Agreement {
  const { settle, differences, ...outcome } = openOutcome(log);
  const isRefused = () => outcome.refusal() !== undefined;
  const id = randomId();
  const values = new Map<string, OwnValue>();
  let noneSince = Infinity;
  const look = async (): Promise<void> => {
    // A value that cannot be read now is as it was; one that never could be is left out.
    for (const { name, isNeeded, read } of settings) {
      const here = await read();
      if (here !== undefined) values.set(name, { name, isNeeded, here });
    }
    const own = [...values.values()];
    const claims = isRefused() && performance.now() - noneSince >= leaveToOthersMs;
    const hashes = Object.fromEntries(own.map(({ name, here }) => [name, hashOf(here)]));
    const told = { id, refused: isRefused() && !claims, hashes };
    const working = await beat(redis, told, claims);
    noneSince = working.length > 0 ? Infinity : Math.min(noneSince, performance.now());
    const before = new Set(differences()?.map(({ name }) => name));
    const differs = ({ name }: OwnValue) => {
      const held = findHeld(working, name);
      // What nobody tells now is as it was.
      return held === undefined ? before.has(name) : held !== hashes[name];
    };
    settle(own.filter(differs));
    // The others must know at once who takes no work.
    if (told.refused !== isRefused()) await look();
  };
  let looking: Promise<void> | undefined;
  const lookOnce = () => {
    looking ??= look()
      .catch((error: unknown) => {
        noneSince = Infinity;
        // A Redis that is away is logged by its connection.
        log[isRedisAway(error) ? 'debug' : 'error']({ err: error }, 'settings not compared');
      })
      .finally(() => (looking = undefined));
  };
  // Redis may take commands and not answer this comparison for long: jobs want workers.
  const alone = setTimeout(() => {
    if (differences()) return;
    log.warn({}, aloneText);
    settle([]);
  }, holdMs).unref();
  redis.on('ready', lookOnce);
  const timer = setInterval(lookOnce, beatMs).unref();
  const close = () => [timer, alone].forEach(clearTimeout);
  return { ...outcome, close };
}

const aloneText =
  'settings cannot be compared with those of other processes: starting without the comparison';

/** What the comparisons found last, and the workers that go by it. */
function openOutcome(log: Logger) {
  const first = Promise.withResolvers<void>();
  setTimeout(first.resolve, redisTimeoutMs).unref();
  const { turn, work } = openWorkWhile(log);
  let differences: readonly OwnValue[] | undefined;
  const said = () => say(differences);
  const refusal = () => say(differences?.filter(({ isNeeded }) => isNeeded));
  const settle = (found: readonly OwnValue[]) => {
    const before = said();
    differences = found;
    if (said() !== before) tell(said(), refusal() === undefined, log);
    turn(refusal() === undefined);
    first.resolve();
  };
  const state = () => (differences ? (said() ?? true) : 'not compared with other processes yet');
  return { settle, differences: () => differences, state, refusal, firstLook: first.promise, work };
}

/** Undefined where there are none. */
function say(differences: readonly OwnValue[] = []): string | undefined {
  const all = differences.map(
    ({ name, here }) => `${name} is "${here}" here and another value in the oldest process`,
  );
  return all.length === 0 ? undefined : all.join('; ');
}

function tell(differences: string | undefined, mayWork: boolean, log: Logger): void {
  if (differences === undefined) log.info({}, 'settings agree with those of other processes');
  else if (mayWork) log.warn({ differences }, 'settings differ from those of other processes');
  else log.error({ differences }, 'settings differ from those of other processes: this one takes no work');
}

/**
 * Tells the others of this process, and gives those that work, the oldest first. A process stands at the end of the list when it starts,
 * when Redis has lost it, and when it claims to decide after it was refused.
 */
async function beat(redis: Redis, told: Told, claims: boolean): Promise<readonly Told[]> {
  const [list, own] = [keyOf('processes'), keyOf(told.id)];
  const isListed = (await redis.lrange(list, 0, -1)).includes(told.id);
  const step = redis.multi().set(own, JSON.stringify(told), 'PX', holdMs);
  if (claims) step.lrem(list, 0, told.id);
  if (claims || !isListed) step.rpush(list, told.id);
  step.pexpire(list, holdMs);
  await step.exec().catch(async (error: Error & { previousErrors?: readonly Error[] }) => {
    const cause = error.previousErrors?.[0] ?? error;
    if (claims || refusalOf(cause) !== 'OOM') throw cause;
    // A Redis without memory takes nothing new; what is there still counts, so that a worker can start and drain it.
    await Promise.all([own, list].map((key) => redis.pexpire(key, holdMs)));
  });
  const others = (await readLiving(redis)).map((each) => (each.id === told.id ? told : each));
  return [...others, told].filter(({ refused }) => !refused);
}

/** The processes that live, the oldest first; those that have ended leave the list. */
async function readLiving(redis: Redis): Promise<readonly Told[]> {
  const list = keyOf('processes');
  const ids = await redis.lrange(list, 0, -1);
  const texts = ids.length === 0 ? [] : await redis.mget(ids.map((id) => keyOf(id)));
  await Promise.all(ids.map(async (id, at) => texts[at] ?? redis.lrem(list, 0, id)));
  return texts.flatMap((text) => (text ? [JSON.parse(text) as Told] : []));
}

/** The hash of the value that holds of a setting: that of the oldest that tells one. */
function findHeld(working: readonly Told[], name: string): string | undefined {
  return working.find(({ hashes }) => hashes[name] !== undefined)?.hashes[name];
}

function keyOf(name: string): string {
  return `${keyPrefix}:settings:${name}`;
}

function hashOf(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 8);
}

/** The same queue; while this process is refused it submits, looks for and takes no jobs. */
export function workInAgreement(jobQueue: JobQueue, agreement: Agreement): JobQueue {
  const permitted = async <T>(act: () => Promise<T>): Promise<T> => {
    await agreement.firstLook;
    const refusal = agreement.refusal();
    if (refusal !== undefined) throw queueUnavailable(new Error(refusal));
    return act();
  };
  return {
    ...jobQueue,
    submit: (job, hostWaitingLimit) => permitted(() => jobQueue.submit(job, hostWaitingLimit)),
    look: (jobId) => permitted(() => jobQueue.look(jobId)),
    work: (...given) => agreement.work(() => jobQueue.work(...given)),
    async close(graceMs) {
      agreement.close();
      await jobQueue.close(graceMs);
    },
  };
}
