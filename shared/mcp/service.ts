import type { CheckSpec } from '../catalogue/spec.ts';
import type { Report } from '../model/report.ts';
import type { KnownSoFar, PartSoFar, SoFar } from '../render/so-far.ts';

/** How far a run is, as far as all of it is in our own words. */
export type RunProgress = {
  readonly done: number;
  readonly total: number;
  /** Its place in line, 1 is next; only before it runs. */
  readonly position?: number;
  readonly parts?: readonly RunPart[];
  readonly soFar?: SoFar;
};

/** A part of a run: of its worst finding only the code, as a fix may name what a target has chosen. */
export type RunPart = Pick<PartSoFar, 'name' | 'state' | 'grade' | 'score' | 'reportId'> & {
  readonly worst?: { readonly code: string; readonly severity: string };
};

/** How far a run is, in our own words: without `current`, which may be a name that a target chose. */
export function plainProgress({
  done,
  total,
  parts,
  soFar,
}: KnownSoFar & { readonly done: number; readonly total: number }): RunProgress {
  return {
    done,
    total,
    ...(parts ? { parts: parts.map(plainPart) } : {}),
    ...(soFar ? { soFar } : {}),
  };
}

function plainPart({ worst, name, state, grade, score, reportId }: PartSoFar): RunPart {
  return {
    name,
    state,
    ...(grade === undefined ? {} : { grade }),
    ...(score === undefined ? {} : { score }),
    ...(reportId === undefined ? {} : { reportId }),
    ...(worst ? { worst: { code: worst.code, severity: worst.severity } } : {}),
  };
}

/** A call of a check's tool: the arguments were read, and the service judges them. */
export type CheckCall = {
  readonly spec: CheckSpec;
  readonly target: string;
  readonly options: { readonly [name: string]: string | readonly string[] };
  /** A report up to so many seconds old answers; undefined: one that is fresh. */
  readonly maxAgeS: number | undefined;
  /** The finding whose check alone is to be made again. */
  readonly recheck: string | undefined;
  readonly signal: AbortSignal;
  /** Hears how far the run is; undefined where the agent does not listen. */
  readonly onProgress: ((progress: RunProgress) => void) | undefined;
};

/** A report and its address; or how far the run is that goes on after the answer. */
export type CheckOutcome =
  | { readonly report: Report; readonly link: string }
  | { readonly running: RunProgress; readonly retryAfterS: number };

/** A stored report in a list. */
export type ListedReport = {
  readonly reportId: string;
  readonly check: string;
  readonly target: string;
  readonly checkedAt: string;
  readonly score: number | null;
};

/** What the agent's server asks: this process, or a service elsewhere. Its methods reject with a `Refusal`. */
export type AgentService = {
  check(call: CheckCall): Promise<CheckOutcome>;
  /** Undefined where this caller may read no stored reports. */
  readonly stored:
    | {
        /** The caller's newest reports. */
        list(): Promise<readonly ListedReport[]>;
        read(reportId: string): Promise<{ readonly report: Report; readonly link: string }>;
      }
    | undefined;
};

/** What an agent is told of a failure that was foreseen: the code of the problem, and what to do. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: string;
  readonly retryAfterS: number | undefined;

  constructor(code: string, detail: string, more: { readonly retryAfterS?: number | undefined } = {}) {
    super(detail);
    this.code = code;
    this.retryAfterS = more.retryAfterS;
  }
}
