const [seconds, nanoseconds] = process.hrtime();
const startedAt = seconds * 1000 + nanoseconds / 1e6 - performance.now();

/** Whole ms of a clock that only grows and that nobody sets: the same one in all processes of a machine, as it counts from the machine's start. */
export function steadyNow(): number {
  return Math.floor(startedAt + performance.now());
}
