import type { Question } from '../evidence.ts';
import { dangerClasses } from '../grammar/suites.ts';
import type { SuiteLedger } from './suite-ledger.ts';

/** The sets of TLS 1.2 that list what was found, and those that only say that nothing more is to be found. */
const listing = ['sound', 'withoutForwardSecrecy', 'dangerous'] as const;
const ending = ['finiteField', 'curveBlocks', 'aead', ...dangerClasses] as const;

/** What the ledger of TLS 1.2 says, as evidence. A set is told to its end only where the one around it is not. */
export function questionsOf(ledger: SuiteLedger): readonly Question[] {
  const isEnded = ({ end }: Question) => end.kind === 'refused' || end.kind === 'exhausted';
  return [
    ...listing.map((set) => ledger.questionOf(set, 'with-suites')),
    ...ending.map((set) => ledger.questionOf(set, 'end-only')).filter(isEnded),
  ];
}
