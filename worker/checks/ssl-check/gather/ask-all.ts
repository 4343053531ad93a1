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
import { askClasses, type Care, classesOf, openTls12 } from './ask-classes.ts';
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
  walkOtherBest,
  walkUsual,
} from './ask-lists.ts';
import { askOldVersions } from './ask-old-versions.ts';
import { askFallback, askSsl2 } from './ask-questions.ts';
import { type AskedTls13, askPrimes, askTls13 } from './ask-tls13.ts';
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
  const newer = early(classing.then(() => classesOf(ledger)));
  const older = early(Promise.all([noted(askOldVersions(asker, newer)), noted(askSsl2(asker))]));
  const falling = early(older.then(([old]) => askFallback(asker, [opening, ...old])));
  const [asked, fallback] = await Promise.all([
    askModern(asker, { ledger, classing, older, groups: openGroupWalk() }),
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
  return askModern(asker, {
    ledger,
    classing,
    older: Promise.resolve([older]),
    groups: openGroupWalk(),
  });
}

type Begun = {
  readonly ledger: SuiteLedger;
  readonly classing: Promise<Care>;
  readonly older: Promise<readonly (Question | readonly Question[])[]>;
  /** Groups of TLS 1.2, which matter where nothing newer is spoken. */
  readonly groups: GroupWalk;
};

/** TLS 1.2 and 1.3, and what clients get. */
async function askModern(asker: HelloAsker, begun: Begun): Promise<Omit<HelloObservations, 'fallback'>> {
  const { ledger, classing, older, groups } = begun;
  const asking = { asker, ledger };
  const browsing = early(askBrowsers(asker));
  const walkingBest = early(walkBest(asking, groups));
  // The lists wait until old versions were asked for their classes, so that they take no connection from them.
  const listing = early(
    Promise.all([browsing, classing, older]).then(([seen]) => askLists(asking, groups, seen)),
  );
  const elsewhere = early(
    listing.then((rare) => ({
      curves: groups.seen()?.accepted ?? [],
      isLong: rare !== null,
    })),
  );
  const [browsers, matters, tls13, old, preference, rare] = await Promise.all([
    browsing,
    classing.then((care) => (care === 'careful' ? askMatters(asker, versionsOf(ledger)) : [])),
    Promise.all([browsing, classing]).then(([seen, care]) =>
      askTls13(asker, seen, care === 'careful' ? null : elsewhere),
    ),
    older,
    Promise.all([walkingBest, classing.then(() => walkOtherBest(asking))]).then(() => askPreference(asking)),
    listing,
    listing.then(() => (classesOf(ledger).length === 0 ? askOrder(asking) : undefined)),
  ]);
  let seen = [...browsers, ...matters];
  keepFound(ledger, seen);
  const join = (of13: AskedTls13) =>
    joinAsked({ ...begun, tls13: of13, old: old.flat(), preference, clients: seen.map(withoutForm) });
  if (tls13.ledger.accepted().length === 0) await walkGroups(asking, groups);
  const isListed = classesOf(ledger).length === 0;
  const due = () => listUnknown(readKnown(join(tls13), null), seen).length;
  if (!isListed) await walkInOrder(asking, () => asker.isSpare(due()));
  if (!isListed && due() > 0) await askOrder(asking);
  const more = await askUnknown(asker, readKnown(join(tls13), null), seen);
  keepFound(ledger, more);
  seen = [...seen, ...more];
  if (isOtherKindRefused(asking)) asker.releaseKept();
  if (ledger.accepted().length > 0) await walkAll(asking, rare);
  return join(await askPrimes(asker, tls13));
}

/** Where there is something dangerous the letter is known, and the lists are long: connections go to the clients first. @returns a rare suite that was found, if any */
async function askLists(
  asking: SuiteAsking,
  groups: GroupWalk,
  clients: readonly ClientAnswer[],
): Promise<number | null> {
  const { ledger } = asking;
  for (const answer of ledger.accepted()) groups.note(answer);
  if (classesOf(ledger).length > 0 || ledger.accepted().length === 0) return null;
  groups.leaveOut(clients.flatMap(({ answer }) => (answer.kind === 'accepted' ? (answer.group ?? []) : [])));
  const [rare] = await Promise.all([askRare(asking), walkUsual(asking, groups)]);
  return rare;
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
