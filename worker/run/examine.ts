import type { Job } from '#shared/model/job';
import { makeFailedReport, type Report } from '#shared/model/report';
import type { Vantage } from '#shared/model/vantage';
import type { Progress } from '#shared/ports/job-queue';
import type { Check } from '../checks/check.ts';
import type { Jobs } from '../checks/jobs.ts';
import type { OpenedProbes } from '../probes/port.ts';
import { yieldToOthers } from '../probes/turns.ts';
import type { Judging } from './judge-aside.ts';
import { type EvidenceFile, factsOf } from './judge.ts';
import type { EvidenceKeeper } from './keep-evidence.ts';

/** How the reports of a worker are made, and what they are kept by. */
export type ReportSettings = FailedReportSettings & {
  readonly evidence: Pick<EvidenceKeeper, 'begin'>;
  readonly judging: Pick<Judging, 'judge'>;
};

/** What the report of a run depends on beside what was seen. */
export type FailedReportSettings = {
  /** Unix ms by the clock that all processes share: the report carries it, whatever this machine's clock shows when it is stored. */
  readonly now: () => number;
  /** Replaces every check's own freshness; labs. */
  readonly freshForS: number | undefined;
  readonly keepForS: number;
  /** Prefix of links. */
  readonly publicPath: string;
  /** The operator's name of this place. */
  readonly vantageId?: string | undefined;
  /** Off: reports carry no id and are kept only while they can be fresh. */
  readonly reportIds: boolean;
};

export type Subject = Pick<Job, 'target' | 'options' | 'reportId'> &
  Partial<Pick<Job, 'wanted' | 'account'>> & { readonly tookMs?: number };

/** A run that is under way. */
export type Examination = {
  readonly probes: Omit<OpenedProbes, 'close'>;
  readonly jobs: Jobs;
  readonly progress: (progress: Progress) => void;
  /** The run's own end: what is not done by then makes a `failed` report. */
  readonly limit: AbortSignal;
  readonly limitMs: number;
  /** The worker stops: the job is given back. */
  readonly stop: AbortSignal;
};

/** Gathers and judges; what was seen is in the store by then. Rejects when the worker stops, and for a defect. */
export async function examine(
  check: Check,
  subject: Subject,
  { probes, jobs, progress, limit, limitMs, stop }: Examination,
  settings: ReportSettings,
): Promise<{ readonly report: Report; readonly file?: EvidenceFile }> {
  const start = performance.now();
  try {
    const { target, options, wanted } = subject;
    const hidesAges = subject.account !== undefined;
    const evidence = await check.gather({ target, options, wanted, hidesAges, probes, jobs, progress });
    // Writing it down and judging it are some milliseconds each.
    await yieldToOthers();
    const spent = probes.spent();
    const file = {
      ...fileOf(check, subject, performance.now() - start, { ...settings, seen: probes }),
      ...(spent.length > 0 ? { spent } : {}),
      evidence,
    };
    const json = JSON.stringify(file);
    // Before the report, so that none is ever without it; the store takes it while the report is being judged.
    const { kept } = await settings.evidence.begin(file, json);
    await yieldToOthers();
    const report = await settings.judging.judge(check, file, json, AbortSignal.any([limit, stop]));
    await kept;
    return { report, file };
  } catch (error) {
    // Only our own limit makes a failed report here; a stopping worker gives the job back, a defect rises.
    if (!limit.aborted || stop.aborted) throw error;
    const reason = `The run hit its limit of ${limitMs / 1000} s.`;
    return {
      report: failedReport(check, { ...subject, tookMs: performance.now() - start }, reason, settings),
    };
  }
}

/** The report of a run that could not end. @param reason a sentence for the caller */
export function failedReport(
  check: Check,
  subject: Subject,
  reason: string,
  settings: FailedReportSettings,
): Report {
  return makeFailedReport(
    factsOf(check, fileOf(check, subject, subject.tookMs ?? 0, settings), 'failed'),
    reason,
  );
}

function fileOf(
  { spec }: Check,
  { target, options, reportId }: Subject,
  durationMs: number,
  {
    now,
    freshForS,
    keepForS,
    reportIds,
    publicPath,
    vantageId,
    seen,
  }: FailedReportSettings & { readonly seen?: PlaceSeen },
): Omit<EvidenceFile, 'evidence'> {
  return {
    v: 1,
    check: spec.name,
    target,
    options,
    reportId: reportIds ? reportId : null,
    checkedAtMs: now(),
    durationMs: Math.round(durationMs),
    ...(publicPath === '' ? {} : { publicPath }),
    ...vantageOf(vantageId, seen),
    freshForS: freshForS ?? null,
    keepForS: reportIds ? keepForS : null,
  };
}

/** What a run learnt of its place. */
export type PlaceSeen = Pick<OpenedProbes, 'missing' | 'untried' | 'clock'>;

/** The place of a run, where there is something to say of it. @param seen left out: the run saw nothing */
export function vantageOf(id: string | undefined, seen?: PlaceSeen): { readonly vantage?: Vantage } {
  if (!seen) return id === undefined ? {} : { vantage: { id, missing: [] } };
  const [missing, untried, clock] = [seen.missing(), seen.untried(), seen.clock()];
  if (id === undefined && missing.length + untried.length === 0 && clock === null) return {};
  const wrong = clock && { clockOffsetMs: clock.offsetMs, clockMostMs: clock.mostMs };
  const open = untried.length > 0 ? { untried: [...untried] } : {};
  return { vantage: { id: id ?? null, missing: [...missing], ...open, ...wrong } };
}
