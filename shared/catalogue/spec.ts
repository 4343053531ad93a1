import type { z } from 'zod';
import type { Job, QueueName } from '../model/job.ts';
import type { Report } from '../model/report.ts';
import type { Rules } from '../model/verdict.ts';
import type { Whys } from '../model/why.ts';

/** What a check promises: how it is asked, what it costs, what it may find. The API loads this and nothing else of a check. */
export type CheckSpec = {
  readonly name: string;
  /** One line for the documentation. */
  readonly summary: string;
  /** `domain` is the last part of the path, `url` is the query parameter `url`. */
  readonly targetKind: 'domain' | 'url';
  readonly queue: QueueName;
  /** The setting without which it is not offered: its answer is the problem `tool_disabled`. */
  readonly switchedOnBy?: 'PROBE_SMTP';
  /** What measures beside our own code, with its version: another one may answer otherwise. */
  readonly engine?: string;
  /** Query parameters of its own: name → schema of the text as sent, with its default. Equal options make equal jobs. */
  readonly options: z.ZodObject;
  /** Those of them that may be given more than once; their schema is an array. */
  readonly repeatable: readonly string[];
  /** Those of them that may also be one list with commas; links have them so. */
  readonly lists?: readonly string[];
  /** The option that names a port of the target, where there is one: the operator's policy judges it. */
  readonly portOption?: string;
  /** Points of the `scans` quota for a run. */
  readonly cost: (options: Job['options']) => number;
  /** Other checks that these options have it ask, where the operator has them switched on; each adds its own cost. */
  readonly asksToo?: (options: Job['options']) => readonly CheckSpec[];
  /** Longest run, counted from a worker's start. */
  readonly runLimitMs: (options: Job['options']) => number;
  /** How long a complete report answers equal GETs. */
  readonly freshForS: number;
  /** How long a GET waits before it is answered 202, where the caller says nothing. */
  readonly waitS: number;
  /** `fresh` starts no run within this time of the last one. */
  readonly refreshFloorS: number;
  readonly rules: Rules;
  /** Made by `whysOf` from the same rules, so that none is left out. */
  readonly why: Whys;
  /** Where options change only how a load is judged: another report of the target answers, without a run. */
  readonly judgedFrom?: {
    /** The options of that report; undefined where these options need a run. */
    readonly source: (options: Job['options']) => Job['options'] | undefined;
    /** That report as these options want it; undefined where it has not what that takes. */
    readonly judge: (report: Report, options: Job['options']) => Report | undefined;
  };
  /** Raised when a rule's code, meaning, severity or points change. */
  readonly rulesVersion: number;
  /** The report's fields beside the envelope. */
  readonly reportShape: z.ZodRawShape;
};

/** Freshness in seconds of reports that are not complete: the target, or we, may be back soon. */
export const freshForOtherS = { partial: 60, unreachable: 60, failed: 300 } as const;

/** The fields of a check's own that its `reportShape` promises; the envelope and the target are made elsewhere. */
export type FieldsOf<Shape extends z.ZodRawShape> = ReadonlyFields<
  Omit<z.infer<z.ZodObject<Shape>>, 'target'>
>;

type ReadonlyFields<T> = { readonly [K in keyof T]: DeepReadonly<T[K]> };

type DeepReadonly<T> = T extends readonly (infer One)[]
  ? readonly DeepReadonly<One>[]
  : T extends object
    ? ReadonlyFields<T>
    : T;
