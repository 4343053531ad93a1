import type { Choice, FullEndpoint, GroupsObservation, HelloAccepted, Question } from '../evidence.ts';
import { type SuiteSet, suitesIn } from '../grammar/suites.ts';
import { type VersionName, versionNames } from '../grammar/tls-names.ts';
import { isDecisive } from './decisive.ts';
import type { KnownServer } from './derive-client.ts';

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

/** Every answer that accepted a ClientHello, those of clients last. */
export function listAnswers({ questions, clients = [] }: Answers): readonly KnownAnswer[] {
  const asked = questions.flatMap(({ version, accepted }) =>
    accepted.map((answer) => ({ ...answer, version })),
  );
  const ofClients = clients.flatMap(({ version, answer }) =>
    answer.kind === 'accepted' && version !== null ? [{ ...answer, version }] : [],
  );
  return [...asked, ...ofClients];
}

/** Reads what was told of versions, suites and their order. @param shaken the version of a handshake that was completed */
export function readKnown(answers: Answers, shaken: string | null): KnownServer {
  const { questions, groups, preference, tls13Preference, refusals = [] } = answers;
  const accepted = listAnswers(answers);
  const byVersion = <T>(read: (version: VersionName) => T) =>
    Object.fromEntries(versionNames.map((version) => [version, read(version)])) as {
      [V in VersionName]: T;
    };
  const acceptedIn = byVersion((version) => [
    ...new Set(accepted.filter((one) => one.version === version).map(({ suite }) => suite)),
  ]);
  return {
    protocols: byVersion(
      (version) => shaken === version || acceptedIn[version].length > 0 || isRefused(version, questions),
    ) as KnownServer['protocols'],
    accepted: acceptedIn,
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
function isRefused(version: VersionName, questions: readonly Question[]): false | null {
  const asked = questions.filter((question) => question.version === version);
  return asked.length > 0 && asked.every(({ end }) => isDecisive(end)) ? false : null;
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
