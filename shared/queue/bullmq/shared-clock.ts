import { type AnyRedis, isCluster } from '../../backends/redis.ts';
import type { Logger } from '../../telemetry/logger.ts';

/** The clock that all processes share is Redis': their own may differ. */
export type SharedClock = {
  /** What to add to this machine's Unix ms; 0 while the difference is within what the measurement can tell. */
  offsetMs(): number;
  /** The shared time, Unix ms. */
  nowMs(): number;
  /** Resolves when the clocks were compared for the first time. */
  readonly known: Promise<void>;
  /** True while this machine's clock is fit for use, else how far it is off. */
  readiness(): true | string;
  close(): void;
};

const compareEveryMs = 60_000;
const retryMs = 1000;
const samples = 3;
/** Beyond the time that an answer takes, a difference of so much is measurement noise. */
const noiseMs = 20;
/** A difference that is logged each minute, and one that makes the process not ready. */
const tellMs = 2000;
const notReadyMs = 5000;

/** Compares this machine's clock with Redis' at each connection and each minute. Between two comparisons the monotonic clock counts, so that a clock that is set does no harm. */
export function openSharedClock(redis: AnyRedis, log: Logger): SharedClock {
  let sample: Sample | undefined;
  const known = Promise.withResolvers<void>();
  const offsetMs = () => {
    if (!sample) return 0;
    const offset = Math.round(sample.startedAt + performance.now() - Date.now());
    return Math.abs(offset) <= sample.tookMs + noiseMs ? 0 : offset;
  };
  const compare = async () => {
    const isFirst = sample === undefined;
    sample = await sampleClock(redis);
    const about = { offsetMs: offsetMs(), tookMs: Math.round(sample.tookMs) };
    if (Math.abs(about.offsetMs) > tellMs) log.warn(about, "this machine's clock differs from Redis'");
    else if (isFirst) log.info(about, "clock compared with Redis'");
    known.resolve();
  };
  // A Redis that is away is logged by its connection. Nothing is submitted before the first comparison, so that one is tried again soon.
  const tryCompare = () =>
    void compare().catch((error: unknown) => {
      log.debug({ err: error }, 'clocks not compared');
      if (!sample) setTimeout(tryCompare, retryMs).unref();
    });
  redis.on('ready', tryCompare);
  const timer = setInterval(tryCompare, compareEveryMs).unref();
  return {
    offsetMs,
    nowMs: () => Date.now() + offsetMs(),
    known: known.promise,
    readiness() {
      const offset = offsetMs();
      if (Math.abs(offset) <= notReadyMs) return true;
      return `this machine's clock is ${Math.round(Math.abs(offset) / 1000)} s ${offset > 0 ? 'behind' : 'ahead of'} Redis'`;
    },
    close: () => clearInterval(timer),
  };
}

/** Redis' Unix ms at the origin of `performance.now()`, and how long the answer took: it is wrong by half of that at most. */
type Sample = { readonly startedAt: number; readonly tookMs: number };

async function sampleClock(redis: AnyRedis): Promise<Sample> {
  let best: Sample | undefined;
  for (let count = 0; count < samples; count += 1) {
    const sentAt = performance.now();
    const [seconds, micros] = await readTime(redis);
    const tookMs = performance.now() - sentAt;
    const startedAt = Number(seconds) * 1000 + Number(micros) / 1000 - sentAt - tookMs / 2;
    if (!best || tookMs < best.tookMs) best = { startedAt, tookMs };
  }
  return best ?? { startedAt: Date.now() - performance.now(), tookMs: 0 };
}

/** The time of one Redis; in a cluster of the first master by its address that answers, so that all processes ask the same one. */
async function readTime(redis: AnyRedis): Promise<readonly (string | number)[]> {
  if (!isCluster(redis)) return redis.time();
  const addressOf = ({ options: { host, port } }: (typeof masters)[number]) => `${host}:${port}`;
  const masters = redis.nodes('master');
  masters.sort((a, b) => addressOf(a).localeCompare(addressOf(b)));
  let fault: unknown = new Error('the cluster has no master');
  for (const master of masters) {
    try {
      return await master.time();
    } catch (error) {
      fault = error;
    }
  }
  throw fault;
}
