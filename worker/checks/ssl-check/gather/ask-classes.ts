import { early } from '../../early.ts';
import type { Question } from '../evidence.ts';
import { dangerClasses, type SuiteSet, suiteSets } from '../grammar/suites.ts';
import { oldGroupIds } from '../grammar/tls-names.ts';
import { isCutOff } from './ask-hello.ts';
import { familiesOf, kindIn } from './suite-families.ts';
import { openSuiteLedger, type SuiteAsking, type SuiteLedger } from './suite-ledger.ts';
import { askFor, isTold } from './walk-suites.ts';

const everySuite = [...suiteSets.sound, ...suiteSets.withoutForwardSecrecy, ...suiteSets.dangerous];

/** The alert by which a server says that it speaks no version up to the one that was offered (RFC 8446 §6.2). */
export const protocolVersion = 70;

function isVersionRefused({ end }: Question): boolean {
  return (
    end.kind === 'refused' &&
    (end.by === 'other-version' || (end.by === 'alert' && end.alert === protocolVersion))
  );
}

/** The dangerous suites, where they were not refused with all else: an answer with a prime leaves them open, and one of them leaves the others. */
export async function askDangersOf12(asking: SuiteAsking): Promise<void> {
  await askDangers(asking, { dangers: suiteSets.dangerous, known: [] });
  await askOfClass(asking, 'finiteField');
}

/** Opens what is known of TLS 1.2 with the answer to its sound suites. */
export function openTls12(opening: Question): SuiteLedger {
  const ledger = openSuiteLedger('TLSv1.2');
  ledger.note(isVersionRefused(opening) ? everySuite : suiteSets.sound, opening.accepted[0] ?? opening.end);
  return ledger;
}

/** careful: there is nothing but the best suites. */
export type Care = 'careful' | 'careless';

/** Asks TLS 1.2 for every class of suites that a judgement depends on. */
export async function askClasses(asking: SuiteAsking): Promise<Care> {
  // Most servers are not careful, and far away a wave of questions costs more than these do.
  const { best } = familiesOf(kindIn(asking.ledger));
  const resting = early(askRest(asking, best));
  const classing = early(askEachClass(asking));
  const care = await askCare(asking, await resting, classing);
  await classing;
  return care;
}

async function askEachClass(asking: SuiteAsking): Promise<void> {
  await Promise.all([
    // In one hello, because most servers refuse both.
    askFor(asking, [...suiteSets.dangerous, ...suiteSets.finiteField]),
    askOfClass(asking, 'withoutForwardSecrecy'),
    askOfClass(asking, 'curveBlocks'),
    askOfClass(asking, 'aead'),
  ]);
}

/** Everything that a careful server refuses: there, one hello settles it. */
async function askCare(asking: SuiteAsking, found: Care | number, classing: Promise<void>): Promise<Care> {
  const { best, otherBest } = familiesOf(kindIn(asking.ledger));
  if (typeof found !== 'number') return found;
  if (!otherBest.includes(found)) return 'careless';
  // A server with both kinds of keys may be careful too, unless a class says otherwise.
  await classing;
  const own = [...best, ...otherBest];
  if (asking.ledger.accepted().some(({ suite }) => !own.includes(suite))) return 'careless';
  return (await askRest(asking, own)) === 'careful' ? 'careful' : 'careless';
}

/** One hello for all suites but these. @returns the suite that was found, if any */
async function askRest({ asker, ledger }: SuiteAsking, known: readonly number[]): Promise<Care | number> {
  const suites = ledger.left(everySuite).filter((id) => !known.includes(id));
  if (suites.length === 0) return 'careful';
  const answer = await asker.ask({ version: 'TLSv1.2', suites, groups: oldGroupIds });
  // A connection that was cut off may be due to one of them: each class is asked for by itself.
  if (!isCutOff(answer)) ledger.note(suites, answer);
  if (answer.kind === 'accepted') return answer.suite;
  return isTold(answer) ? 'careful' : 'careless';
}

/** One hello for a set of which no suite was found yet. */
export async function askOfClass(asking: SuiteAsking, set: SuiteSet): Promise<void> {
  if (!isFound(asking.ledger, set)) await askFor(asking, suiteSets[set]);
}

function isFound(ledger: SuiteLedger, set: SuiteSet): boolean {
  const ids: readonly number[] = suiteSets[set];
  return ledger.accepted().some(({ suite }) => ids.includes(suite));
}

type Dangers = {
  readonly dangers: readonly number[];
  /** Classes that newer versions have. */
  readonly known: readonly SuiteSet[];
};

/** One hello for all dangerous suites, and as long as one is accepted, one more for the classes that are left: each costs a connection, and one refusal settles the others. */
export async function askDangers(asking: SuiteAsking, { dangers, known }: Dangers): Promise<void> {
  const { ledger } = asking;
  const isOpen = (one: SuiteSet) => !known.includes(one) && !isFound(ledger, one);
  const idsOf = (sets: readonly SuiteSet[]) =>
    dangers.filter((id) => sets.some((one) => (suiteSets[one] as readonly number[]).includes(id)));
  const open = idsOf(dangerClasses.filter(isOpen));
  if (ledger.left(open).length === 0) return;
  let found = await askFor(asking, open);
  while (found !== null) found = await askFor(asking, idsOf(dangerClasses.filter(isOpen)));
}

/** The dangerous classes of which a suite was found. */
export function classesOf(ledger: SuiteLedger): readonly SuiteSet[] {
  return dangerClasses.filter((one) => isFound(ledger, one));
}
