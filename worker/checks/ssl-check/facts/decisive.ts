import type { QuestionEnd } from '../evidence.ts';

/** The question was answered to its end. */
export function isDecisive(end: QuestionEnd): boolean {
  return end.kind === 'refused' ? !isBrokenAnswer(end) : end.kind === 'exhausted';
}

/** An answer that breaks the protocol refuses nothing. */
export function isBrokenAnswer(end: QuestionEnd): boolean {
  return (
    end.kind === 'refused' &&
    (end.by === 'unknown-version' || end.by === 'not-offered' || end.by === 'malformed')
  );
}
