import type {
  CertificateFormSeen,
  FallbackSeen,
  GroupsSeen,
  HelloAccepted,
  Question,
  QuestionEnd,
} from '../evidence.ts';
import { groupsWithKeys } from '../grammar/key-shares.ts';
import { type SuiteSet, suiteSets } from '../grammar/suites.ts';
import { findGroup, groups, oldGroupIds, type VersionName } from '../grammar/tls-names.ts';
import type { HelloAnswer, HelloAsker, Offered } from './ask-hello.ts';

export type OldVersion = Exclude<VersionName, 'SSLv2' | 'TLSv1.3'>;

/** Asks for the suites of a set in one version, without those that were chosen before, until the server refuses. */
export async function askSuites(
  asker: HelloAsker,
  version: OldVersion,
  set: SuiteSet,
  known: readonly HelloAccepted[] = [],
): Promise<Question> {
  return { version, set, ...(await askSuiteList(asker, version, suiteSets[set], known)) };
}

/** The same for any list of suites. */
export async function askSuiteList(
  asker: HelloAsker,
  version: OldVersion,
  suites: readonly number[],
  known: readonly HelloAccepted[],
): Promise<Pick<Question, 'accepted' | 'end'>> {
  const accepted = known.filter(
    ({ suite }, index) => known.findIndex((one) => one.suite === suite) === index,
  );
  for (;;) {
    const left = without(suites, accepted);
    if (left.length === 0) return { accepted, end: { kind: 'exhausted' } };
    const answer = await asker.ask({ version, suites: left, groups: oldGroupIds });
    if (answer.kind !== 'accepted') return { accepted, end: answer };
    if (!left.includes(answer.suite)) return { accepted, end: notOffered(answer, accepted) };
    accepted.push(answer);
  }
}

/** Asks once whether a version is spoken at all. */
export async function askOnce(asker: HelloAsker, version: OldVersion, set: SuiteSet): Promise<Question> {
  const answer = await asker.ask({ version, suites: suiteSets[set], groups: oldGroupIds });
  return { version, set, ...readOnce(answer) };
}

/** Asks once for SSL 2.0. */
export async function askSsl2(asker: HelloAsker): Promise<Question> {
  return { version: 'SSLv2', set: 'ssl2', ...readOnce(await asker.askSsl2()) };
}

function readOnce(answer: HelloAnswer): Pick<Question, 'accepted' | 'end'> {
  return answer.kind === 'accepted'
    ? {
        accepted: [answer],
        end: { kind: 'stopped', reason: 'only the first choice was asked for' },
      }
    : { accepted: [], end: answer };
}

/** What is learnt of TLS 1.3. */
export type AskedTls13 = {
  readonly question: Question;
  readonly groups: GroupsSeen;
  readonly certificateForm: CertificateFormSeen | null;
};

/**
 * Asks for suites and groups of TLS 1.3 together: each HelloRetryRequest names one of both, and the next hello leaves both out.
 * When the server refuses, one of the two lists has run dry; the other goes on beside what is known to be accepted.
 * Primes come last: connections may run out, and no judgement needs them. Keys are offered until a server has used one, and so has shown the form of its certificates.
 */
