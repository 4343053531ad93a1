import type { Pace, PaceOrder } from '../../ports/pace.ts';
import { steadyNow } from '../../time/steady-time.ts';

/**
 * Tells of each unit how long it was waited for.
 * @param hear the charge alone, never whom it was for: targets choose that. What was refused counts with the longest that it would have waited
 */
export function measurePace(pace: Pace, hear: (charge: string, seconds: number) => void): Pace {
  return {
    async take(order) {
      const waitMs = await pace.take(order);
      if (waitMs === 0) hear(chargeOf(order), Math.max(0, steadyNow() - order.askedAt) / 1000);
      if (waitMs === null) hear(chargeOf(order), Math.max(0, order.until - order.askedAt) / 1000);
      return waitMs;
    },
    close: () => pace.close(),
  };
}

function chargeOf({ key }: PaceOrder): string {
  return key.slice(0, key.lastIndexOf(' '));
}
