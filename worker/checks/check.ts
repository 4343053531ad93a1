import type { z } from 'zod';
import type { CheckSpec, FieldsOf } from '#shared/catalogue/spec';
import type { Freshness } from '#shared/model/freshness';
import type { Job } from '#shared/model/job';
import type { Assessment } from '#shared/model/report';
import type { Json } from '#shared/model/verdict';
import type { Progress } from '#shared/ports/job-queue';
import type { Probes } from '../probes/port.ts';
import type { Jobs } from './jobs.ts';

/** What a gather is given. Every probe already carries the run's signal, guard and memo. */
export type GatherContext = {
  /** The target in normal form: a domain name or a URL. */
  readonly target: string;
  readonly options: Job['options'];
  /** How new the answer is to be; left out where a command asks. */
  readonly wanted?: Freshness | undefined;
  /** The caller's account has a cache of its own, and is not told when others asked. */
  readonly hidesAges?: boolean;
  readonly probes: Probes;
  /** Tells how far the run is; counts questions that were answered, never time. */
  readonly progress: (progress: Progress) => void;
};

/** What a gather of the composite queue is given beside. */
export type CompositeContext = GatherContext & { readonly jobs: Jobs };

/** What a check keeps beside its report; without bytes where the evidence has none. */
export type Picture = { readonly kind: 'screenshot' | 'filmstrip'; readonly bytes?: Uint8Array };

/** What a judgement may know of its run beside the evidence. */
export type RunFacts = {
  /** As the report tells it, Unix ms. */
  readonly checkedAtMs: number;
};

/** A check's work. Evidence is JSON: what was seen, nothing judged. */
export type Check = {
  readonly spec: CheckSpec;
  gather(context: GatherContext & Partial<CompositeContext>): Promise<Json>;
  assess(evidence: Json, run?: RunFacts): Assessment;
  /** The same evidence, as if the clock that it was seen by had shown so many ms more; left out where no judgement depends on the time. */
  readonly atTime?: (evidence: Json, byMs: number) => Json;
  /** Pictures in the evidence, to be stored beside the report. */
  readonly picturesOf?: (evidence: Json) => readonly Picture[];
};

/**
 * Ties a gather to the assess that reads its evidence, and the assess to the rules and report fields that the spec promises. Only here
 * the type of the evidence is forgotten.
 */
export function defineCheck<Evidence, Code extends string, Shape extends z.ZodRawShape>(check: {
  readonly spec: CheckSpec & {
    readonly rules: { readonly [C in Code]: unknown };
    readonly reportShape: Shape;
  };
  readonly gather: (context: CompositeContext) => Promise<Evidence>;
  readonly assess: (evidence: Evidence, run?: RunFacts) => Assessment<Code, FieldsOf<Shape>>;
  readonly atTime?: (evidence: Evidence, byMs: number) => Evidence;
  readonly picturesOf?: (evidence: Evidence) => readonly Picture[];
}): Check {
  return check as unknown as Check;
}