export async function askTls13(asker: HelloAsker): Promise<AskedTls13> {
  const accepted: HelloAccepted[] = [];
  let certificateForm: CertificateFormSeen | null = null;
  const ask = async (suites: readonly number[], groupIds: readonly number[]) => {
    const answer = await askForForm({ version: 'TLSv1.3', suites, groups: groupIds });
    if (answer.kind !== 'accepted') return answer;
    const isOffered = suites.includes(answer.suite) && groupIds.includes(answer.group ?? -1);
    if (!isOffered) return notOffered(answer, accepted);
    accepted.push(answer);
    return null;
  };
  const askForForm = async (offered: Offered) => {
    if (certificateForm !== null || !offered.groups.some((id) => groupsWithKeys.includes(id)))
      return asker.ask(offered);
    const seen = await asker.askWithKeys(offered);
    certificateForm ??= seen.certificateForm;
    return seen.answer;
  };
  const newSuites = () => without(suiteSets.tls13, accepted);
  const newGroups = (among: readonly number[]) =>
    among.filter((id) => !accepted.some(({ group }) => group === id));
  const knownGroups = () => accepted.slice(0, 1).flatMap(({ group }) => group ?? []);
  const both = await repeat(
    () => ask(newSuites(), newGroups(allGroups)),
    () => newSuites().length * newGroups(allGroups).length,
  );
  if (accepted.length === 0)
    return { question: tls13([], both), groups: { accepted: [], end: both }, certificateForm };
  const askSuitesLeft = () =>
    repeat(
      () => ask(newSuites(), knownGroups()),
      () => newSuites().length,
    );
  const askGroups = (among: readonly number[]) =>
    repeat(
      () => ask(suiteSets.tls13, newGroups(among)),
      () => newGroups(among).length,
    );
  const [suitesEnd, end] = await Promise.all([
    askSuitesLeft(),
    askGroups(curvesAndHybrids),
    askGroups(finiteFields),
  ]);
  const named = [...new Set(accepted.flatMap(({ group }) => group ?? []))];
  const firsts = accepted.filter(
    ({ suite }, index) => accepted.findIndex((one) => one.suite === suite) === index,
  );
  return { question: tls13(firsts, suitesEnd), groups: { accepted: named, end }, certificateForm };
}

const allGroups = [...groups.keys()];
const finiteFields = allGroups.filter((id) => findGroup(id).name.startsWith('ffdhe'));
const curvesAndHybrids = allGroups.filter((id) => !finiteFields.includes(id));

const tls13 = (accepted: readonly HelloAccepted[], end: QuestionEnd): Question => ({
  version: 'TLSv1.3',
  set: 'tls13',
  accepted,
  end,
});

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

/** Sends a ClientHello again that was accepted before; null when none was. */
export async function askAgain(asker: HelloAsker, questions: readonly Question[]): Promise<boolean | null> {
  const known = questions.find(({ version, accepted }) => version !== 'SSLv2' && accepted.length > 0);
  if (known === undefined || known.version === 'SSLv2') return null;
  const { version, accepted } = known;
  const groupIds = version === 'TLSv1.3' ? [...groups.keys()] : oldGroupIds;
  const answer = await asker.askLast({
    version,
    suites: accepted.map(({ suite }) => suite),
    groups: groupIds,
  });
  return answer.kind === 'accepted';
}

/** The signal of a client that comes back with a lower version, and the alert by which a server refuses it (RFC 7507 §3, §4). */
const fallbackScsv = 0x5600;
const inappropriateFallback = 86;

/** Comes back with an older version though a newer one is spoken; null where there is no such pair. */
export async function askFallback(
  asker: HelloAsker,
  questions: readonly Question[],
): Promise<FallbackSeen | null> {
  const spoken = (version: VersionName) =>
    questions.find((one) => one.version === version && one.accepted.length > 0);
  const old = spoken('TLSv1.1') ?? spoken('TLSv1');
  if (old === undefined || (spoken('TLSv1.2') ?? spoken('TLSv1.3')) === undefined) return null;
  const suites = [...old.accepted.map(({ suite }) => suite), fallbackScsv];
  const version = old.version === 'TLSv1.1' ? 'TLSv1.1' : 'TLSv1';
  const answer = await asker.ask({ version, suites, groups: oldGroupIds });
  if (answer.kind === 'accepted') return 'accepted';
  const isRefused =
    answer.kind === 'refused' && answer.by === 'alert' && answer.alert === inappropriateFallback;
  return isRefused ? 'refused' : 'unknown';
}

/** A server that chooses what was not offered would be asked for ever. */
/** Of a server that had accepted something before, the rest stays unknown; one that begins so cannot be talked to. */
function notOffered({ suite, group }: HelloAccepted, accepted: readonly HelloAccepted[]): QuestionEnd {
  return accepted.length > 0
    ? { kind: 'stopped', reason: 'the server chose what was not offered' }
    : { kind: 'refused', by: 'not-offered', suite, group };
}

function without(ids: readonly number[], accepted: readonly HelloAccepted[]): number[] {
  return ids.filter((id) => !accepted.some(({ suite }) => suite === id));
}
