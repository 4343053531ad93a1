import type { Points } from './messages.ts';

/** Points on their way to another process, joined by key. */
export type Outbox = {
  /** Adds points of a key; those of its earlier window are void. */
  add(key: string, points: number, endsAt: number): void;
  /** The points of a key that have not been sent. */
  waiting(key: string): number;
};

/** A request costs 30 µs, a message as much again on each side: what many requests spend goes into one. */
const everyMs = 25;
/** Beyond that, callers are not told of: 1 MB. */
const mostKeys = 10_000;

/** Opens an outbox that sends at most each 25 ms, and nothing before the last message has left. @param send must call `onWritten` */
export function openOutbox(send: (points: readonly Points[], onWritten: () => void) => void): Outbox {
  const waiting = new Map<string, { points: number; readonly endsAt: number }>();
  let isBusy = false;
  const schedule = () => {
    if (isBusy || waiting.size === 0) return;
    isBusy = true;
    setTimeout(() => {
      const points = Array.from(waiting, ([key, { points, endsAt }]): Points => [key, points, endsAt]);
      waiting.clear();
      send(points, () => {
        isBusy = false;
        schedule();
      });
    }, everyMs).unref();
  };
  return {
    add(key, points, endsAt) {
      const known = waiting.get(key);
      if (known?.endsAt === endsAt) known.points += points;
      else if (known || waiting.size < mostKeys) waiting.set(key, { points, endsAt });
      schedule();
    },
    waiting: (key) => waiting.get(key)?.points ?? 0,
  };
}
