import type {
  CertificateFormSeen,
  GroupsSeen,
  HelloAccepted,
  Preference,
  Question,
  QuestionEnd,
} from '../evidence.ts';
import { type SuiteSet, suiteSets } from '../grammar/suites.ts';
import { oldGroupIds } from '../grammar/tls-names.ts';
import type { HelloAnswer, HelloAsker } from './ask-hello.ts';
import { type AskedTls13, askOnce, askSsl2, askSuiteList, askSuites, askTls13 } from './ask-questions.ts';

/** What the ClientHellos brought. */
export type Asked = {
  readonly questions: readonly Question[];
  readonly groups: GroupsSeen | null;
  readonly preference: Preference | null;
  readonly certificateForm: CertificateFormSeen | null;
};

/**
 * Asks everything that ClientHellos can tell, side by side as far as there are lanes.
 * What decides the grade is asked first, because the allowance may end before the lists of suites do.
 * @param note called after each question
 */
export async function askAll(asker: HelloAsker, opening: Question, note: () => void): Promise<Asked> {
  const noted = async <T>(asking: Promise<T>): Promise<T> => {
    const answer = await asking;
    note();
    return answer;
  };
  // TLS 1.3 is the longest way, because each of its questions depends on the answer before.
  const [tls13, old, tls12, ssl2] = await Promise.all([
    noted(askTls13(asker)),
    noted(askOldVersions(asker)),
    noted(askTls12(asker, opening)),
    noted(askSsl2(asker)),
  ]);
  return joinAsked(tls12, tls13, [...old, ssl2]);
}

/** Puts together what was asked side by side. */
export function joinAsked(
  { weak, sound, preference }: AskedTls12,
  { question, groups, certificateForm }: AskedTls13,
  old: readonly Question[],
): Asked {
  return { questions: [...weak, ...old, question, sound], groups, preference, certificateForm };
}

/** How many questions askAll notes. */
export const questionsNoted = 4;

/** What is learnt of TLS 1.2. */
export type AskedTls12 = {
  readonly weak: readonly Question[];
  readonly sound: Question;
  readonly preference: Preference | null;
};

/** Asks for every suite of TLS 1.2. @param opening the answer to its sound suites */
export async function askTls12(asker: HelloAsker, opening: Question): Promise<AskedTls12> {
  const [weak, curves] = await Promise.all([askWeak(asker), askCurveSuites(asker, opening)]);
  const sound = joinSound(curves.question, weak.finiteField);
  return { weak: Object.values(weak), sound, preference: curves.preference };
}

/** The sets of suites that a careful server refuses. */
export const weakSets = ['dangerous', 'withoutForwardSecrecy', 'finiteField'] as const;
type Weak = { readonly [S in (typeof weakSets)[number]]: Question };

/** One hello offers all suites that a careful server refuses; only where it accepts one each set is asked for by itself. */
async function askWeak(asker: HelloAsker): Promise<Weak> {
  const suites = weakSets.flatMap((set) => suiteSets[set]);
  const answer = await asker.ask({ version: 'TLSv1.2', suites, groups: oldGroupIds });
  const ask = (set: SuiteSet) =>
    isTold(answer)
      ? Promise.resolve<Question>({ version: 'TLSv1.2', set, accepted: [], end: answer })
      : askSuites(asker, 'TLSv1.2', set, answer.kind === 'accepted' ? pick(set, [answer]) : []);
  const [dangerous, withoutForwardSecrecy, finiteField] = await Promise.all([
    ask('dangerous'),
    ask('withoutForwardSecrecy'),
    ask('finiteField'),
  ]);
  return { dangerous, withoutForwardSecrecy, finiteField };
}

/** An answer that is the same for every part of what was offered. */
function isTold(answer: HelloAnswer): answer is QuestionEnd {
  return answer.kind !== 'accepted' && (answer.kind !== 'refused' || answer.by === 'alert');
}

function pick(set: SuiteSet, accepted: readonly HelloAccepted[]): readonly HelloAccepted[] {
  const ids: readonly number[] = suiteSets[set];
  return accepted.filter(({ suite }) => ids.includes(suite));
}

/** The alert by which a server says that it speaks no version up to the one that was offered (RFC 8446 §6.2). */
const protocolVersion = 70;

/** A server answers with the best version up to the one that is offered. If it says that there is none, the older ones need no question. */
export async function askOldVersions(asker: HelloAsker): Promise<readonly Question[]> {
  const first = await askOnce(asker, 'TLSv1.1', 'old');
  const { end } = first;
  if (end.kind === 'refused' && end.by === 'alert' && end.alert === protocolVersion)
    return [first, { ...first, version: 'TLSv1' }, { ...first, version: 'SSLv3' }];
  const others = (['TLSv1', 'SSLv3'] as const).map(async (version) =>
    askDangerous(asker, await askOnce(asker, version, 'old')),
  );
  return (await Promise.all([askDangerous(asker, first), ...others])).flat();
}

async function askDangerous(asker: HelloAsker, first: Question): Promise<readonly Question[]> {
  const { version } = first;
  if (first.accepted.length === 0 || version === 'SSLv2' || version === 'TLSv1.3') return [first];
  return [first, await askSuites(asker, version, 'oldDangerous')];
}

const curveSuites: readonly number[] = suiteSets.sound.filter(
  (id) => !suiteSets.finiteField.some((one) => one === id),
);

/** The sound suites on curves; those with primes are asked for beside them. */
async function askCurveSuites(
  asker: HelloAsker,
  opening: Question,
): Promise<{ question: Question; preference: Preference | null }> {
  if (opening.accepted.length === 0) return { question: opening, preference: null };
  const known = opening.accepted.filter(({ suite }) => curveSuites.includes(suite));
  const found = await askSuiteList(asker, 'TLSv1.2', curveSuites, known);
  const question: Question = { version: 'TLSv1.2', set: 'sound', ...found };
  return { question, preference: await askPreference(asker, found.accepted) };
}

/** A server that chose in another order than was offered has its own; one that followed it is offered two suites the other way round. */
async function askPreference(
  asker: HelloAsker,
  accepted: readonly HelloAccepted[],
): Promise<Preference | null> {
  const order = accepted.map(({ suite }) => curveSuites.indexOf(suite));
  const [first, second] = accepted;
  if (first === undefined || second === undefined) return null;
  if (order.some((place, index) => index > 0 && place < (order[index - 1] ?? 0))) return 'server';
  const suites = [second.suite, first.suite];
  const answer = await asker.ask({ version: 'TLSv1.2', suites, groups: oldGroupIds });
  if (answer.kind !== 'accepted') return null;
  return answer.suite === first.suite ? 'server' : 'client';
}

/** Both kinds of sound suites are one set; it is known when both are. */
function joinSound(curves: Question, finiteField: Question): Question {
  const isOver = ({ end }: Question) => end.kind === 'refused' || end.kind === 'exhausted';
  return {
    ...curves,
    accepted: [...curves.accepted, ...finiteField.accepted],
    end: isOver(curves) ? finiteField.end : curves.end,
  };
}
