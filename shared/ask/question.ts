import { readOptions } from '../catalogue/read-options.ts';
import type { CheckSpec } from '../catalogue/spec.ts';
import type { Job } from '../model/job.ts';
import { describeFaults, type InputError, Problem } from '../model/problem.ts';
import type { JobKeyOf } from '../queue/job-keys.ts';
import {
  judgePort,
  parseDomain,
  parseHttpUrl,
  siteOf,
  type TargetFault,
  type TargetPolicy,
  tellFault,
} from '../targets/parse-target.ts';

/** What is asked of a check, understood: equal questions have the same key. */
export type Question = {
  readonly spec: CheckSpec;
  /** In normal form. */
  readonly target: string;
  /** The unit of the per-host limit. */
  readonly host: string;
  readonly options: Job['options'];
  /** One key for cache, single flight and deduplication. */
  readonly jobKey: string;
  /** What the key was made with beside the question; part of the job, for the worker that makes it again. */
  readonly keyVersion: string;
  /** The key of a report that this one can be judged from without a run. */
  readonly sourceKey?: string;
  /** Whose reports alone may answer; undefined: everybody's. */
  readonly owner: string | undefined;
};

/** A question whose target and options are not yet understood. */
export type GivenQuestion = {
  /** As it was given; or why there is none; undefined where one of `told` says why. */
  readonly target: string | InputError | undefined;
  /** Name → its value or values, of any type that has a text. */
  readonly options: object;
  /** Where the caller finds what is wrong: the parameter that names the target, or an option. */
  readonly place: (about: 'target' | { readonly option: string }) => Pick<InputError, 'in' | 'name'>;
  /** What else is wrong with the request, told before and behind the faults of the question. */
  readonly told?: { readonly before: readonly InputError[]; readonly after: readonly InputError[] };
};

/** A target in normal form, with the unit of its limit, or what is wrong with it. */
export type TargetRead = Pick<Question, 'target' | 'host'> | { readonly fault: TargetFault };

/** Understands questions: the same for whoever asks. */
export type Questions = {
  /** The Problem of a check that the operator has not switched on. */
  refusalOf(spec: CheckSpec): Problem | undefined;
  /** Or gives the Problem that names every fault: V8 takes longer for a throw than for the whole reading. */
  read(spec: CheckSpec, given: GivenQuestion, owner: Question['owner']): Question | Problem;
  readTarget(spec: CheckSpec, text: string): TargetRead;
  /** Why the port that an option names is not checked; undefined where it is. */
  judgePortOption(spec: CheckSpec, options: Job['options']): string | undefined;
  /** The question about a target and options that were understood before. */
  of(
    spec: CheckSpec,
    about: Pick<Question, 'target' | 'host' | 'options'>,
    owner: Question['owner'],
  ): Question;
  /** Changes when a name may have come onto the list of those that are not checked: what was understood before is to be judged again. */
  revision(): number | undefined;
};

/** Opens the reader. @param isOffered whether the operator has a check switched on */
export function openQuestions(
  policy: TargetPolicy,
  jobKeyOf: JobKeyOf,
  isOffered: (spec: CheckSpec) => boolean,
): Questions {
  const questions: Questions = {
    refusalOf: (spec) => (isOffered(spec) ? undefined : toolDisabled(spec)),
    read: (spec, given, owner) => questions.refusalOf(spec) ?? readQuestion(questions, spec, given, owner),
    readTarget: (spec, text) => readTarget(policy, spec, text),
    judgePortOption({ portOption }, options) {
      const why = portOption === undefined ? undefined : judgePort(Number(options[portOption]), policy);
      return why === undefined ? undefined : tellFault({ why: `it ${why}` });
    },
    of(spec, { target, host, options }, owner) {
      const source = spec.judgedFrom?.source(options);
      return {
        spec,
        target,
        host,
        options,
        jobKey: jobKeyOf(spec, target, options, owner),
        keyVersion: jobKeyOf.versionOf(spec, owner),
        ...(source ? { sourceKey: jobKeyOf(spec, target, source, owner) } : {}),
        owner,
      };
    },
    revision: () => policy.denied?.revision(),
  };
  return questions;
}

function toolDisabled({ name, switchedOnBy }: CheckSpec): Problem {
  return new Problem(
    'tool_disabled',
    `${name} is not offered here. Its operator switches it on by ${switchedOnBy}.`,
  );
}

function readTarget(policy: TargetPolicy, { targetKind }: CheckSpec, text: string): TargetRead {
  if (targetKind === 'url') {
    const url = parseHttpUrl(text, policy);
    return url.ok ? { target: url.value.href, host: siteOf(url.value.hostname) } : { fault: url.fault };
  }
  const domain = parseDomain(text, policy);
  return domain.ok ? { target: domain.value, host: siteOf(domain.value) } : { fault: domain.fault };
}

function readQuestion(
  questions: Questions,
  spec: CheckSpec,
  { target: text, options: given, place, told = { before: [], after: [] } }: GivenQuestion,
  owner: Question['owner'],
): Question | Problem {
  const about = typeof text === 'string' ? questions.readTarget(spec, text) : undefined;
  const ofTarget = typeof text === 'object' ? [text] : faultsOfTarget(about, place);
  const hasTarget = about !== undefined && !isMalformed(about);
  const read = readOptions(spec, asTexts(spec, given));
  const issues = 'issues' in read ? read.issues : [];
  const ofOptions = issues.map(({ path, message }): InputError => ({
    ...place({ option: String(path[0]) }),
    detail: message,
  }));
  const malformed = [...told.before, ...(hasTarget ? [] : ofTarget), ...ofOptions, ...told.after];
  if (malformed.length > 0 || 'issues' in read || !about) return invalidRequest(malformed);
  const refused = [...ofTarget, ...faultsOfPort(questions, spec, read.options, place)];
  if ('fault' in about || refused.length > 0) return targetNotAllowed(refused);
  return questions.of(spec, { ...about, options: read.options }, owner);
}

/** Options as a query has them: what may be repeated is a list, in one order; all else is a text. */
function asTexts({ repeatable }: CheckSpec, given: object): object {
  const sent = Object.entries(given).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    sent.map(([name, value]) => {
      const texts = [value as unknown].flat().map(String);
      const one = texts.length === 1 ? texts[0] : texts;
      return [name, repeatable.includes(name) ? [...new Set(texts)].sort() : one];
    }),
  );
}

function faultsOfPort(
  questions: Questions,
  spec: CheckSpec,
  options: Job['options'],
  place: GivenQuestion['place'],
): readonly InputError[] {
  const detail = questions.judgePortOption(spec, options);
  return detail === undefined ? [] : [{ ...place({ option: spec.portOption ?? '' }), detail }];
}

function faultsOfTarget(read: TargetRead | undefined, place: GivenQuestion['place']): readonly InputError[] {
  return read && 'fault' in read ? [{ ...place('target'), detail: tellFault(read.fault) }] : [];
}

/** The Problem of a request that is not valid. */
export function invalidRequest(errors: readonly InputError[]): Problem {
  return new Problem('invalid_request', describeFaults(errors), { errors });
}

/** The Problem of a target that is well formed, and is never checked. */
export function targetNotAllowed(errors: readonly InputError[]): Problem {
  return new Problem('target_not_allowed', describeFaults(errors), { errors });
}

/** True for what is no target at all; a well-formed one may be refused. */
export function isMalformed(read: TargetRead): boolean {
  return 'fault' in read && read.fault.kind === 'malformed';
}
