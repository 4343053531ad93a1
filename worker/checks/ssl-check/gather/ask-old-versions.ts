import type { Question } from '../evidence.ts';
import { dangerClasses, type SuiteSet, suiteSets } from '../grammar/suites.ts';
import { askDangers, askOfClass, classesOf, protocolVersion } from './ask-classes.ts';
import type { HelloAsker } from './ask-hello.ts';
import { askOnce } from './ask-questions.ts';
import { openSuiteLedger, type SuiteLedger } from './suite-ledger.ts';

/**
 * Asks for SSL 3.0 to TLS 1.1. A server answers with the best version up to the one that is offered; if it says that there is none, the older ones need no question.
 * @param newer the dangerous classes that TLS 1.2 has, once they are known
 */
export async function askOldVersions(
  asker: HelloAsker,
  newer: Promise<readonly SuiteSet[]>,
): Promise<readonly Question[]> {
  const first = await askOnce(asker, 'TLSv1.1', 'old');
  const { end } = first;
  if (end.kind === 'refused' && end.by === 'alert' && end.alert === protocolVersion)
    return [first, { ...first, version: 'TLSv1' }, { ...first, version: 'SSLv3' }];
  const others = await Promise.all(
    (['TLSv1', 'SSLv3'] as const).map((version) => askOnce(asker, version, 'old')),
  );
  let known = await newer;
  const questions: Question[] = [];
  // From new to old: what a newer version has needs no question in an older one.
  for (const one of [first, ...others]) {
    const ledger = openOld(one);
    questions.push(one);
    if (ledger === null) continue;
    await askDangers({ asker, ledger }, { dangers: suiteSets.oldDangerous, known });
    if (one.version === 'SSLv3') await askOfClass({ asker, ledger }, 'oldBlocks');
    questions.push(...oldQuestionsOf(ledger, one));
    known = [...new Set([...known, ...classesOf(ledger)])];
  }
  return questions;
}

function openOld({ version, set, accepted: [answer] }: Question): SuiteLedger | null {
  if (answer === undefined || set === 'ssl2') return null;
  const ledger = openSuiteLedger(version);
  ledger.note(suiteSets[set], answer);
  return ledger;
}

function oldQuestionsOf(ledger: SuiteLedger, first: Question): readonly Question[] {
  const dangerous = ledger.questionOf('oldDangerous', 'with-suites');
  const isNew = ({ suite }: { readonly suite: number }) => suite !== first.accepted[0]?.suite;
  const others = ledger.accepted().filter(isNew);
  const ends = (['oldBlocks', ...dangerClasses] as const)
    .map((set) => ledger.questionOf(set, 'end-only'))
    .filter(({ end }) => end.kind === 'refused' || end.kind === 'exhausted');
  const isTold = others.length > 0 || dangerous.end.kind === 'refused' || dangerous.end.kind === 'exhausted';
  return [...(isTold ? [{ ...dangerous, accepted: others }] : []), ...ends];
}
