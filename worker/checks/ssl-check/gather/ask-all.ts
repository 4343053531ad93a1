import { early } from '../../early.ts';
import type {
  CertificateFormObservation,
  Choice,
  ClientObservation,
  FallbackObservation,
  GroupsObservation,
  Preference,
  Question,
  Refusal,
} from '../evidence.ts';
import { readKnown } from '../facts/known.ts';
import { dangerClasses } from '../grammar/suites.ts';
import type { VersionName } from '../grammar/tls-names.ts';
import { askClasses, askDangersOf12, type Care, classesOf, openTls12 } from './ask-classes.ts';
import { askBrowsers, askMatters, askUnknown, listUnknown, withoutForm } from './ask-clients.ts';
import type { ClientAnswer, HelloAsker } from './ask-hello.ts';
import {
  askOrder,
  askPreference,
  askRare,
  isOtherKindRefused,
  walkAll,
  walkBest,
  walkInOrder,
  walkLikely,
  walkOtherBest,
  walkUsual,
} from './ask-lists.ts';
import { askOldVersions } from './ask-old-versions.ts';
import { askFallback, askSsl2 } from './ask-questions.ts';
import { type AskedTls13, askPrimes, askTls13, type KnownFromTls12 } from './ask-tls13.ts';
import { type GroupWalk, openGroupWalk, walkGroups } from './group-walk.ts';
import type { SuiteAsking, SuiteLedger } from './suite-ledger.ts';

/** What the ClientHellos brought. */
export type HelloObservations = {
  readonly questions: readonly Question[];
  readonly groups: GroupsObservation | null;
  readonly preference: Preference | null;
  readonly tls13Preference: Preference | null;
  readonly tls12Groups: GroupsObservation | null;
  readonly fallback: FallbackObservation | null;
  readonly choices: readonly Choice[];
  readonly refusals: readonly Refusal[];
  readonly clients: readonly ClientObservation[];
  readonly certificateForm: CertificateFormObservation | null;
};

/**
 * Asks everything that ClientHellos can tell, side by side as far as there are lanes.
 * What decides the grade is asked first: today's browsers and one question for each class of suites. Lists come after them, because the allowance may end before the lists do.
 * @param note called after each question
 */
export async function askAll(
  asker: HelloAsker,
  opening: Question,
  note: () => void,
): Promise<HelloObservations> {
  const noted = async <T>(asking: Promise<T>): Promise<T> => {
    const answer = await asking;
    note();
    return answer;
  };
  const ledger = openTls12(opening);
  const classing = early(noted(askClasses({ asker, ledger })));
  const endangering = early(classing.then(() => askDangersOf12({ asker, ledger })));
  const newer = early(endangering.then(() => classesOf(ledger)));
  const older = early(Promise.all([noted(askOldVersions(asker, newer)), noted(askSsl2(asker))]));
  const falling = early(older.then(([old]) => askFallback(asker, [opening, ...old])));
  const [asked, fallback] = await Promise.all([
    askModern(asker, { ledger, classing, endangering, older, groups: openGroupWalk() }),
    falling,
  ]);
  note();
  return { ...asked, fallback };
}

/** The same where the versions before TLS 1.2 were asked for already. */
export function askRest(
  asker: HelloAsker,
  opening: Question,
  older: readonly Question[],
): Promise<Omit<HelloObservations, 'fallback'>> {
  const ledger = openTls12(opening);
  const classing = early(askClasses({ asker, ledger }));
  const endangering = early(classing.then(() => askDangersOf12({ asker, ledger })));
  return askModern(asker, {
    ledger,
    classing,
    endangering,
    older: Promise.resolve([older]),
    groups: openGroupWalk(),
  });
}

/** So many clients may have to be asked as, once the order of a server is known. */
const clientsExpected = 3;
/** So many questions TLS 1.3 has left then. */
const expected13 = 3;
/** So many groups of primes there are, and questions that the lists may have left. */
const primes = 3;

type Begun = {
  readonly ledger: SuiteLedger;
  readonly classing: Promise<Care>;
  readonly endangering: Promise<void>;
  readonly older: Promise<readonly (Question | readonly Question[])[]>;
  /** Groups of TLS 1.2, which matter where nothing newer is spoken. */
  readonly groups: GroupWalk;
};

