import type {
  Choice,
  FullEndpoint,
  GroupsObservation,
  HelloAccepted,
  Question,
  QuestionEnd,
} from '../evidence.ts';
import { type SuiteSet, suitesIn } from '../grammar/suites.ts';
import { type VersionName, versionNames } from '../grammar/tls-names.ts';
import { isDecisive } from './decisive.ts';
import type { KnownServer, UnusableAnswer } from './derive-client.ts';

/** What ClientHellos told, by version. */
export type Answers = Pick<
  FullEndpoint,
  | 'questions'
  | 'clients'
  | 'groups'
  | 'tls12Groups'
  | 'preference'
  | 'tls13Preference'
  | 'choices'
  | 'refusals'
>;

type KnownAnswer = HelloAccepted & { readonly version: VersionName };

/** Every answer that accepted a ClientHello and that its sender can go on with, those of clients last. */
export function listAnswers(answers: Answers): readonly KnownAnswer[] {
  return listAll(answers).filter(({ notOffered }) => notOffered === undefined);
}

function listAll({ questions, clients = [] }: Answers): readonly KnownAnswer[] {
  const asked = questions.flatMap(({ version, accepted }) =>
    accepted.map((answer) => ({ ...answer, version })),
  );
  const ofClients = clients.flatMap(({ version, answer }) =>
    answer.kind === 'accepted' && version !== null ? [{ ...answer, version }] : [],
  );
  return [...asked, ...ofClients];
}

/** Answers with what was not offered, but for suites that were also chosen properly. */
function listUnusable(answers: Answers): readonly UnusableAnswer[] {
  const usable = listAnswers(answers);
  const ofQuestions = answers.questions.flatMap(({ version, end }) =>
    end.kind === 'refused' && end.by === 'not-offered' ? [{ ...end, version }] : [],
  );
  return [...listAll(answers), ...ofQuestions].flatMap(({ version, suite, notOffered: fault }) => {
    const isUsed = usable.some((one) => one.version === version && one.suite === suite);
    return fault === undefined || isUsed ? [] : [{ version, suite, fault }];
  });
}

/** Reads what was told of versions, suites and their order. @param shaken the version of a handshake that was completed */
export function readKnown(answers: Answers, shaken: string | null): KnownServer {
  const { questions, groups, preference, tls13Preference, refusals = [] } = answers;
  const accepted = listAnswers(answers);
  const unusable = listUnusable(answers);
  const byVersion = <T>(read: (version: VersionName) => T) =>
    Object.fromEntries(versionNames.map((version) => [version, read(version)])) as {
      [V in VersionName]: T;
    };
  const acceptedIn = byVersion((version) => [
    ...new Set(accepted.filter((one) => one.version === version).map(({ suite }) => suite)),
  ]);
  return {
    protocols: byVersion(
      (version) =>
        shaken === version || acceptedIn[version].length > 0 || isRefused(version, questions, unusable),
    ) as KnownServer['protocols'],
    accepted: acceptedIn,
    unusable,
    settled: byVersion(
      (version) =>
        new Set([
          ...acceptedIn[version],
          ...questions.flatMap((one) => settledBy(one, version)),
          ...refusals.flatMap((one) => (one.version === version ? one.suites : [])),
        ]),
    ),
    choices: answers.choices ?? questions.flatMap(choicesOf),
    preferences: {
      'TLSv1.2': preference,
      // Older evidence has one for both.
      'TLSv1.3': tls13Preference === undefined ? preference : tls13Preference,
    },
    groups: groups && withLeftOut(groups, answers),
    oldGroups: [
      ...(answers.tls12Groups?.accepted ?? []),
      ...new Set(
        accepted.flatMap(({ version, group }) => (version === 'TLSv1.3' || group === null ? [] : [group])),
      ),
    ],
  };
}

/** Those that TLS 1.2 named are not asked for again where TLS 1.3 has any: servers have one list of groups for all versions. */
function withLeftOut(groups: GroupsObservation, { tls12Groups }: Answers): GroupsObservation {
  const leftOut = groups.accepted.length > 0 ? (tls12Groups?.accepted ?? []) : [];
  return { ...groups, accepted: [...groups.accepted, ...leftOut] };
}

/** false where a version was refused; null where that was not told. Before any answer a closed connection may mean anything; beside a living server it is a refusal. */
function isRefused(
  version: VersionName,
  questions: readonly Question[],
  unusable: readonly UnusableAnswer[],
): false | null {
  const asked = questions.filter((question) => question.version === version);
  const isAnswered = unusable.some((one) => one.version === version);
  const isSettled = ({ end }: Question) => isDecisive(end) || (isAnswered && isOver(end));
  return asked.length > 0 && asked.every(isSettled) ? false : null;
}

/** Where every answer is one that clients refuse, what was left unasked does not change that. */
function isOver(end: QuestionEnd): boolean {
  return end.kind === 'stopped' || (end.kind === 'refused' && end.by === 'not-offered');
}

function settledBy({ version, set, end }: Question, wanted: VersionName): readonly number[] {
  return version === wanted && set !== 'ssl2' && isDecisive(end) ? suitesIn(set, version) : [];
}

/** In evidence that does not tell choices: within a walk each suite was preferred to those that were found later. */
function choicesOf({ version, set, accepted }: Question): readonly Choice[] {
  const parts: readonly SuiteSet[] = ['finiteField'];
  const isFinite = (id: number) => parts.some((part) => suitesIn(part, version).includes(id));
  if (set === 'ssl2') return [];
  return accepted.map(({ suite }, index) => ({
    version,
    suite,
    over: accepted
      .slice(index + 1)
      .map((later) => later.suite)
      // The sound suites were walked in two lists.
      .filter((id) => isFinite(id) === isFinite(suite)),
  }));
}
