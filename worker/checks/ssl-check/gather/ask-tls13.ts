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
  const newGroups = (among: readonly number[]) => among.filter((id) => !named.has(id));
  const isPrimeKnown = finiteFields.some((id) => named.has(id));
  const askGroups = (among: readonly number[]) =>
    askAhead(
      () => newGroups(among),
      (groupIds) => ask(suiteSets.tls13, groupIds),
      // Of the usual curves a server has most, of others one.
      among === lists[1] ? 1 : 0,
    );
  const [ends, , prime] = await Promise.all([
    Promise.all(lists.map(askGroups)),
    askSuites({ ledger, ask, named }),
    isPrimeKnown ? null : ask(suiteSets.tls13, finiteFields),
  ]);
  const end = ends.find((one) => !isDecisive(one)) ?? ends.find(({ kind }) => kind === 'refused');
  return { end: end ?? { kind: 'exhausted' }, hasMorePrimes: prime === null };
}

/** OpenSSL puts ChaCha20 second where AES-256 is first. */
const afterLong: readonly number[] = [...new Set([0x1302, 0x1303, ...suiteSets.tls13])];
const isUsual = (id: number) => id <= 0x1303;

/** What is left of the suites, each hello beside those without what it will name. @param wanted groups that the first hello offers, so that it names one of them as well @returns how these were refused */
async function askSuites(
  { ledger, named, ask }: Tls13Context,
  wanted: readonly number[] = [],
): Promise<QuestionEnd | null> {
  const [group] = named;
  const known = group === undefined ? allGroups : [group];
  const [first] = ledger.accepted();
  const order: readonly number[] = first?.suite === 0x1302 ? afterLong : suiteSets.tls13;
  const left = () => ledger.left(order);
  let isFirst = wanted.length > 0;
  let endOfGroups: QuestionEnd | null = null;
  const askFor = async (suites: readonly number[]) => {
    if (!isFirst) return ask(suites, known);
    isFirst = false;
    endOfGroups = await ask(suites, wanted);
    // It may be due to the groups.
    return null;
  };
  const end = await askAhead(left, askFor, left().filter(isUsual).length);
  ledger.note(left(), end);
  return endOfGroups;
}

/**
 * Asks for what is left until the server refuses, in few waves: beside the hello with all of it go those without what it will name, if the server chooses as was guessed.
 * @param ahead how many hellos go beside the first
 */
async function askAhead(
  left: () => readonly number[],
  ask: (ids: readonly number[]) => Promise<QuestionEnd | null>,
  ahead: number,
): Promise<QuestionEnd> {
  return repeat(
    async () => {
      const ids = left();
      const steps = Array.from({ length: Math.min(ahead + 1, ids.length) }, (_, index) => ids.slice(index));
      const ends = await Promise.all(steps.map(ask));
      const over = ends.find((end, step) => end !== null && left().every((id) => steps[step]?.includes(id)));
      return over ?? ends[0] ?? null;
    },
    () => left().length,
  );
}

/** Rare ones before the usual ones, and hybrids last: of them a server has one. */
const curvesFirst = [...lists[2], ...lists[1].toReversed(), ...lists[0]];
const usualCurves: readonly number[] = lists[1];

/** The same with few connections: suites and groups in one hello as long as both are usual, and the groups that TLS 1.2 did not name in one. */
async function askSparingly(
  { ledger, named, ask }: Tls13Context,
  elsewhere: Promise<KnownFromTls12>,
): Promise<{ end: QuestionEnd; hasMorePrimes: boolean }> {
  const newCurves = () => curvesFirst.filter((id) => !named.has(id));
  // The usual ones come last: TLS 1.2 is asked for them meanwhile.
  const unusual = () => newCurves().filter((id) => !usualCurves.includes(id));
  const first = ledger.left(suiteSets.tls13).some(isUsual) ? unusual() : [];
  const stop = await askSuites({ ledger, ask, named }, first);
  const without = stop !== null && isDecisive(stop) ? first : [];
  const { curves: known, isLong } = await elsewhere;
  const suites = ledger.accepted().map(({ suite }) => suite);
  const left = () => newCurves().filter((id) => !known.includes(id) && !without.includes(id));
  const isLeftForLater = isLong || finiteFields.some((id) => named.has(id));
  const isAnyLeft = left().length > 0;
  const [end, prime] = await Promise.all([
    askAhead(
      left,
      (groupIds) => ask(suites, groupIds),
      left().filter((id) => !findGroup(id).isPostQuantum).length,
    ),
    isLeftForLater ? null : ask(suites, finiteFields),
  ]);
  // What was refused before stands, where nothing was left to ask.
  return { end: isAnyLeft || stop === null ? end : stop, hasMorePrimes: prime === null };
}

/** The primes that are left: they are asked for last, because connections may run out, and no judgement needs them. */
export async function askPrimes(asker: HelloAsker, asked: AskedTls13): Promise<AskedTls13> {
  if (!asked.hasMorePrimes) return asked;
  const named = new Set(asked.groups.accepted);
  const left = () => finiteFields.filter((id) => !named.has(id));
  const suites = asked.ledger.accepted().map(({ suite }) => suite);
  const ask = async (groupIds: readonly number[]): Promise<boolean> => {
    const answer = await asker.ask({ version: 'TLSv1.3', suites, groups: groupIds });
    if (answer.kind !== 'accepted' || !groupIds.includes(answer.group ?? -1)) return false;
    if (answer.group !== null) named.add(answer.group);
    return true;
  };
  const isAny = finiteFields.some((id) => named.has(id));
  const [first, ...others] = left();
  // A server that has one has most: each by itself, side by side, as far as connections go.
  await Promise.all([
    first === undefined ? undefined : ask(isAny ? [first] : left()),
    ...others.map((id) => ask([id])),
  ]);
  for (const id of finiteFields) if (named.delete(id)) named.add(id);
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

function notOffered(answer: HelloAccepted, hasAccepted: boolean): QuestionEnd {
  const { suite, group, notOffered: fault } = answer;
  return hasAccepted
    ? { kind: 'stopped', reason: 'the server chose what was not offered' }
    : { kind: 'refused', by: 'not-offered', suite, group, ...(fault ? { notOffered: fault } : {}) };
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
