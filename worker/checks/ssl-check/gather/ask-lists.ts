import type { Preference } from '../evidence.ts';
import { kindOfSuite } from '../grammar/key-kind.ts';
import { suites, suiteSets } from '../grammar/suites.ts';
import { oldGroupIds } from '../grammar/tls-names.ts';
import type { GroupWalk } from './group-walk.ts';
import { familiesOf, kindIn, pairOf } from './suite-families.ts';
import type { SuiteAsking } from './suite-ledger.ts';
import { askFor, walkSuites } from './walk-suites.ts';

/** The best suites, of which careful servers have few. The last of them is offered before those that are known, which shows by whose order is chosen. */
export async function walkBest(asking: SuiteAsking): Promise<void> {
  const { ledger } = asking;
  const { best } = familiesOf(kindIn(ledger));
  let found: number | null = 0;
  while (found !== null && ledger.left(best).length > 1) found = await askFor(asking, best);
  const known = ledger.accepted().flatMap(({ suite }) => (best.includes(suite) ? [suite] : []));
  if (ledger.left(best).length === 1 && known.length > 1) await askBefore(asking, best, known.reverse());
  await walkSuites(asking, best);
}

/** One hello with what is left of a list, and behind it suites that are accepted. */
async function askBefore(
  { asker, ledger }: SuiteAsking,
  ids: readonly number[],
  known: readonly number[],
): Promise<void> {
  const offered = [...ledger.left(ids), ...known];
  const answer = await asker.ask({ version: 'TLSv1.2', suites: offered, groups: oldGroupIds });
  // A refusal would be of suites that are accepted.
  if (answer.kind === 'accepted') ledger.note(offered, answer);
}

/** The best suites of the other kind of key, where one was found. */
export async function walkOtherBest(asking: SuiteAsking): Promise<void> {
  const { otherBest } = familiesOf(kindIn(asking.ledger));
  if (asking.ledger.accepted().some(({ suite }) => otherBest.includes(suite)))
    await walkSuites(asking, otherBest);
}

/** The usual ones of all others, side by side. */
export async function walkUsual(asking: SuiteAsking, groups: GroupWalk): Promise<void> {
  const { curveBlocks, usual } = familiesOf(kindIn(asking.ledger));
  await Promise.all([
    walkSuites(asking, curveBlocks, groups),
    ...usual.map((ids) => walkSuites(asking, ids)),
  ]);
}

/** One hello for rare ciphers, and one for everything that needs the other kind of key: where they are refused, that is settled. @returns the rare suite that was found, if any */
export async function askRare(asking: SuiteAsking): Promise<number | null> {
  const kind = kindIn(asking.ledger);
  const { best, curveBlocks, usual } = familiesOf(kind);
  const listed = [...best, ...curveBlocks, ...usual.flat()];
  const isOther = (id: number) => (kindOfSuite(suites.get(id)?.name ?? '') ?? kind) !== kind;
  const [rare] = await Promise.all([
    askFor(
      asking,
      harmless.filter((id) => !listed.includes(id) && !isOther(id)),
    ),
    askFor(asking, harmless.filter(isOther)),
  ]);
  return rare;
}

/** Whether everything that needs the other kind of key was refused. */
export function isOtherKindRefused({ ledger }: SuiteAsking): boolean {
  const kind = kindIn(ledger);
  const isOther = (id: number) => (kindOfSuite(suites.get(id)?.name ?? '') ?? kind) !== kind;
  const others = harmless.filter(isOther);
  const isFound = ledger.accepted().some(({ suite }) => others.includes(suite));
  return kind !== null && !isFound && ledger.left(others).length === 0;
}

/** Dangerous suites come last: what they do to a letter is known by their classes. */
const harmless = [...suiteSets.sound, ...suiteSets.withoutForwardSecrecy];

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
  const [first, second] = ledger.accepted();
  if (shown !== null || first === undefined || second === undefined) return shown;
  const isFound = (id: number) => ledger.accepted().some(({ suite }) => suite === id);
  const known = ledger.choices().find(({ over }) => over.some(isFound));
  const better = known?.suite ?? first.suite;
  const worse = known?.over.find(isFound) ?? second.suite;
  const offered = [worse, better];
  const answer = await asker.ask({ version: 'TLSv1.2', suites: offered, groups: oldGroupIds });
  if (answer.kind !== 'accepted') return null;
  return answer.suite === better ? 'server' : 'client';
}
