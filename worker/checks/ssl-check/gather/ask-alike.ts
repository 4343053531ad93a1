import { early } from '../../early.ts';
import type { ClientObservation, HelloAccepted, Question } from '../evidence.ts';
import { isDecisive } from '../facts/decisive.ts';
import type { KnownServer } from '../facts/derive-client.ts';
import { readKnown } from '../facts/known.ts';
import { dangerClasses, type SuiteSet, suiteSets } from '../grammar/suites.ts';
import { findGroup, groups, oldGroupIds } from '../grammar/tls-names.ts';
import { type HelloObservations, askRest } from './ask-all.ts';
import type { AnswerWithForm, HelloAnswer, HelloAsker } from './ask-hello.ts';
import { askOldVersions } from './ask-old-versions.ts';
import { askFallback, askSsl2 } from './ask-questions.ts';

/** What another address of the name answered: to the opening, and to everything. */
export type Model = { readonly opening: Question; readonly asked: HelloObservations };

/**
 * Asks an address what another one was asked, with fewer connections where both answer alike: its choices have to be among those of the other one,
 * and it has to refuse everything that the other one refused. One that answers differently is asked in full.
 */
export async function askAlike(
  asker: HelloAsker,
  opening: Question,
  model: Model,
): Promise<HelloObservations> {
  const { asked } = model;
  const known = readKnown(asked, null);
  const classes = dangerClasses.filter((set) => isAny(suiteSets[set], known.accepted['TLSv1.2']));
  const older = early(Promise.all([askOldVersions(asker, Promise.resolve(classes)), askSsl2(asker)]));
  const [isSame12, form] = await Promise.all([
    isAlike12(asker, opening, model),
    askAlike13(asker, known, asked),
  ]);
  const [old, ssl2] = await older;
  const others = [...old, ssl2];
  const fallback = await askFallback(asker, [opening, ...old]);
  if (!isSame12 || form === null) return { ...(await askRest(asker, opening, others)), fallback };
  const isNewer = ({ version }: Question) => version === 'TLSv1.2' || version === 'TLSv1.3';
  return {
    ...asked,
    fallback,
    questions: [...asked.questions.filter(isNewer).map(withoutTexts), ...others],
    clients: asked.clients.map(withoutClientTexts),
    certificateForm: form.certificateForm,
  };
}

/** Sets of which one suite each is asked for again. */
const compared = ['withoutForwardSecrecy', 'finiteField', 'curveBlocks', 'dangerous'] as const;

async function isAlike12(
  asker: HelloAsker,
  opening: Question,
  { opening: first, asked }: Model,
): Promise<boolean> {
  const known = readKnown(asked, null);
  const accepted = known.accepted['TLSv1.2'];
  if (!isSame(answerTo(opening), answerTo(first))) return false;
  const ask = (suites: readonly number[]) => asker.ask({ version: 'TLSv1.2', suites, groups: oldGroupIds });
  const refused = [...known.settled['TLSv1.2']].filter((id) => !accepted.includes(id));
  const chosen = compared
    .map((set: SuiteSet) => suiteSets[set].filter((id) => accepted.includes(id)))
    .filter((suites) => suites.length > 0);
  // A version that is refused as such has answered for all its suites.
  const isNone = accepted.length === 0;
  const [rest, ...firsts] = await Promise.all([
    isNone || refused.length === 0 ? answerTo(opening) : ask(refused),
    ...chosen.map(ask),
  ]);
  const answers = asked.questions.flatMap((one) => (one.version === 'TLSv1.2' ? one.accepted : []));
  const isKnown = (answer: HelloAnswer) =>
    answer.kind === 'accepted' && answers.some((one) => one.suite === answer.suite && isSame(one, answer));
  return (isNone || refused.length === 0 || isRefusal(rest)) && firsts.every(isKnown);
}

/** The answer to keys where TLS 1.3 is alike; null where it is not. */
async function askAlike13(
  asker: HelloAsker,
  known: KnownServer,
  { groups: seen, tls12Groups }: HelloObservations,
): Promise<AnswerWithForm | null> {
  if (seen === null) return null;
  const accepted = known.accepted['TLSv1.3'];
  const named = [...seen.accepted, ...(tls12Groups?.accepted ?? [])];
  const curves = isDecisive(seen.end) ? curvesAndHybrids.filter((id) => !named.includes(id)) : [];
  const suites = [...known.settled['TLSv1.3']].filter((id) => !accepted.includes(id));
  const rests = [
    { suites, groups: seen.accepted.slice(0, 1) },
    { suites: suiteSets.tls13, groups: curves },
  ].filter((rest) => accepted.length > 0 && rest.suites.length > 0 && rest.groups.length > 0);
  const [first, ...refusals] = await Promise.all([
    asker.askWithKeys({ version: 'TLSv1.3', suites: suiteSets.tls13, groups: allGroups }),
    ...rests.map((rest) => asker.ask({ version: 'TLSv1.3', ...rest })),
  ]);
  const { answer } = first;
  const isFirstAlike =
    answer.kind === 'accepted'
      ? accepted.includes(answer.suite) && seen.accepted.includes(answer.group ?? -1)
      : accepted.length === 0 && isRefusal(answer);
  return isFirstAlike && refusals.every(isRefusal) ? first : null;
}

const allGroups = [...groups.keys()];
const curvesAndHybrids = allGroups.filter((id) => !findGroup(id).name.startsWith('ffdhe'));

function isAny(ids: readonly number[], accepted: readonly number[]): boolean {
  return ids.some((id) => accepted.includes(id));
}

function answerTo({ accepted: [first], end }: Question): HelloAnswer {
  return first ?? end;
}

function isRefusal(answer: HelloAnswer | undefined): boolean {
  return answer !== undefined && answer.kind !== 'accepted' && isDecisive(answer);
}

/** The certificate is left out: it is judged by itself. */
const comparedKeys = [
  'suite',
  'group',
  'dhBits',
  'dhPrimeSha256',
  'compression',
  'secureRenegotiation',
  'extendedMasterSecret',
  'alpn',
  'certificateRequested',
] as const satisfies readonly (keyof HelloAccepted)[];

function isSame(one: HelloAnswer | undefined, other: HelloAnswer | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  if (one.kind !== 'accepted' || other.kind !== 'accepted') return isRefusal(one) && isRefusal(other);
  return comparedKeys.every((key) => one[key] === other[key]);
}

/** Certificates and what belongs to them are those of the other address. */
const noTexts = { chain: null, ocspResponse: null, timestampList: null, oversizeBytes: null };

function withoutTexts(question: Question): Question {
  return { ...question, accepted: question.accepted.map((answer) => ({ ...answer, ...noTexts })) };
}

function withoutClientTexts(seen: ClientObservation): ClientObservation {
  const { answer } = seen;
  return answer.kind === 'accepted' ? { ...seen, answer: { ...answer, ...noTexts } } : seen;
}
