const [seconds, nanoseconds] = process.hrtime();
const startedAt = seconds * 1000 + nanoseconds / 1e6 - performance.now();

/** Whole ms of a monotonic clock that starts with the machine: the same in all its processes, and never set. */
export function steadyNow(): number {
  return Math.floor(startedAt + performance.now());
}
