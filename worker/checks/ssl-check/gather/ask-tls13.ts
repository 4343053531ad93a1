import type {
  CertificateFormObservation,
  GroupsObservation,
  HelloAccepted,
  QuestionEnd,
} from '../evidence.ts';
import { isDecisive } from '../facts/decisive.ts';
import { groupsWithKeys } from '../grammar/key-shares.ts';
import { suiteSets } from '../grammar/suites.ts';
import { findGroup, groups } from '../grammar/tls-names.ts';
import type { ClientAnswer, HelloAsker, Offered } from './ask-hello.ts';
import { openSuiteLedger, type SuiteLedger } from './suite-ledger.ts';

/** What is learnt of TLS 1.3. */
export type AskedTls13 = {
  readonly ledger: SuiteLedger;
  readonly groups: GroupsObservation;
  readonly certificateForm: CertificateFormObservation | null;
  /** Groups of primes may be left that were not asked for. */
  readonly hasMorePrimes: boolean;
};

/** What TLS 1.2 tells beside its suites. */
export type KnownFromTls12 = {
  /** Curves that it named, which need no question in TLS 1.3. */
  readonly curves: readonly number[];
  /** Its lists are long: connections are left to them. */
  readonly isLong: boolean;
};

const allGroups = [...groups.keys()];
const finiteFields = allGroups.filter((id) => findGroup(id).name.startsWith('ffdhe'));
/** Groups that servers have or lack together: each list is asked for beside the others. */
const lists = [
  allGroups.filter((id) => findGroup(id).isPostQuantum),
  [0x001d, 0x0017, 0x0018],
  [0x0019, 0x001e],
] as const;

/**
 * Asks for suites and groups of TLS 1.3: each HelloRetryRequest names one of both, and the next hello leaves it out.
 * @param clients what clients were answered, which names some of both
 * @param elsewhere what TLS 1.2 tells beside its suites, where it has more than the best; null where it has not
 */
export async function askTls13(
  asker: HelloAsker,
  clients: readonly ClientAnswer[],
  elsewhere: Promise<KnownFromTls12> | null,
): Promise<AskedTls13> {
  const ledger = openSuiteLedger('TLSv1.3');
  const named = new Set<number>();
  let form = clients.find(({ certificateForm }) => certificateForm !== null)?.certificateForm ?? null;
  const take = (offered: readonly number[], answer: HelloAccepted) => {
    ledger.note(offered, answer);
    if (answer.group !== null) named.add(answer.group);
  };
  for (const { offered, answer } of answersIn13(clients)) take(offered, answer);
  const ask = async (suites: readonly number[], groupIds: readonly number[]): Promise<QuestionEnd | null> => {
    const answer = await askForForm({ version: 'TLSv1.3', suites, groups: groupIds });
    if (answer.kind !== 'accepted') return answer;
    const isOffered = suites.includes(answer.suite) && groupIds.includes(answer.group ?? -1);
    if (!isOffered) return notOffered(answer, ledger.accepted().length > 0);
    take(suites, answer);
    return null;
  };
  const askForForm = async (offered: Offered) => {
    if (form !== null || !offered.groups.some((id) => groupsWithKeys.includes(id))) return asker.ask(offered);
    const seen = await asker.askWithKeys(offered);
    form ??= seen.certificateForm;
    return seen.answer;
  };
  const asking = { ledger, named, ask };
  const first = ledger.accepted().length > 0 ? null : await ask(suiteSets.tls13, allGroups);
  if (first !== null) {
    ledger.note(suiteSets.tls13, first);
    const none = { accepted: [], end: first };
    return { ledger, groups: none, certificateForm: form, hasMorePrimes: false };
  }
  const { end, hasMorePrimes } =
    elsewhere === null ? await askLeft(asking) : await askSparingly(asking, elsewhere);
  return { ledger, groups: { accepted: [...named], end }, certificateForm: form, hasMorePrimes };
}

type Tls13Context = {
  readonly ledger: SuiteLedger;
  readonly named: ReadonlySet<number>;
  readonly ask: (suites: readonly number[], groupIds: readonly number[]) => Promise<QuestionEnd | null>;
};