/** TLS 1.2 and 1.3, and what clients get. */
async function askModern(asker: HelloAsker, begun: Begun): Promise<Omit<HelloObservations, 'fallback'>> {
  const { ledger, classing, endangering, older, groups } = begun;
  const asking = { asker, ledger };
  const browsing = early(askBrowsers(asker));
  const walkingBest = early(walkBest(asking, groups));
  const lists = beginLists(asking, begun, browsing);
  const { listing } = lists;
  const [browsers, matters, tls13, old, preference] = await Promise.all([
    browsing,
    classing.then((care) => (care === 'careful' ? askMatters(asker, versionsOf(ledger)) : [])),
    Promise.all([browsing, classing]).then(([seen, care]) =>
      askTls13(asker, seen, care === 'careful' ? null : lists.elsewhere),
    ),
    older,
    Promise.all([walkingBest, classing.then(() => walkOtherBest(asking))]).then(() => askPreference(asking)),
    listing,
    Promise.all([listing, endangering]).then(() => (isListed(ledger) ? askOrder(asking) : undefined)),
  ]);
  const seen = [...browsers, ...matters];
  keepFound(ledger, seen);
  if (tls13.ledger.accepted().length === 0) await walkGroups(asking, groups);
  return askLeft(asking, { ...begun, ...lists, tls13, old: old.flat(), preference, clients: seen });
}

/** What goes on beside the rest, from the first list to the last. */
type Lists = {
  readonly listing: Promise<number | null>;
  readonly elsewhere: Promise<KnownFromTls12>;
  readonly walking: Promise<void>;
  /** To be called once the clients are asked as. */
  readonly clientsAsked: () => void;
};

/** The lists wait until old versions were asked for their classes, so that they take no connection from them. */
function beginLists(
  asking: SuiteAsking,
  { classing, endangering, older, groups }: Begun,
  browsing: Promise<readonly ClientAnswer[]>,
): Lists {
  const { asker, ledger } = asking;
  const beginning = early(
    Promise.all([browsing, classing, older]).then(async ([seen, , old]) => {
      // A server without old versions has hardly anything dangerous: there the lists need not wait.
      const isOld = old.flat().some(({ accepted }) => accepted.length > 0);
      if (isOld || !isListed(ledger)) await endangering;
      return seen;
    }),
  );
  const begun = Promise.withResolvers<void>();
  const rarely = early(beginning.then(() => (isToList(ledger) ? askRare(asking) : null)));
  const listing = early(
    beginning.then(async (clients) => {
      await askLists(asking, { groups, clients, begun: begun.resolve });
      return rarely;
    }),
  );
  const elsewhere = early(
    listing.then((rare) => ({ curves: groups.seen()?.accepted ?? [], isLong: rare !== null })),
  );
  const clientsAsked = Promise.withResolvers<void>();
  const isSpare = (count: number) =>
    asker.isSpare(count + (ledger.preference() === 'client' ? 0 : clientsExpected) + expected13);
  const walking = early(
    rarely.then(async (rare) => {
      if (isOtherKindRefused(asking)) asker.noteNoneDue();
      if (!isToList(ledger)) return;
      await Promise.race([begun.promise, listing]);
      await walkLikely(asking, rare, { isSpare, others: clientsAsked.promise });
      await listing;
      if (!isSpare(1)) await clientsAsked.promise;
      await walkAll(asking, rare);
    }),
  );
  return { listing, elsewhere, walking, clientsAsked: clientsAsked.resolve };
}

type Left = Omit<AskedParts, 'clients'> & Lists & { readonly clients: readonly ClientAnswer[] };

