import { outOfTime } from '#shared/model/failure';
import type { Progress } from '#shared/ports/job-queue';
import type { DnsAnswer, DnsAskOptions, DnsProbe, DnsQuestion, DnsRecord } from '../probes/dns/port.ts';
import { questionKey } from '../probes/dns/question-key.ts';
import { type Budget, openBudget, type SpentLimit } from './budget.ts';
import { cutAtRefusedAlias } from './cut-aliases.ts';
import { judgeRecordName, type NamePolicy, type Refusal } from './judge-record-name.ts';
import { isInZone } from './name.ts';
import { heldBack, refused, unheard } from './not-asked.ts';

/** Asks one question; never rejects but for an aborted run or a defect. */
export type Ask = (question: DnsQuestion, options?: DnsAskOptions) => Promise<DnsAnswer>;

/** Names that were not looked up as they are not public, and limits that held questions back. JSON, part of the evidence. */
export type HeldBack = {
  /** `record` is the record that names it, "MX of example.com"; null where none spells it out. */
  readonly refused: readonly {
    readonly name: string;
    readonly why: string;
    readonly record: string | null;
  }[];
  readonly spent: readonly SpentLimit[];
};

type Questions = {
  readonly ask: Ask;
  /** What was held back so far. */
  heldBack(): HeldBack;
  /** Ends the wait for the deadline; call it once gathering is over. */
  close(): void;
};

type QuestionsContext = {
  readonly dns: DnsProbe;
  /** In ASCII, lower case, without the last dot. */
  readonly target: string;
  readonly policy: NamePolicy;
  readonly progress: (progress: Progress) => void;
  /** From now on; shorter than the run limit by what judging takes. */
  readonly deadlineMs: number;
  readonly budget?: Budget;
};

/** So many refused names are remembered; a hostile record has thousands. */
const refusedLimit = 50;

/**
 * The one way through which a check's questions go to the DNS. Each name is judged first, each question counted against the budget
 * of the run, and no answer waited for when the run's time is up: a report with gaps beats none.
 */
export function openQuestions(context: QuestionsContext): Questions {
  const { dns, target, policy, progress } = context;
  const budget = context.budget ?? openBudget(target);
  const allowed = new Map<string, string | undefined>();
  const refusals = new Map<string, string>();
  const answers: DnsAnswer[] = [];
  let done = 0;
  let total = 0;
  const timeUp = Promise.withResolvers<void>();
  const timer = setTimeout(timeUp.resolve, context.deadlineMs);

  const { originZones } = dns;
  const operators = originZones ? [originZones.ipv4, originZones.ipv6] : [];
  const judge = (name: string): Refusal | undefined => {
    // The operator's own choice, wherever it is.
    if (operators.some((zone) => isInZone(name, zone))) return undefined;
    const refusal = judgeRecordName(name, target, policy);
    if (refusal?.kind === 'name' && refusals.size < refusedLimit) refusals.set(refusal.host, refusal.why);
    return refusal;
  };

  // Equal questions of a run are sent once, so they cost once.
  const spend = (question: DnsQuestion, options: DnsAskOptions): string | undefined => {
    const key = questionKey(question, options);
    if (!allowed.has(key)) allowed.set(key, budget.spend(question, options.server));
    return allowed.get(key);
  };

  const send = async (question: DnsQuestion, options?: DnsAskOptions): Promise<DnsAnswer> => {
    const late = timeUp.promise.then(() => unheard(question, outOfTime, options));
    const answer = await Promise.race([dns.ask(question, options), late]);
    const seen = cutAtRefusedAlias(answer, (name) => judge(name) !== undefined);
    answers.push(seen);
    return seen;
  };

  const ask: Ask = async (question, options) => {
    const refusal = judge(question.name);
    if (refusal) return refused(question, refusal);
    const limit = spend(question, options ?? {});
    if (limit !== undefined) return heldBack(question, limit, options);
    total += 1;
    const answer = await send(question, options);
    done += 1;
    progress({ done, total, current: `${question.type} ${question.name === '' ? '.' : question.name}` });
    return answer;
  };
  return {
    ask,
    heldBack: () => ({
      refused: [...refusals].map(([name, why]) => ({ name, why, record: findOrigin(answers, name) })),
      spent: budget.spent(),
    }),
    close: () => clearTimeout(timer),
  };
}

/**
 * Finds the record that names a host, among answers of a run.
 * @param host in lower case
 * @returns type and owner, such as "MX of example.com"; null where no record spells it out, as with a macro
 */
function findOrigin(answers: readonly DnsAnswer[], host: string): string | null {
  const record = answers
    .flatMap((answer) => (answer.kind === 'answer' ? answer.answers : []))
    .find((one) => namesIn(one).some((name) => name === host || name.endsWith(`.${host}`)));
  return record === undefined ? null : `${record.type} of ${record.name}`;
}

// Where each type has names (RFC 1035 §3.3, RFC 9460 §2.1); any word of a text may be one.
const nameFields = ['exchange', 'mname', 'rname', 'target'];

function namesIn({ data }: DnsRecord): readonly string[] {
  if (typeof data === 'string') return [data.toLowerCase()];
  if (typeof data !== 'object' || data === null) return [];
  return Object.entries(data).flatMap(([field, value]) => {
    if (typeof value !== 'string') return [];
    if (field === 'text') return value.toLowerCase().split(/[^a-z0-9._-]+/);
    return nameFields.includes(field) ? [value.toLowerCase()] : [];
  });
}
