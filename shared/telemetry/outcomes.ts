/** How the calls of one kind ended lately. */
export type Outcomes = {
  worked(): void;
  failed(error: unknown): void;
  /** Where most of the last calls failed: how many of how many, and with what the last one did. */
  fault(): { readonly failed: number; readonly all: number; readonly last: unknown } | undefined;
  /** By `performance.now()`; -Infinity where none failed. */
  lastFailedAt(): number;
  /** The same for one that worked. */
  lastWorkedAt(): number;
};

const windowMs = 10_000;
/** Fewer failures may be chance. */
const leastFailures = 3;
/** After so many calls in a row that worked, what was before says nothing any more. */
const wellAfter = 5;

type Second = { readonly at: number; all: number; failed: number };

/** Counts calls by the second, over the last ten. */
export function openOutcomes(now: () => number = () => performance.now()): Outcomes {
  let seconds: Second[] = [];
  let workedInARow = 0;
  let last: unknown;
  let lastFailedAt = Number.NEGATIVE_INFINITY;
  let lastWorkedAt = Number.NEGATIVE_INFINITY;
  const current = (): Second => {
    const at = Math.floor(now() / 1000);
    const known = seconds.at(-1);
    if (known?.at === at) return known;
    const fresh = { at, all: 0, failed: 0 };
    seconds = [...seconds.filter((second) => (at - second.at) * 1000 < windowMs), fresh];
    return fresh;
  };
  return {
    worked() {
      lastWorkedAt = now();
      workedInARow += 1;
      if (workedInARow === wellAfter) seconds = [];
      current().all += 1;
    },
    failed(error) {
      lastFailedAt = now();
      workedInARow = 0;
      last = error;
      const second = current();
      second.all += 1;
      second.failed += 1;
    },
    fault() {
      current();
      const all = seconds.reduce((sum, second) => sum + second.all, 0);
      const failed = seconds.reduce((sum, second) => sum + second.failed, 0);
      return failed >= leastFailures && failed * 2 >= all ? { failed, all, last } : undefined;
    },
    lastFailedAt: () => lastFailedAt,
    lastWorkedAt: () => lastWorkedAt,
  };
}
