import type { Choice, HelloAccepted, Preference, Question, QuestionEnd } from '../evidence.ts';
import { isDecisive } from '../facts/decisive.ts';
import { type SuiteSet, suites, suitesIn } from '../grammar/suites.ts';
import type { VersionName } from '../grammar/tls-names.ts';
import type { HelloAnswer, HelloAsker } from './ask-hello.ts';

/** What is known of the suites of one version, as answers come in. */
export type SuiteLedger = {
  readonly version: VersionName;
  /** Takes the answer to a hello with these suites, in its order. */
  readonly note: (offered: readonly number[], answer: HelloAnswer) => void;
  /** Those of a list that were neither chosen nor refused. */
  readonly left: (ids: readonly number[]) => readonly number[];
  /** In the order in which they were found. */
  readonly accepted: () => readonly HelloAccepted[];
  /** Takes a suite that was chosen from a list that also depended on other things, such as groups. */
  readonly noteFound: (answer: HelloAccepted) => void;
  /** What is known of a set. @param listed whether its suites stand in it: each is listed once */
  readonly questionOf: (set: SuiteSet, listed: 'with-suites' | 'end-only') => Question;
  readonly refused: () => readonly number[];
  /** Which suites were preferred to which. */
  readonly choices: () => readonly Choice[];
  /** By whose order they were chosen; null as long as both would explain it. */
  readonly preference: () => Preference | null;
};

/** How many suites are asked for a second time. */
const askedAgain = 4;

type Pick = { readonly suite: number; readonly offered: readonly number[] };

/** Suites that were chosen, in the order in which they were found. */
function openChosen() {
  const accepted = new Map<number, HelloAccepted>();
  /** Suites that are asked for once more, and whether they still are. */
  const again = new Map<number, boolean>();
  return {
    accepted,
    isSettled: (id: number) => accepted.has(id) && again.get(id) !== true,
    /** The first answer with a suite stands, unless clients refuse that one: it may be due to what else its hello offered. */
    keep: (answer: HelloAccepted) => {
      const { suite } = answer;
      const known = accepted.get(suite);
      if (known === undefined || (!isUsable(known) && isUsable(answer))) accepted.set(suite, answer);
      if (again.has(suite)) again.set(suite, false);
      else if (known === undefined && !isUsable(answer) && again.size < askedAgain) again.set(suite, true);
    },
  };
}

/** Opens the ledger of a version. */
export function openSuiteLedger(version: VersionName): SuiteLedger {
  const { accepted, isSettled, keep } = openChosen();
  const refused = new Map<number, QuestionEnd>();
  const picks: Pick[] = [];
  let open: QuestionEnd | null = null;
  const left = (ids: readonly number[]) => ids.filter((id) => !isSettled(id) && !refused.has(id));
  /** What was offered in a hello and is accepted. */
  const among = ({ offered }: Pick) => offered.filter((id) => accepted.has(id));
  const choices = () =>
    [...accepted.keys()].map((suite) => {
      const mine = picks.filter((pick) => pick.suite === suite && !isByWish(pick));
      // What was never settled may be accepted: even then it comes after this one.
      const over = mine.flatMap(({ offered }) => offered.filter((id) => !refused.has(id)));
      return { version, suite, over: [...new Set(over)].filter((id) => id !== suite) };
    });
  return {
    version,
    note(offered, answer) {
      if (answer.kind === 'accepted' && offered.includes(answer.suite)) {
        keep(answer);
        picks.push({ suite: answer.suite, offered });
      } else if (answer.kind === 'accepted') {
        open ??= notOffered(answer, [...accepted.values()].some(isUsable));
      } else if (isDecisive(answer)) {
        for (const id of left(offered)) refused.set(id, answer);
      } else open ??= answer;
    },
    left,
    accepted: () => [...accepted.values()],
    refused: () => [...refused.keys()],
    noteFound: (answer) => {
      if (isUsable(answer)) keep(answer);
    },
    questionOf(set, listed) {
      const ids = suitesIn(set, version);
      const own = [...accepted.values()].filter(({ suite }) => ids.includes(suite));
      const said = ids.map((id) => refused.get(id)).find((end) => end !== undefined);
      const end = left(ids).length === 0 ? (said ?? { kind: 'exhausted' as const }) : (open ?? notAsked);
      return { version, set, accepted: listed === 'with-suites' ? own : [], end };
    },
    choices,
    preference() {
      const all = new Map(choices().map(({ suite, over }) => [suite, over]));
      const isBoth = [...all].some(([suite, over]) => over.some((other) => all.get(other)?.includes(suite)));
      if (isBoth) return 'client';
      return picks.some((pick) => among(pick)[0] !== pick.suite) ? 'server' : null;
    },
  };
}

/** A server with an order of its own may still give ChaCha20 to clients that put it before AES, as those without hardware for AES do. */
function isByWish({ suite, offered }: Pick): boolean {
  const isAead = (id: number) => suites.get(id)?.isAead === true;
  return isChacha(suite) && isChacha(offered.find(isAead) ?? suite);
}

/** Whether a suite is one of ChaCha20. */
export function isChacha(id: number): boolean {
  return suites.get(id)?.cipher === 'CHACHA20';
}

const notAsked: QuestionEnd = { kind: 'stopped', reason: 'not every suite was asked for' };

/** Of a server that had accepted something before, the rest stays unknown; one that begins so cannot be talked to. */
function notOffered(answer: HelloAccepted, hasAccepted: boolean): QuestionEnd {
  const { suite, group, notOffered: fault } = answer;
  const told = fault === undefined ? {} : { notOffered: fault };
  return hasAccepted
    ? { kind: 'stopped', reason: 'the server chose what was not offered' }
    : { kind: 'refused', by: 'not-offered', suite, group, ...told };
}

function isUsable({ notOffered: fault }: HelloAccepted): boolean {
  return fault === undefined;
}

/** Where suites of a version are asked for, and what is known of them so far. */
export type SuiteAsking = { readonly asker: HelloAsker; readonly ledger: SuiteLedger };
