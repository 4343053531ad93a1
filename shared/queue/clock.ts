import type { Redis } from 'ioredis';
import { readTimeMs } from '../backends/redis.ts';
import type { Logger } from '../telemetry/logger.ts';

/** Whether this machine's clock is fit for work: that of Redis is the measure, and NTP keeps both right. */
export type Clock = {
  /** Redis' Unix ms, as far as it is known; it goes on while this machine's clock is set. */
  nowMs(): number;
  /** True while it is, else how far it is off. */
  state(): true | string;
  close(): void;
};

const compareEveryMs = 60_000;
const retryMs = 1000;
const lookEveryMs = 500;
/** A worker whose clock is off by more takes no jobs. */
const offMostMs = 5000;

/**
 * Compares this machine's clock with Redis' at each connection and each minute. Between two comparisons the monotonic clock counts, so that a clock that is set is found out at once.
 * @param onTurn called at the first comparison, and whenever it becomes right or wrong
 */
export function openClock(
  redis: Redis,
  log: Pick<Logger, 'info' | 'error' | 'debug'>,
  onTurn: (isRight: boolean) => void,
): Clock {
  /** Redis' Unix ms at the origin of `performance.now()`. */
  let origin: number | undefined;
  let told: boolean | undefined;
  const state = () => {
    if (origin === undefined) return true;
    const offMs = origin + performance.now() - Date.now();
    if (Math.abs(offMs) <= offMostMs) return true;
    return `this machine's clock is ${Math.round(Math.abs(offMs) / 1000)} s ${offMs > 0 ? 'behind' : 'ahead of'} Redis'`;
  };
  const look = () => {
    if (origin === undefined) return;
    const now = state();
    if ((now === true) === told) return;
    if (now !== true) log.error({ reason: now }, 'no jobs are taken until the clock is right');
    else if (told === false) log.info({}, 'the clock is right again: jobs are taken');
    told = now === true;
    onTurn(told);
  };
  const compare = async () => {
    const sentAt = performance.now();
    const there = await readTimeMs(redis);
    const tookMs = performance.now() - sentAt;
    // An answer that took so long says nothing.
    if (tookMs > offMostMs / 2) throw new Error(`the answer took ${Math.round(tookMs)} ms`);
    origin = there - sentAt - tookMs / 2;
    look();
  };
  // A Redis that is away is logged by its connection. No worker works before the first comparison, so that one is tried again soon.
  const tryCompare = () =>
    void compare().catch((error: unknown) => {
      log.debug({ err: error }, 'clocks not compared');
      if (origin === undefined && !isClosed) setTimeout(tryCompare, retryMs).unref();
    });
  let isClosed = false;
  redis.on('ready', tryCompare);
  const timers = [setInterval(tryCompare, compareEveryMs).unref(), setInterval(look, lookEveryMs).unref()];
  return {
    nowMs: () => Math.round(origin === undefined ? Date.now() : origin + performance.now()),
    state,
    close() {
      isClosed = true;
      for (const timer of timers) clearInterval(timer);
    },
  };
}
