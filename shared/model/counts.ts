/** A number of things: "1 request", "2 requests". @param others the noun for any other number, where it is not `one` with an s */
export function countOf(count: number, one: string, others = `${one}s`): string {
  return `${count} ${count === 1 ? one : others}`;
}

const units = [
  { ms: 86_400_000, one: 'day' },
  { ms: 3_600_000, one: 'hour' },
  { ms: 60_000, one: 'minute' },
  { ms: 1000, one: 'second' },
] as const;

/**
 * A time in whole units that a reader knows: "365 days", "1 hour", "90 seconds". It never says more than there is. Between one and two of a
 * unit the smaller one says more: "1 day" is said of 24 hours and some minutes, "25 hours" and "47 hours" of what is longer.
 * @param ms below 0 it is reported as 0
 */
export function spanWords(ms: number): string {
  const whole = Math.max(0, ms);
  const at = units.findIndex((unit, index) => {
    const smaller = units[index + 1]?.ms ?? unit.ms;
    return whole >= 2 * unit.ms || (whole >= unit.ms && whole < unit.ms + smaller);
  });
  const { ms: unit, one } = units[at] ?? units[3];
  return countOf(Math.floor(whole / unit), one);
}

/** How long to wait, in whole units: as long as it takes or a little longer, never shorter. @param seconds from now on */
export function waitWords(seconds: number): string {
  const unitS = seconds > 7200 ? 3600 : seconds > 120 ? 60 : 1;
  return spanWords(Math.ceil(seconds / unitS) * unitS * 1000);
}
