import { type PaceAsk, intervalsOf, type Ledger, type Portion } from '#shared/limits/pace/ledger';
import { steadyNow } from '#shared/time/steady-time';
import type { Calls, FromRunner } from './messages.ts';

/**
 * The account of the pace, as the runner process has it: the worker keeps it, so that it outlives this process. Portions are leased in here, and
 * a run asks the worker only where none is in hand. What this process has when it ends is lost.
 */
export function openPaceOfWorker(lease: Calls['lease'], sendAlong: (message: FromRunner) => void): Ledger {
  return {
    // The worker divides them.
    laneOf: () => '',
    async lease(_lane, asks) {
      if (asks.some(({ wanted }) => wanted > 0)) return lease(asks);
      sendAlong({ kind: 'returned', asks });
      return asks.map(nothingOf);
    },
    close: () => undefined,
  };
}

/** Nobody waits for an answer to what is only given back. */
function nothingOf(ask: PaceAsk): Portion {
  return { units: 0, at: steadyNow(), ofAll: 0, ofKind: 0, intervals: intervalsOf(ask) };
}
