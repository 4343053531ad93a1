import { readOptions } from '../catalogue/read-options.ts';
import type { CheckSpec } from '../catalogue/spec.ts';
import type { Job } from '../model/job.ts';
import { describeFaults, type Fault, Problem } from '../model/problem.ts';
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
  readonly target: string;
  /** Name → its text, or for a repeatable one its texts. */
  readonly options: object;
  /** Where the caller finds what is wrong: the parameter that names the target, or an option. */
  readonly place: (about: 'target' | { readonly option: string }) => Pick<Fault, 'in' | 'name'>;
};

/** A target in normal form, with the unit of its limit, or what is wrong with it. */
export type TargetRead = Pick<Question, 'target' | 'host'> | { readonly fault: TargetFault };

/** Understands questions: the same for whoever asks. */
export type Questions = {
  /** Whether the operator has the check switched on; the Problem of one that is not. */
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
  const readTarget: Questions['readTarget'] = ({ targetKind }, text) => {
    if (targetKind === 'url') {
      const url = parseHttpUrl(text, policy);
      return url.ok ? { target: url.value.href, host: siteOf(url.value.hostname) } : { fault: url.fault };
    }
    const domain = parseDomain(text, policy);
    return domain.ok ? { target: domain.value, host: siteOf(domain.value) } : { fault: domain.fault };
  };
  const judgePortOption: Questions['judgePortOption'] = ({ portOption }, options) => {
    const why = portOption === undefined ? undefined : judgePort(Number(options[portOption]), policy);
    return why === undefined ? undefined : tellFault({ why: `it ${why}` });
  };
  const of: Questions['of'] = (spec, { target, host, options }, owner) => {
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
  };
  const refusalOf: Questions['refusalOf'] = (spec) =>
    isOffered(spec)
      ? undefined
      : new Problem(
          'tool_disabled',
          `${spec.name} is not offered here. Its operator switches it on by ${spec.switchedOnBy}.`,
        );
  return {
    refusalOf,
    readTarget,
    judgePortOption,
    of,
    revision: () => policy.denied?.revision(),
    read(spec, { target, options: given, place }, owner) {
      const disabled = refusalOf(spec);
      if (disabled) return disabled;
      const about = readTarget(spec, target);
      const targetFault =
        'fault' in about ? { ...place('target'), detail: tellFault(about.fault) } : undefined;
      const read = readOptions(spec, given);
      const malformed: readonly Fault[] = [
        ...(targetFault && isMalformed(about) ? [targetFault] : []),
        ...('issues' in read
          ? read.issues.map(({ path, message }) => ({
              ...place({ option: String(path[0]) }),
              detail: message,
            }))
          : []),
      ];
      if ('issues' in read || malformed.length > 0) return invalidRequest(malformed);
      const port = judgePortOption(spec, read.options);
      const { portOption: option = '' } = spec;
      const refused: readonly Fault[] = [
        ...(targetFault ? [targetFault] : []),
        ...(port === undefined ? [] : [{ ...place({ option }), detail: port }]),
      ];
      if ('fault' in about || refused.length > 0) return targetNotAllowed(refused);
      return of(spec, { ...about, options: read.options }, owner);
    },
  };
}

/** The Problem of a request that is not valid. */
export function invalidRequest(errors: readonly Fault[]): Problem {
  return new Problem('invalid_request', describeFaults(errors), { errors });
}

/** The Problem of a target that is well formed, and is never checked. */
export function targetNotAllowed(errors: readonly Fault[]): Problem {
  return new Problem('target_not_allowed', describeFaults(errors), { errors });
}

/** True for what is no target at all; a well-formed one may be refused. */
export function isMalformed(read: TargetRead): boolean {
  return 'fault' in read && read.fault.kind === 'malformed';
}