/** Suites and lists of groups side by side, each until the server refuses; of primes only whether there is one. */
async function askLeft({
  ledger,
  named,
  ask,
}: Tls13Context): Promise<{ end: QuestionEnd; hasMorePrimes: boolean }> {
  const newSuites = () => ledger.left(suiteSets.tls13);
  const newGroups = (among: readonly number[]) => among.filter((id) => !named.has(id));
  const [group] = named;
  const isPrimeKnown = finiteFields.some((id) => named.has(id));
  const askSuites = async () => {
    const end = await repeat(
      () => ask(newSuites(), group === undefined ? allGroups : [group]),
      () => newSuites().length,
    );
    ledger.note(newSuites(), end);
  };
  const askGroups = (among: readonly number[]) =>
    repeat(
      () => ask(suiteSets.tls13, newGroups(among)),
      () => newGroups(among).length,
    );
  const [, prime, ...ends] = await Promise.all([
    askSuites(),
    isPrimeKnown ? null : ask(suiteSets.tls13, finiteFields),
    ...lists.map(askGroups),
  ]);
  const end = ends.find((one) => !isDecisive(one)) ?? ends.find(({ kind }) => kind === 'refused');
  return { end: end ?? { kind: 'exhausted' }, hasMorePrimes: prime === null };
}

const usualSuites = [0x1301, 0x1302, 0x1303] as const;
const curves = lists.flat();
const usualCurves: readonly number[] = lists[1];

/** The same with few connections: suites and groups in one hello as long as both are usual, and the groups that TLS 1.2 did not name in one. */
async function askSparingly(
  { ledger, named, ask }: Tls13Context,
  elsewhere: Promise<KnownFromTls12>,
): Promise<{ end: QuestionEnd; hasMorePrimes: boolean }> {
  const newCurves = () => curves.filter((id) => !named.has(id)).reverse();
  // The usual ones come last: TLS 1.2 is asked for them meanwhile.
  const first = {
    suites: ledger.left(usualSuites),
    groups: newCurves().filter((id) => !usualCurves.includes(id)),
  };
  let stop = first.suites.length > 0 ? await ask(first.suites, first.groups) : null;
  const refused = stop !== null && isDecisive(stop) ? first.groups : [];
  while (stop === null && ledger.left(usualSuites).length > 0 && newCurves().length > 0)
    stop = await ask(ledger.left(usualSuites), newCurves());
  const [group] = named;
  const endOfSuites = await repeat(
    () => ask(ledger.left(suiteSets.tls13), group === undefined ? allGroups : [group]),
    () => ledger.left(suiteSets.tls13).length,
  );
  ledger.note(ledger.left(suiteSets.tls13), endOfSuites);
  const { curves: known, isLong } = await elsewhere;
  const suites = ledger.accepted().map(({ suite }) => suite);
  // What was refused together with a suite that is accepted was refused for its groups.
  const without = first.suites.some((id) => suites.includes(id)) ? refused : [];
  const left = () => newCurves().filter((id) => !known.includes(id) && !without.includes(id));
  const isLeftForLater = isLong || finiteFields.some((id) => named.has(id));
  const [end, prime] = await Promise.all([
    repeat(
      () => ask(suites, left()),
      () => left().length,
    ),
    isLeftForLater ? null : ask(suites, finiteFields),
  ]);
  return { end, hasMorePrimes: prime === null };
}

/** The primes that are left: they are asked for last, because connections may run out, and no judgement needs them. */
export async function askPrimes(asker: HelloAsker, asked: AskedTls13): Promise<AskedTls13> {
  if (!asked.hasMorePrimes) return asked;
  const named = new Set(asked.groups.accepted);
  const left = () => finiteFields.filter((id) => !named.has(id));
  const suites = asked.ledger.accepted().map(({ suite }) => suite);
  while (left().length > 0) {
    const groupIds = left();
    const answer = await asker.ask({ version: 'TLSv1.3', suites, groups: groupIds });
    if (answer.kind !== 'accepted' || !groupIds.includes(answer.group ?? -1)) break;
    if (answer.group !== null) named.add(answer.group);
  }
  return { ...asked, groups: { ...asked.groups, accepted: [...named] } };
}

/** Suites of TLS 1.3 that clients offered, and what was chosen. */
function* answersIn13(
  clients: readonly ClientAnswer[],
): Generator<{ readonly offered: readonly number[]; readonly answer: HelloAccepted }> {
  for (const { version, answer, suites } of clients)
    if (version === 'TLSv1.3' && answer.kind === 'accepted')
      yield { offered: suites.filter((id) => tls13Ids.includes(id)), answer };
}

const tls13Ids: readonly number[] = suiteSets.tls13;

function notOffered({ suite, group }: HelloAccepted, hasAccepted: boolean): QuestionEnd {
  return hasAccepted
    ? { kind: 'stopped', reason: 'the server chose what was not offered' }
    : { kind: 'refused', by: 'not-offered', suite, group };
}

async function repeat(
  step: () => Promise<QuestionEnd | null>,
  countLeft: () => number,
): Promise<QuestionEnd> {
  while (countLeft() > 0) {
    const end = await step();
    if (end !== null) return end;
  }
  return { kind: 'exhausted' };
}
