/** Which stored reports may answer: those checked at `since` (Unix ms) or later; with `orFresh`, also any that is still fresh. */
export type Freshness = { readonly since: number; readonly orFresh: boolean };

/** Clocks of processes differ a little. A report dated later than this has the time of a wrong clock and is never served. */
const clocksMs = 60_000;

/** The time up to which a report may be dated that answers now. */
export function latestOf(nowMs: number): number {
  return nowMs + clocksMs;
}

/** True when a report answers what is wanted. */
export function answers(
  { checkedAt, freshUntil }: { readonly checkedAt: number; readonly freshUntil: number },
  { since, orFresh }: Freshness,
  nowMs: number,
): boolean {
  return checkedAt <= latestOf(nowMs) && (checkedAt >= since || (orFresh && freshUntil > nowMs));
}

/** What of a check says how soon its target may be asked again. */
type Floor = { readonly refreshFloorS: number };

/**
 * What a caller's wish comes to. Who asks again and again is answered by the last report until the check's floor has passed.
 * @param maxAgeS how old the report may be; 0: a new one; undefined: any that is still fresh
 */
export function freshnessOf({ refreshFloorS }: Floor, maxAgeS: number | undefined, nowMs: number): Freshness {
  if (maxAgeS === undefined) return { since: nowMs, orFresh: true };
  return { since: nowMs - Math.max(maxAgeS, refreshFloorS) * 1000, orFresh: false };
}

/** What a wish for a whole comes to for one of its parts, which has a floor of its own. @param startedAt of the whole, Unix ms */
export function freshnessOfPart(whole: Freshness, { refreshFloorS }: Floor, startedAt: number): Freshness {
  if (whole.orFresh) return { since: startedAt, orFresh: true };
  return { since: Math.min(whole.since, startedAt - refreshFloorS * 1000), orFresh: false };
}
