import { early } from '../../early.ts';
import type { Preference } from '../evidence.ts';
import { type KeyKind, kindOfSuite } from '../grammar/key-kind.ts';
import { suites, suiteSets } from '../grammar/suites.ts';
import { oldGroupIds } from '../grammar/tls-names.ts';
import type { GroupWalk } from './group-walk.ts';
import { type BlockFamily, familiesOf, isUsual, kindIn, pairOf } from './suite-families.ts';
import { isChacha, type SuiteAsking } from './suite-ledger.ts';
import { askFor, walkAhead, walkSuites } from './walk-suites.ts';

/** The best suites, of which careful servers have few. Where the first answer was the first of them, all others are offered before it, which shows by whose order is chosen. */
export async function walkBest(asking: SuiteAsking, groups: GroupWalk): Promise<void> {
  const { ledger } = asking;
  const { best } = familiesOf(kindIn(ledger));
  const [first] = ledger.accepted();
  const left = ledger.left(best);
  if (first !== undefined && first.suite === best[0] && left.length > 0)
    await Promise.all([
      askBefore(asking, [...left, first.suite], groups),
      walkAhead(asking, left.slice(1), left.length),
    ]);
  await walkAhead(asking, best, 2);
}

/** One hello with suites on curves of which some are accepted, so that a refusal can only be due to groups: those that are not known yet are offered alone. */
async function askBefore(
  { asker, ledger }: SuiteAsking,
  offered: readonly number[],
  walk: GroupWalk,
): Promise<void> {
  for (const answer of ledger.accepted()) walk.note(answer);
  const isForGroups = walk.isOpen();
  const ask = (groups: readonly number[]) => asker.ask({ version: 'TLSv1.2', suites: offered, groups });
  let answer = await ask(walk.offered());
  if (isForGroups) walk.note(answer);
  if (isForGroups && answer.kind !== 'accepted') answer = await ask(oldGroupIds);
  if (answer.kind === 'accepted') ledger.note(offered, answer);
}

/** The best suites of the other kind of key, where one was found. */
export async function walkOtherBest(asking: SuiteAsking): Promise<void> {
  const { otherBest } = familiesOf(kindIn(asking.ledger));
  if (asking.ledger.accepted().some(({ suite }) => otherBest.includes(suite)))
    await walkAhead(asking, otherBest, 2);
}

/** The usual ones of all others, side by side. CBC with SHA-2 is asked for in one hello first, because most servers that lack one of them lack all. @param begun called once the last list is asked for */
export async function walkUsual(asking: SuiteAsking, groups: GroupWalk, begun: () => void): Promise<void> {
  const { curveBlocks, blocks, authenticated } = familiesOf(kindIn(asking.ledger));
  const allSha2 = [curveBlocks, ...blocks].flatMap(({ sha2 }) => sha2);
  const askingSha2 = early(askFor(asking, allSha2));
  const families: readonly (readonly [BlockFamily, GroupWalk?])[] = [
    [curveBlocks, groups],
    ...blocks.map((family) => [family] as const),
  ];
  const walk = (ids: readonly number[], own?: GroupWalk) => walkAhead(asking, ids, aheadOf(asking, ids), own);
  const walkBlocks = async () => {
    const [found] = await Promise.all([askingSha2, ...families.map(([{ sha1 }, own]) => walk(sha1, own))]);
    const isFound = ({ sha1 }: BlockFamily) =>
      asking.ledger.accepted().some(({ suite }) => sha1.includes(suite));
    // A kind of exchange that has none with SHA-1 is left to the question for all that was not asked for.
    const wanted = found === null ? [] : families.filter(([family]) => isFound(family));
    const walking = wanted.map(([{ sha2 }, own]) => walk(sha2, own));
    begun();
    await Promise.all(walking);
  };
  await Promise.all([walkBlocks(), ...authenticated.map((ids) => walk(ids))]);
}

