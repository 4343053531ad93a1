import type { QuestionEnd } from '../evidence.ts';

/** The question was answered to its end. */
export function isDecisive(end: QuestionEnd): boolean {
  return end.kind === 'refused'
    ? end.by !== 'unknown-version' && end.by !== 'not-offered'
    : end.kind === 'exhausted';
}
