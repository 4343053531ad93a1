import type { Preference, Question } from '../evidence.ts';
import { type KeyKind, kindOfSuite } from '../grammar/key-kind.ts';
import { dangerClasses, type Suite, type SuiteSet, suiteSets, suites } from '../grammar/suites.ts';
import { oldGroupIds, type VersionName } from '../grammar/tls-names.ts';
import type { HelloAnswer, HelloAsker } from './ask-hello.ts';
import { askOnce } from './ask-questions.ts';
import type { GroupWalk } from './group-walk.ts';
import { openSuiteLedger, type SuiteLedger } from './suite-ledger.ts';

type AskedVersion = Exclude<VersionName, 'SSLv2' | 'TLSv1.3'>;

/** Where suites of a version are asked for, and what is known of them so far. */
export type SuiteAsking = { readonly asker: HelloAsker; readonly ledger: SuiteLedger };

/** Asks for the suites of a list, each time without those that are known, until the server refuses. */
export async function walkSuites(
  asking: SuiteAsking,
  ids: readonly number[],
  groups?: GroupWalk,
): Promise<void> {
  let isMore = true;
  while (isMore) isMore = await askFor(asking, ids, groups);
}

/** One hello with what is left of a list; false where nothing was left or nothing was found. */
async function askFor(
  { asker, ledger }: SuiteAsking,
  ids: readonly number[],
  walk?: GroupWalk,
): Promise<boolean> {
  const offered = ledger.left(ids);
  if (offered.length === 0) return false;
  const isForGroups = walk?.isOpen() === true;
  const groups = isForGroups ? walk.offered() : oldGroupIds;
  const answer = await asker.ask({ version: versionOf(ledger), suites: offered, groups });
  if (isForGroups) walk.note(answer);
  // With some of the groups alone a refusal may be due to them.
  if (isForGroups && answer.kind !== 'accepted') return true;
  ledger.note(offered, answer);
  return answer.kind === 'accepted' && offered.includes(answer.suite);
}

/** One hello for a set of which no suite was found yet. */
async function askOfClass(asking: SuiteAsking, set: SuiteSet): Promise<void> {
  if (!isFound(asking.ledger, set)) await askFor(asking, suiteSets[set]);
}

function isFound(ledger: SuiteLedger, set: SuiteSet): boolean {
  const ids: readonly number[] = suiteSets[set];
  return ledger.accepted().some(({ suite }) => ids.includes(suite));
}

function versionOf({ version }: SuiteLedger): AskedVersion {
  return version === 'SSLv2' || version === 'TLSv1.3' ? 'TLSv1.2' : version;
}

/** Everything that a careful server refuses: there, one hello settles it. */
const carelessIds = [
  ...suiteSets.withoutForwardSecrecy,
  ...suiteSets.finiteField,
  ...suiteSets.curveBlocks,
  ...suiteSets.dangerous,
];

const everySuite = [...suiteSets.sound, ...suiteSets.withoutForwardSecrecy, ...suiteSets.dangerous];

/** The alert by which a server says that it speaks no version up to the one that was offered (RFC 8446 §6.2). */
const protocolVersion = 70;

function isVersionRefused({ end }: Question): boolean {
  return (
    end.kind === 'refused' &&
    (end.by === 'other-version' || (end.by === 'alert' && end.alert === protocolVersion))
  );
}

/** Opens what is known of TLS 1.2 with the answer to its sound suites. */
export function openTls12(opening: Question): SuiteLedger {
  const ledger = openSuiteLedger('TLSv1.2');
  ledger.note(isVersionRefused(opening) ? everySuite : suiteSets.sound, opening.accepted[0] ?? opening.end);
  return ledger;
}

/** Asks TLS 1.2 for every class of suites that a judgement depends on. @returns whether there is more to ask for than the best */
export async function askClasses(asking: SuiteAsking): Promise<'careful' | 'careless'> {
  const { asker, ledger } = asking;
  const suites = ledger.left(carelessIds);
  if (suites.length === 0) return 'careful';
  const answer = await asker.ask({ version: 'TLSv1.2', suites, groups: oldGroupIds });
  // A connection that was cut off may be due to one of them: each class is asked for by itself.
  if (!isCutOff(answer)) ledger.note(suites, answer);
  if (isTold(answer)) return 'careful';
  await Promise.all([
    askDangers(asking, 'dangerous', []),
    askOfClass(asking, 'withoutForwardSecrecy'),
    askOfClass(asking, 'finiteField'),
    askOfClass(asking, 'curveBlocks'),
    askOfClass(asking, 'aead'),
  ]);
  return 'careless';
}

/** An answer that is the same for every part of what was offered. */
function isTold(answer: HelloAnswer): boolean {
  return answer.kind !== 'accepted' && !isCutOff(answer);
}

function isCutOff(answer: HelloAnswer): boolean {
  return answer.kind === 'refused' && (answer.by === 'closed' || answer.by === 'reset');
}

/** One hello for all dangerous suites, and where one is accepted, one for each class that it is not of. @param known classes that newer versions have */
async function askDangers(
  asking: SuiteAsking,
  set: 'dangerous' | 'oldDangerous',
  known: readonly SuiteSet[],
): Promise<void> {
  const isOpen = (one: SuiteSet) => !known.includes(one) && !isFound(asking.ledger, one);
  const offered: readonly number[] = suiteSets[set];
  const idsOf = (sets: readonly SuiteSet[]) =>
    offered.filter((id) => sets.some((one) => (suiteSets[one] as readonly number[]).includes(id)));
  if (!(await askFor(asking, idsOf(dangerClasses.filter(isOpen))))) return;
  await Promise.all(dangerClasses.filter(isOpen).map((one) => askFor(asking, idsOf([one]))));
}