/** Lists are of two: where a suite with such an exchange and key is known, both will be had. */
function aheadOf({ ledger }: SuiteAsking, [id = 0]: readonly number[]): 0 | 1 {
  const traitsOf = (suite: number) => {
    const { name = '', keyExchange } = suites.get(suite) ?? {};
    return `${keyExchange} ${kindOfSuite(name)}`;
  };
  return ledger.accepted().some(({ suite }) => traitsOf(suite) === traitsOf(id)) ? 1 : 0;
}

/** One hello for rare ciphers, and one for everything that needs the other kind of key: where they are refused, that is settled. @returns the rare suite that was found, if any */
export async function askRare(asking: SuiteAsking): Promise<number | null> {
  const kind = kindIn(asking.ledger);
  const { best, curveBlocks, blocks, authenticated } = familiesOf(kind);
  const families = [curveBlocks, ...blocks].flatMap(({ sha1, sha2 }) => [...sha1, ...sha2]);
  const listed = [...best, ...families, ...authenticated.flat()];
  const isOther = (id: number) => needsOtherKey(id, kind);
  const [rare] = await Promise.all([
    askFor(
      asking,
      harmless.filter((id) => !listed.includes(id) && !isOther(id)),
    ),
    askFor(asking, harmless.filter(isOther)),
  ]);
  return rare;
}

/** Suites for keys of DSS count as well: hardly any server has one. */
function needsOtherKey(id: number, kind: KeyKind | null): boolean {
  const name = suites.get(id)?.name ?? '';
  return (kindOfSuite(name) ?? kind) !== kind || name.includes('_DSS_');
}

/** Whether everything that needs the other kind of key was refused. */
export function isOtherKindRefused({ ledger }: SuiteAsking): boolean {
  const kind = kindIn(ledger);
  const isOther = (id: number) => needsOtherKey(id, kind);
  const others = harmless.filter(isOther);
  const isFound = ledger.accepted().some(({ suite }) => others.includes(suite));
  return kind !== null && !isFound && ledger.left(others).length === 0;
}

/** Dangerous suites come last: what they do to a letter is known by their classes. */
const harmless = [...suiteSets.sound, ...suiteSets.withoutForwardSecrecy];

/** What is left of all, one after the other: the order in which a server names them tells what clients get, so that few of them have to be asked as. */
export async function walkInOrder(asking: SuiteAsking, mayGoOn: () => boolean): Promise<void> {
  let found: number | null = 0;
  while (found !== null && mayGoOn()) found = await askFor(asking, [...harmless, ...suiteSets.dangerous]);
}

/** What is left of all, with one refusal at the end; beside each suite that is found, the one that servers have with it. */
export async function walkAll(asking: SuiteAsking, found: number | null): Promise<void> {
  await walkRest(asking, harmless, found);
  await walkRest(asking, suiteSets.dangerous, null);
}

/** How far connections go. */
export type Spare = {
  /** Whether there are so many to spare. */
  readonly isSpare: (count: number) => boolean;
  /** What comes first was asked. */
  readonly others: Promise<unknown>;
};

/** Pairs that will be accepted, all side by side; what there are no connections for now comes after what comes first. @param rare a suite that was found */
export async function walkLikely(asking: SuiteAsking, rare: number | null, spare: Spare): Promise<void> {
  const pairs = likelyPairs(asking, rare);
  const countTo = (end: number) => pairs.slice(0, end).flat().length;
  const now = pairs.filter((_, index) => spare.isSpare(countTo(index + 1) + 1));
  const walkEach = (some: readonly (readonly number[])[]) =>
    Promise.all(some.map((pair) => walkAhead(asking, pair, 1)));
  const isElse = (id: number) => !pairs.flat().includes(id) && !isOwnUsual(id, kindIn(asking.ledger));
  await Promise.all([
    walkEach(now),
    // Beside them one hello for everything else that no other list has.
    now.length > 0 ? askFor(asking, harmless.filter(isElse)) : undefined,
    now.length < pairs.length ? spare.others.then(() => walkEach(pairs.slice(now.length))) : undefined,
  ]);
}