/** What is left when the order of the server is known: clients, the end of the lists, and groups of primes. */
async function askLeft(asking: SuiteAsking, parts: Left): Promise<Omit<HelloObservations, 'fallback'>> {
  const { asker, ledger } = asking;
  const { tls13, clients, walking } = parts;
  const join = (seen: readonly ClientAnswer[], of13: AskedTls13) =>
    joinAsked({ ...parts, tls13: of13, clients: seen.map(withoutForm) });
  const known = () => readKnown(join(clients, tls13), null);
  const due = () => listUnknown(known(), clients).length;
  const isShort = !isListed(ledger);
  if (isShort) await walkInOrder(asking, () => asker.isSpare(due()));
  if (isShort && due() > 0) await askOrder(asking);
  const asked = askUnknown(asker, known(), clients);
  parts.clientsAsked();
  // The lists come first where connections may run out.
  const listed = isShort || !asker.isSpare(primes) ? walking : undefined;
  const priming = early(
    Promise.all([isShort ? asked : undefined, listed]).then(async () => {
      if (isShort && ledger.accepted().length > 0) {
        if (isOtherKindRefused(asking)) asker.noteNoneDue();
        keepFound(ledger, await asked);
        await walkAll(asking, null);
      }
      return askPrimes(asker, tls13);
    }),
  );
  const [more, of13] = await Promise.all([asked, priming, walking]);
  keepFound(ledger, more);
  return join([...clients, ...more], of13);
}

function isListed(ledger: SuiteLedger): boolean {
  return classesOf(ledger).length === 0;
}

type Listing = {
  readonly groups: GroupWalk;
  readonly clients: readonly ClientAnswer[];
  readonly begun: () => void;
};

/** Where there is something dangerous the letter is known, and the lists are long: connections go to the clients first. */
async function askLists(asking: SuiteAsking, { groups, clients, begun }: Listing): Promise<void> {
  const { ledger } = asking;
  for (const answer of ledger.accepted()) groups.note(answer);
  if (!isToList(ledger)) return;
  groups.leaveOut(clients.flatMap(({ answer }) => (answer.kind === 'accepted' ? (answer.group ?? []) : [])));
  await walkUsual(asking, groups, begun);
}

function isToList(ledger: SuiteLedger): boolean {
  return isListed(ledger) && ledger.accepted().length > 0;
}

function versionsOf(ledger: SuiteLedger): readonly VersionName[] {
  return ledger.accepted().length > 0 ? ['TLSv1.2', 'TLSv1.3'] : ['TLSv1.3'];
}

/** What the parts of a look brought. */
type AskedParts = {
  readonly ledger: SuiteLedger;
  readonly tls13: AskedTls13;
  readonly old: readonly Question[];
  readonly preference: Preference | null;
  readonly groups: GroupWalk;
  readonly clients: readonly ClientObservation[];
};

/** Puts together what was asked side by side. */
function joinAsked({
  ledger,
  tls13,
  old,
  preference,
  groups: walk,
  clients,
}: AskedParts): Omit<HelloObservations, 'fallback'> {
  const { groups, certificateForm } = tls13;
  return {
    questions: [...questionsOf(ledger), ...old, tls13.ledger.questionOf('tls13', 'with-suites')],
    groups,
    tls12Groups: walk.seen(),
    preference,
    tls13Preference: tls13.ledger.preference(),
    refusals: [ledger, tls13.ledger].map((one) => ({ version: one.version, suites: one.refused() })),
    choices: [...ledger.choices(), ...tls13.ledger.choices()].filter(({ over }) => over.length > 0),
    clients,
    certificateForm,
  };
}

/** A client's answer in TLS 1.2 names a suite that need not be asked for. */
function keepFound(ledger: SuiteLedger, clients: readonly ClientAnswer[]): void {
  for (const { version, answer } of clients)
    if (version === 'TLSv1.2' && answer.kind === 'accepted') ledger.noteFound(answer);
}

/** How many questions askAll notes, lists not counted. */
export const questionsNoted = 4;

/** The sets of TLS 1.2 that list what was found, and those that only say that nothing more is to be found. */
const listing = ['sound', 'withoutForwardSecrecy', 'dangerous'] as const;
const ending = ['finiteField', 'curveBlocks', 'aead', ...dangerClasses] as const;

/** What the ledger of TLS 1.2 says, as evidence. A set is told to its end only where the one around it is not. */
function questionsOf(ledger: SuiteLedger): readonly Question[] {
  const isEnded = ({ end }: Question) => end.kind === 'refused' || end.kind === 'exhausted';
  return [
    ...listing.map((set) => ledger.questionOf(set, 'with-suites')),
    ...ending.map((set) => ledger.questionOf(set, 'end-only')).filter(isEnded),
  ];
}
