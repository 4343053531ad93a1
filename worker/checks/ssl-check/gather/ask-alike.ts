import type { GroupsSeen, HelloAccepted, Question, QuestionEnd } from '../evidence.ts';
import { isDecisive } from '../facts/facts.ts';
import { suiteSets } from '../grammar/suites.ts';
import { findGroup, groups, oldGroupIds } from '../grammar/tls-names.ts';
import { type Asked, type AskedTls12, askOldVersions, askTls12, joinAsked, weakSets } from './ask-all.ts';
import type { HelloAnswer, HelloAsker, Offered } from './ask-hello.ts';
import { type AskedTls13, askSsl2, askTls13 } from './ask-questions.ts';

/** What another address of the name answered: to the opening, and to everything. */
export type Model = { readonly opening: Question; readonly asked: Asked };

/**
 * Asks an address what another one was asked, with fewer connections where both answer alike: its first choice of every set has to be the same,
 * and it has to refuse everything that the other one refused. A version in which it answers differently is asked in full.
 */
export async function askAlike(asker: HelloAsker, opening: Question, model: Model): Promise<Asked> {
  const [tls12, tls13, old, ssl2] = await Promise.all([
    repeatTls12(asker, opening, model).then((same) => same ?? askTls12(asker, opening)),
    repeatTls13(asker, model.asked).then((same) => same ?? askTls13(asker)),
    askOldVersions(asker),
    askSsl2(asker),
  ]);
  return joinAsked(tls12, tls13, [...old, ssl2]);
}

/** The answers of the model where this address repeats them; null where it does not. */
async function repeatTls12(asker: HelloAsker, opening: Question, model: Model): Promise<AskedTls12 | null> {
  const { asked } = model;
  const questions = asked.questions.filter(({ version }) => version === 'TLSv1.2');
  const sound = questions.find(({ set }) => set === 'sound');
  if (sound === undefined) return null;
  if (!isSame(answerTo(opening), answerTo(model.opening))) return null;
  if (!questions.every(isUsable)) return null;
  const accepted = questions.flatMap((question) => question.accepted.map(({ suite }) => suite));
  const sets = [...weakSets, ...(opening.accepted.length > 0 ? (['sound'] as const) : [])];
  const isKnown = (set: (typeof sets)[number]) =>
    questions.some((one) => one.set === set && isDecisive(one.end));
  const refused = sets
    .filter(isKnown)
    .flatMap((set) => suiteSets[set])
    .filter((id) => !accepted.includes(id));
  const ask = (suites: readonly number[]) =>
    suites.length === 0
      ? nothingLeft
      : asker.ask({ version: 'TLSv1.2', suites: [...new Set(suites)], groups: oldGroupIds });
  const chosen = questions.filter((one) => one.set !== 'sound' && one.accepted.length > 0);
  const [rest, ...firsts] = await Promise.all([
    ask(refused),
    ...chosen.map(({ set }) => ask(set === 'ssl2' ? [] : suiteSets[set])),
  ]);
  const isAlike =
    isRefusal(rest) && chosen.every(({ accepted: [first] }, index) => isSame(first, firsts[index]));
  if (!isAlike) return null;
  const weak = questions.filter((one) => one !== sound).map(withoutTexts);
  return { weak, sound: withoutTexts(sound), preference: asked.preference };
}

async function repeatTls13(
  asker: HelloAsker,
  { questions, groups: seen }: Asked,
): Promise<AskedTls13 | null> {
  const question = questions.find(({ version }) => version === 'TLSv1.3');
  if (question === undefined || seen === null || !isUsable(question)) return null;
  const [first] = question.accepted;
  const rests = first === undefined ? [] : listRests(question, seen, first.group ?? 0);
  const [{ answer, certificateForm }, ...refusals] = await Promise.all([
    asker.askWithKeys({ version: 'TLSv1.3', suites: suiteSets.tls13, groups: allGroups }),
    ...rests.map((rest) => asker.ask({ version: 'TLSv1.3', ...rest })),
  ]);
  const isAlike = isSame(answer, answerTo(question)) && refusals.every(isRefusal);
  return isAlike ? { question: withoutTexts(question), groups: seen, certificateForm } : null;
}

/** What the other address has refused: suites in a group that it has, and curves. A list that was not asked to its end leaves nothing that is known to be refused. */
function listRests(
  { accepted, end }: Question,
  seen: GroupsSeen,
  group: number,
): readonly Omit<Offered, 'version'>[] {
  const suites = suiteSets.tls13.filter((id) => !accepted.some(({ suite }) => suite === id));
  const curves = curvesAndHybrids.filter((id) => !seen.accepted.includes(id));
  return [
    ...(isDecisive(end) ? [{ suites, groups: [group] }] : []),
    ...(isDecisive(seen.end) ? [{ suites: suiteSets.tls13, groups: curves }] : []),
  ].filter((rest) => rest.suites.length > 0 && rest.groups.length > 0);
}

const allGroups = [...groups.keys()];
const curvesAndHybrids = allGroups.filter((id) => !findGroup(id).name.startsWith('ffdhe'));
const nothingLeft: QuestionEnd = { kind: 'exhausted' };

/** A list that connections did not suffice for is not asked for twice: what is known of it is compared. */
function isUsable({ accepted, end }: Question): boolean {
  return isDecisive(end) || (end.kind === 'stopped' && accepted.length > 0);
}

function answerTo({ accepted: [first], end }: Question): HelloAnswer {
  return first ?? end;
}

function isRefusal(answer: HelloAnswer | undefined): boolean {
  return answer !== undefined && answer.kind !== 'accepted' && isDecisive(answer);
}

/** The certificate is left out: it is judged by itself. */
const compared = [
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
  return compared.every((key) => one[key] === other[key]);
}

/** Certificates and what belongs to them are those of the other address. */
function withoutTexts(question: Question): Question {
  const nothing = { chain: null, ocspResponse: null, timestampList: null, oversizeBytes: null };
  return { ...question, accepted: question.accepted.map((answer) => ({ ...answer, ...nothing })) };
}