/** Of a server with both kinds of keys the usual suites of the other one; of one with ARIA, as OpenSSL alone has it, what OpenSSL has beside it. */
function likelyPairs({ ledger }: SuiteAsking, rare: number | null): readonly (readonly number[])[] {
  const accepted = ledger.accepted().flatMap(({ suite }) => suites.get(suite) ?? []);
  const kinds = accepted.map(({ name }) => kindOfSuite(name));
  const isOpenssl = [...accepted.map(({ id }) => id), rare ?? 0].some(
    (id) => suites.get(id)?.cipher === 'ARIA',
  );
  const own = kindIn(ledger);
  const isLikely = (id: number) => {
    const suite = suites.get(id);
    if (suite === undefined || !kinds.includes(kindOfSuite(suite.name))) return false;
    const { name, keyExchange } = suite;
    if (!accepted.some((one) => one.keyExchange === keyExchange)) return false;
    if (isUsual(suite)) return kindOfSuite(name) !== own;
    return isOpenssl && besideAria.test(name);
  };
  const left = ledger.left(harmless).filter(isLikely);
  const pairs = left.map((id) => pairOf(id).filter((one) => left.includes(one)));
  return pairs.filter((pair, index) => pair[0] === left[index]);
}

function isOwnUsual(id: number, own: KeyKind | null): boolean {
  const suite = suites.get(id);
  return suite !== undefined && isUsual(suite) && kindOfSuite(suite.name) === own;
}

const besideAria = /^(?!.*_DSS_).*(?:_CCM|ARIA_\d+_GCM|CAMELLIA_\d+_CBC)/;

async function walkRest(asking: SuiteAsking, ids: readonly number[], first: number | null): Promise<void> {
  const paired = new Set<number>();
  const walkPair = (id: number) => {
    const pair = pairOf(id);
    for (const one of pair) paired.add(one);
    return walkSuites(asking, pair);
  };
  // Each walk is awaited from its first moment: of one that is kept for later nobody would see how it ends, should the run end before.
  const walkOn = async (): Promise<void> => {
    const found = await askFor(
      asking,
      ids.filter((id) => !paired.has(id)),
    );
    if (found !== null) await Promise.all([walkPair(found), walkOn()]);
  };
  await Promise.all([first === null ? undefined : walkPair(first), walkOn()]);
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
  const finiteIds: readonly number[] = suiteSets.finiteField;
  const authenticated = suiteSets.sound.filter(
    (id) => !finiteIds.includes(id) && suiteSets.aead.includes(id),
  );
  const lists = [authenticated, suiteSets.curveBlocks, suiteSets.withoutForwardSecrecy]
    .map(found)
    .filter((ids) => ids.length > 0);
  await Promise.all(
    lists.slice(1).map(async (next, index) => {
      const offered = [...next, ...(lists[index] ?? []).slice(-1)];
      const answer = await asker.ask({ version: 'TLSv1.2', suites: offered, groups: oldGroupIds });
      ledger.note(offered, answer);
    }),
  );
}

/** By whose order TLS 1.2 chooses: as the answers show, or by offering two suites the other way round. */
export async function askPreference({ asker, ledger }: SuiteAsking): Promise<Preference | null> {
  const shown = ledger.preference();
  const accepted = ledger.accepted().filter(({ suite }) => !isChacha(suite));
  const [first, second] = accepted.length > 1 ? accepted : ledger.accepted();
  if (shown !== null || first === undefined || second === undefined) return shown;
  const isFound = (id: number) => accepted.some(({ suite }) => suite === id);
  const known = ledger.choices().find(({ suite, over }) => isFound(suite) && over.some(isFound));
  const better = known?.suite ?? first.suite;
  const worse = known?.over.find(isFound) ?? second.suite;
  const offered = [worse, better];
  const answer = await asker.ask({ version: 'TLSv1.2', suites: offered, groups: oldGroupIds });
  if (answer.kind !== 'accepted') return null;
  return answer.suite === better ? 'server' : 'client';
}
