import { setTimeout as delay } from 'node:timers/promises';
import { steadyNow } from '#shared/time/steady-time';
import { yieldToOthers } from '../probes/turns.ts';
import type { Asker } from './asker.ts';
import type { ObservedQuestion } from './observation.ts';
import { observationKey, openZone, type Zone } from './zone.ts';

/** A question to the resolver that has waited so long will perhaps fail, and what is wanted to tell why is asked beside it. */
const lateMs = 1500;

/**
 * Asks whatever a reading of a zone looks for and has not seen, until it looks for nothing more.
 * @param over ends the asking: what is under way then stays unknown
 * @param see the reading; it is called again after every burst of answers, and when an answer is late
 */
export async function walkZone<Facts>(
  asker: Asker,
  over: Promise<void>,
  see: (zone: Zone) => Facts,
): Promise<Facts> {
  const pending = new Map<string, { readonly done: Promise<void>; readonly lateAt: number }>();
  let isOver = false;
  const end = over.then(() => {
    isOver = true;
    asker.close('the time for asking was over');
  });
  for (;;) {
    const missing: ObservedQuestion[] = [];
    const now = steadyNow();
    const isLate = (key: string) => (pending.get(key)?.lateAt ?? Infinity) <= now;
    const facts = see(openZone(asker.observations, (question) => missing.push(question), isLate));
    for (const question of missing) {
      const key = observationKey(question);
      const lateAt = question.server === undefined ? now + lateMs : Infinity;
      if (!pending.has(key)) pending.set(key, { done: settle(key, asker.ask(question)), lateAt });
    }
    if (pending.size === 0 || isOver) return facts;
    const waiting = [...pending.values()];
    const next = Math.min(...waiting.map(({ lateAt }) => (lateAt > now ? lateAt : Infinity)));
    const stop = new AbortController();
    const late =
      next === Infinity ? [] : [delay(next - now, undefined, { signal: stop.signal }).catch(() => undefined)];
    await Promise.race([...waiting.map(({ done }) => done), end, ...late]);
    stop.abort();
    // Answers come in bursts; what has arrived by now is judged together.
    await yieldToOthers();
  }

  async function settle(key: string, answer: Promise<unknown>): Promise<void> {
    await answer;
    pending.delete(key);
  }
}
