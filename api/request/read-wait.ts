import { invalidRequest } from '#shared/ask/question';
import { waitLimitS, waitText } from './read-ask.ts';

/** Reads `wait`, seconds. Throws the Problem of what is no number of them. */
export function readWait(text = '0'): number {
  if (waitText.test(text)) return Number(text);
  throw invalidRequest([
    { in: 'query', name: 'wait', detail: `Give whole seconds from 0 to ${waitLimitS}.` },
  ]);
}
