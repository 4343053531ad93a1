import { readFileSync } from 'node:fs';
import { type AnyRedis, isCluster, isRedisAway, keyPrefix, redisTimeoutMs } from '../../backends/redis.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { AgreedSetting } from './agreed-settings.ts';

/** Whether this process has the same settings as the others that live. */
export type Agreement = {
  /** True while it has; else which differ, and how. */
  state(): true | string;
  /** Why this process takes no work; undefined while it may. */
  refusal(): string | undefined;
  /** Resolves when the settings were compared, or Redis was away for as long as a request waits for it. */
  readonly firstLook: Promise<void>;
  /** Tells whether this process may take work: once that is known, and each time it changes. Gives what ends it. */
  onTurn(listener: (mayWork: boolean) => void): () => void;
  close(): void;
};

type Difference = Pick<AgreedSetting, 'name' | 'isNeeded'> & {
  readonly here: string;
  readonly elsewhere: string;
};

const agree = readFileSync(new URL('agree.lua', import.meta.url), 'utf8');

/** A value holds so long after the last process that has it told it; so soon after all have stopped, another one is taken. */
export const holdMs = 15_000;
const compareEveryMs = 5000;
/** A process that was refused becomes the first in a Redis without values only when nobody else has been for so long. */
const leaveToOthersMs = 2 * compareEveryMs;

/** Compares the settings with those of the other processes over this Redis, at each connection and every 5 s. */
export function openAgreement(redis: AnyRedis, settings: readonly AgreedSetting[], log: Logger): Agreement {
  const first = Promise.withResolvers<void>();
  const late = setTimeout(first.resolve, redisTimeoutMs);
  const listeners = new Set<(mayWork: boolean) => void>();
  let differences: readonly Difference[] | undefined;
  const refusal = () => sayDifferences(differences?.filter(({ isNeeded }) => isNeeded));
  const emptiness = watchEmptiness();
  const settle = ({ differences: found, isEmpty }: SettingsComparison) => {
    emptiness.note(isEmpty);
    const [before, couldWork] = [sayDifferences(differences), differences && refusal() === undefined];
    differences = found;
    const mayWork = refusal() === undefined;
    if (sayDifferences(found) !== before) tell(found, mayWork, log);
    if (mayWork !== couldWork) for (const listener of listeners) listener(mayWork);
    first.resolve();
  };
  const compare = () => {
    const mayBeFirst = refusal() === undefined || emptiness.isLong();
    compareOnce(redis, settings, { before: differences ?? [], mayBeFirst }).then(settle, (error: unknown) => {
      // A Redis that is away is logged by its connection.
      log[isRedisAway(error) ? 'debug' : 'error']({ err: error }, 'settings not compared');
    });
  };
  // A part of a cluster may be away for long, and with it the keys of this comparison: the other parts want workers.
  const alone = setTimeout(() => {
    if (differences) return;
    log.warn({}, aloneText);
    settle({ differences: [], isEmpty: false });
  }, holdMs).unref();
  redis.on('ready', compare);
  const timer = setInterval(compare, compareEveryMs).unref();
  return {
    state: () =>
      differences ? (sayDifferences(differences) ?? true) : 'not compared with other processes yet',
    refusal,
    firstLook: first.promise,
    onTurn(listener) {
      listeners.add(listener);
      if (differences) listener(refusal() === undefined);
      return () => listeners.delete(listener);
    },
    close() {
      clearInterval(timer);
      clearTimeout(late);
      clearTimeout(alone);
    },
  };
}

const aloneText =
  'settings cannot be compared with those of other processes: starting without the comparison';

/** For how long nobody has told values that differed from those of this process. */
function watchEmptiness() {
  let since: number | undefined;
  return {
    note(isEmpty: boolean): void {
      since = isEmpty ? (since ?? performance.now()) : undefined;
    },
    isLong: () => since !== undefined && performance.now() - since >= leaveToOthersMs,
  };
}

type EarlierComparison = {
  /** What differed at the last look: it stands for settings that cannot be read now, and for values that nobody has told. */
  readonly before: readonly Difference[];
  readonly mayBeFirst: boolean;
};
type SettingsComparison = {
  readonly differences: readonly Difference[];
  /** Nobody has told a value that differed before. */
  readonly isEmpty: boolean;
};

async function compareOnce(
  redis: AnyRedis,
  settings: readonly AgreedSetting[],
  { before, mayBeFirst }: EarlierComparison,
): Promise<SettingsComparison> {
  const all = await Promise.all(settings.map(async (each) => ({ ...each, here: await each.read() })));
  const read = all.flatMap(({ here, ...each }) => (here === undefined ? [] : [{ ...each, here }]));
  const keys = read.map(({ name }) => keyOfSetting(redis, name));
  const own = read.map(({ here }) => here);
  const held = await redis.eval(agree, keys.length, ...keys, holdMs, mayBeFirst ? 'yes' : 'no', ...own);
  const found = read.flatMap((each, at) => {
    const elsewhere = (held as unknown[])[at];
    return typeof elsewhere === 'string' ? [{ ...each, elsewhere }] : [];
  });
  const untold = before.filter(({ name }) => !found.some((each) => each.name === name));
  const isEmpty = untold.some(({ name }) => read.some((each) => each.name === name));
  return { differences: [...found.filter(({ here, elsewhere }) => here !== elsewhere), ...untold], isEmpty };
}

/** Where the value is held that the processes have of a setting. In a cluster the keys of a script must be in one slot. */
export function keyOfSetting(redis: AnyRedis, name: string): string {
  const below = `${keyPrefix}:settings`;
  return `${isCluster(redis) ? `{${below}}` : below}:${name}`;
}

/** Undefined where there are none. */
function sayDifferences(differences: readonly Difference[] = []): string | undefined {
  const said = differences.map(
    ({ name, here, elsewhere }) => `${name} is "${here}" here and "${elsewhere}" in other processes`,
  );
  return said.length === 0 ? undefined : said.join('; ');
}

function tell(differences: readonly Difference[], mayWork: boolean, log: Logger): void {
  const about = { differences: differences.map(({ name, here, elsewhere }) => ({ name, here, elsewhere })) };
  if (differences.length === 0) log.info({}, 'settings agree with those of other processes');
  else if (mayWork) log.warn(about, 'settings differ from those of other processes');
  else log.error(about, 'settings differ from those of other processes: this one takes no work');
}