/** Suites by what servers offer or refuse together, so that few lists end in a refusal. Those of the other kind of key, and rare ciphers, are in none. */
function familiesOf(kind: KeyKind | null) {
  const isUsual = ({ name, cipher }: Suite) =>
    (cipher === 'AES' || cipher === 'CHACHA20') && !/_CCM|_DSS_/.test(name);
  const isOfKind = ({ name }: Suite) => kindOfSuite(name) === (kind ?? kindOfSuite(name));
  const listOf = (set: SuiteSet, isAead: boolean) =>
    suiteSets[set].filter((id) => {
      const suite = suites.get(id);
      return suite !== undefined && suite.isAead === isAead && isUsual(suite) && isOfKind(suite);
    });
  return {
    best: suiteSets.sound.filter((id) => !isFinite(id) && listOf('sound', true).includes(id)),
    lists: [
      listOf('curveBlocks', false),
      ...(['withoutForwardSecrecy', 'finiteField'] as const).flatMap((set) => [
        listOf(set, true),
        listOf(set, false),
      ]),
    ],
  };
}

const finiteIds: readonly number[] = suiteSets.finiteField;
const isFinite = (id: number) => finiteIds.includes(id);

/** The kind of key of the first suite that was chosen. */
function kindIn(ledger: SuiteLedger): KeyKind | null {
  const [first] = ledger.accepted();
  return first === undefined ? null : kindOfSuite(suites.get(first.suite)?.name ?? '');
}

/** The best suites, of which careful servers have few; and one hello for all other suites on curves, which settles them where there is none. */
export async function walkBest(asking: SuiteAsking): Promise<void> {
  const { best, lists } = familiesOf(kindIn(asking.ledger));
  const known = [...best, ...(lists[0] ?? [])];
  await Promise.all([
    walkSuites(asking, best),
    askFor(
      asking,
      suiteSets.sound.filter((id) => !isFinite(id) && !known.includes(id)),
    ),
  ]);
}

/** The usual ones of all others, side by side. */
export async function walkUsual(asking: SuiteAsking, groups: GroupWalk | null): Promise<void> {
  const [curves = [], ...more] = familiesOf(kindIn(asking.ledger)).lists;
  await Promise.all([
    walkSuites(asking, curves, groups ?? undefined),
    ...more.map((ids) => walkSuites(asking, ids)),
  ]);
}

/**
 * Learns how the lists of a server with an order of its own follow each other: usually those on curves come before those without forward secrecy.
 * Where the last of one list is preferred to all of the next, every one before it is too.
 */
export async function askOrder(asking: SuiteAsking): Promise<void> {
  const { asker, ledger } = asking;
  if (ledger.preference() !== 'server') return;
  const found = (ids: readonly number[]) =>
    ledger.accepted().flatMap(({ suite }) => (ids.includes(suite) ? [suite] : []));
  const authenticated = suiteSets.sound.filter((id) => !isFinite(id) && suiteSets.aead.includes(id));
  const lists = [authenticated, suiteSets.curveBlocks, suiteSets.withoutForwardSecrecy]
    .map(found)
    .filter((ids) => ids.length > 0);
  await Promise.all(
    lists.slice(1).map(async (next, index) => {
      const suites = [...next, ...(lists[index] ?? []).slice(-1)];
      ledger.note(suites, await asker.ask({ version: 'TLSv1.2', suites, groups: oldGroupIds }));
    }),
  );
}

/** One hello for each list of rare ciphers, and for what the other kind of key would have: where all are refused, everything is settled. */
export async function askRare(asking: SuiteAsking): Promise<void> {
  const kind = kindIn(asking.ledger);
  const usual = familiesOf(kind).lists.flat();
  const isOther = (id: number) => kindOfSuite(suites.get(id)?.name ?? '') !== kind;
  const lists = [
    suiteSets.withoutForwardSecrecy,
    suiteSets.finiteField,
    suiteSets.sound.filter((id) => !isFinite(id) && isOther(id)),
  ];
  await Promise.all(
    lists.map((ids) =>
      askFor(
        asking,
        ids.filter((id) => !usual.includes(id)),
      ),
    ),
  );
}

/** What is left of all lists, and then of the dangerous ones. */
export async function walkAll(asking: SuiteAsking): Promise<void> {
  const lists = [suiteSets.withoutForwardSecrecy, [...suiteSets.curveBlocks, ...suiteSets.finiteField]];
  await Promise.all(lists.map((ids) => walkSuites(asking, ids)));
  await walkSuites(asking, suiteSets.dangerous);
}

/** By whose order TLS 1.2 chooses: as the answers show, or by offering two suites the other way round. */
export async function askPreference({ asker, ledger }: SuiteAsking): Promise<Preference | null> {
  const shown = ledger.preference();
  const [first, second] = ledger.accepted();
  if (shown !== null || first === undefined || second === undefined) return shown;
  const isFound = (id: number) => ledger.accepted().some(({ suite }) => suite === id);
  const known = ledger.choices().find(({ over }) => over.some(isFound));
  const better = known?.suite ?? first.suite;
  const worse = known?.over.find(isFound) ?? second.suite;
  const suites = [worse, better];
  const answer = await asker.ask({ version: 'TLSv1.2', suites, groups: oldGroupIds });
  if (answer.kind !== 'accepted') return null;
  return answer.suite === better ? 'server' : 'client';
}

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
    await askDangers({ asker, ledger }, 'oldDangerous', known);
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

/** The dangerous classes of which a suite was found. */
export function classesOf(ledger: SuiteLedger): readonly SuiteSet[] {
  return dangerClasses.filter((one) => isFound(ledger, one));
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
