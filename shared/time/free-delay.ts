import { setTimeout as delay } from 'node:timers/promises';

const stepMs = 50;

/**
 * Resolves after so long in which this process could have heard an answer: a step that takes longer, as the process or its machine had other
 * work, counts as one. Keeps no process alive. @param ms in steps of 50
 */
export async function freeDelay(ms: number): Promise<void> {
  for (let waited = 0; waited < ms; waited += stepMs) await delay(stepMs, undefined, { ref: false });
}
