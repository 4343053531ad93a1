import { early } from '../../early.ts';
import type { Preference } from '../evidence.ts';
import { type KeyKind, kindOfSuite } from '../grammar/key-kind.ts';
import { suites, suiteSets } from '../grammar/suites.ts';
import { oldGroupIds } from '../grammar/tls-names.ts';
import type { GroupWalk } from './group-walk.ts';
import { type BlockFamily, familiesOf, kindIn, pairOf } from './suite-families.ts';
import { isChacha, type SuiteAsking } from './suite-ledger.ts';
import { askFor, walkSuites } from './walk-suites.ts';

/** The best suites, of which careful servers have few. Where the first answer was the first of them, all others are offered before it, which shows by whose order is chosen. */
export async function walkBest(asking: SuiteAsking, groups: GroupWalk): Promise<void> {
  const { ledger } = asking;
  const { best } = familiesOf(kindIn(ledger));
  const [first] = ledger.accepted();
  const left = ledger.left(best);
  if (first !== undefined && first.suite === best[0] && left.length > 0)
    await askBefore(asking, [...left, first.suite], groups);
  await walkSuites(asking, best);
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
    await walkSuites(asking, otherBest);
}

/** The usual ones of all others, side by side. CBC with SHA-2 is asked for in one hello first, because most servers that lack one of them lack all. */
export async function walkUsual(asking: SuiteAsking, groups: GroupWalk): Promise<void> {
  const { curveBlocks, blocks, authenticated } = familiesOf(kindIn(asking.ledger));
  const allSha2 = [curveBlocks, ...blocks].flatMap(({ sha2 }) => sha2);
  const askingSha2 = early(askFor(asking, allSha2));
  const walkBlocks = async ({ sha1, sha2 }: BlockFamily, walk?: GroupWalk) => {
    await walkSuites(asking, sha1, walk);
    // A kind of exchange that has none with SHA-1 is left to the question for all that was not asked for.
    const isFound = asking.ledger.accepted().some(({ suite }) => sha1.includes(suite));
    if ((await askingSha2) !== null && isFound) await walkSuites(asking, sha2, walk);
  };
  await Promise.all([
    walkBlocks(curveBlocks, groups),
    ...blocks.map((family) => walkBlocks(family)),
    ...authenticated.map((ids) => walkSuites(asking, ids)),
  ]);
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
