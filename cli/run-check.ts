import { writeFileSync } from 'node:fs';
import { pagespeedCheck } from '#shared/catalogue/pagespeed-check/spec';
import type { CheckSpec } from '#shared/catalogue/spec';
import type { Report } from '#shared/model/report';
import { targetOf } from '#shared/render/report-words';
import { linkTo } from '#shared/render/visible-text';
import { pagePath } from '../api/pages/page-services.ts';
import type { AskProgress, Diagnostics, Me, TargetAnswer, ToolName } from '../client/diagnostics.ts';
import {
  type CheckOptions,
  readAsked,
  readThreshold,
  type RunOptions,
  type Threshold,
} from './check-options.ts';
import { openServer, serverOf, type ServerOptions, tokenOf } from './connection.ts';
import { isWatched, openOutput, warn } from './door.ts';
import { exitStatus } from './exit-status.ts';
import { outcomeOf, type TargetOutcome, UsageError } from './outcome.ts';
import { openPrinter, tellProblem } from './printers.ts';
import { openOneProgress, openProgress } from './progress.ts';
import { askBatch, requireBatchable } from './run-batch.ts';
import { openStateFile, type StateFile } from './state-file.ts';
import { openTally, summaryPage, summaryText } from './summary.ts';
import { countTargets, readTargets } from './targets.ts';

/** Runs a check on every target, prints what became of each, and gives the exit status. */
export async function runCheck(
  spec: CheckSpec,
  args: readonly string[],
  options: CheckOptions,
): Promise<number> {
  const asked = readAsked(spec, options);
  const threshold = readThreshold(options);
  if (args.length === 0 && options.file === undefined)
    throw new UsageError(`Name a target: diag ${spec.name} example.com, or a list: -f FILE (- is stdin).`);
  const total = await countTargets(args, options.file, spec.targetKind);
  if (options.summary !== undefined) writeOrRefuse(options.summary, '');
  const stop = new AbortController();
  const onInterrupt = () => stop.abort(new Error('interrupted'));
  process.once('SIGINT', onInterrupt);
  requireBatchable(options);
  const state = openStateOf(spec, options, asked);
  const local = options.local ? await openLocal(spec) : undefined;
  try {
    const client = openServer(local ? { ...options, server: local.server } : options);
    const onClosed = () => stop.abort(new ReaderGone());
    // What this machine checks by itself is kept nowhere.
    const pageOf = local ? undefined : openReportPages(spec, options, asked);
    const run = openRun(options, { check: spec.name, total, threshold, state, onClosed, pageOf });
    const ask = openAsk(client, spec, options, { asked, signal: stop.signal, run });
    await goThrough(run, state, readTargets(args, options.file, spec.targetKind), ask);
    return run.status();
  } catch (error) {
    if (stop.signal.reason instanceof ReaderGone) return exitStatus.ok;
    if (stop.signal.aborted) return exitStatus.interrupted;
    throw error;
  } finally {
    process.off('SIGINT', onInterrupt);
    state?.close();
    await local?.close();
  }
}

type CliRun = ReturnType<typeof openRun>;

type TargetRun = { readonly asked: RunOptions; readonly signal: AbortSignal; readonly run: CliRun };

/** What asks the targets: one GET after another, or the service by itself as a batch. */
function openAsk(
  client: Diagnostics,
  spec: CheckSpec,
  options: CheckOptions,
  { asked, signal, run }: TargetRun,
): (targets: AsyncIterable<string>) => AsyncIterable<TargetAnswer<unknown>> {
  if (options.batch) return (targets) => askBatch(client, spec, targets, { ...options, asked, signal });
  const { isFollowed: follows } = run;
  const onProgress = (progress: AskProgress) => run.heard(progress);
  const onLimits = (me: Me) => run.limited(me, spec);
  return (targets) =>
    client.each(spec.name as ToolName, targets, { ...asked, signal, follows, onProgress, onLimits });
}

/** Tells what earlier runs have done, then asks the rest. What is reported last is reported also of a run that breaks off. */
async function goThrough(
  run: CliRun,
  state: StateFile | undefined,
  targets: AsyncIterable<string>,
  ask: (targets: AsyncIterable<string>) => AsyncIterable<TargetAnswer<unknown>>,
): Promise<void> {
  const done = new Set<string>();
  try {
    for await (const outcome of state?.earlier() ?? []) {
      if (done.has(outcome.target)) continue;
      done.add(outcome.target);
      await run.repeat(outcome);
    }
    await addInOrder(run, ask(leftOf(targets, done)));
  } finally {
    await run.end();
  }
}

/** Answers that wait for an earlier one to be printed; beyond that many, rows come as they end. */
const mostHeld = 500;

/** Keeps each answer as it comes, and prints them in the order of the list, unless lines are wanted as they end. */
async function addInOrder(run: CliRun, answers: AsyncIterable<TargetAnswer<unknown>>): Promise<void> {
  const held = new Map<number, TargetOutcome>();
  let next = 0;
  const printReady = async (isLast: boolean) => {
    const ready = isLast || held.size > mostHeld || !run.isOrdered;
    const order = [...held.keys()].sort((a, b) => a - b);
    for (const index of order) {
      if (!ready && index !== next) return;
      const outcome = held.get(index);
      held.delete(index);
      next = Math.max(next, index + 1);
      if (outcome) await run.print(outcome);
    }
  };
  try {
    for await (const answer of answers) {
      const outcome = outcomeOf(answer);
      run.keep(outcome);
      held.set(answer.index, outcome);
      await printReady(false);
    }
  } finally {
    await printReady(true);
  }
}

// The pace may change from run to run, the questions may not.
function openStateOf(
  { name }: CheckSpec,
  { resume, batch }: CheckOptions,
  asked: object,
): StateFile | undefined {
  // A batch keeps only its id there.
  if (resume === undefined || batch) return undefined;
  return openStateFile(resume, name, JSON.stringify({ ...asked, concurrency: undefined }));
}

/** The reader of stdout has gone: nothing failed, and nothing more is wanted. */
class ReaderGone extends Error {
  override readonly name = 'ReaderGone';
}

// Loaded only where it is wanted: it is the whole service.
async function openLocal({ name }: CheckSpec) {
  const { openLocalService } = await import('./local-service.ts');
  return openLocalService(name === 'pagespeed-check' || name === 'domain-health');
}

async function* leftOf(targets: AsyncIterable<string>, done: ReadonlySet<string>) {
  for await (const target of targets) if (!done.has(target)) yield target;
}

type Setting = {
  readonly check: string;
  readonly total: number | undefined;
  readonly threshold: Threshold;
  readonly state: StateFile | undefined;
  readonly onClosed: () => void;
  readonly pageOf: ((report: Report) => string | undefined) | undefined;
};

/** Everything that is told of a run: stdout, the state, the progress and the summary. */
function openRun(options: CheckOptions, { check, total, threshold, state, onClosed, pageOf }: Setting) {
  const isSingle = total === 1;
  const printer = openPrinter(options.output, openOutput(onClosed), { ...options, check, isSingle });
  const tally = openTally(options.summary !== undefined, pageOf);
  let repeated = 0;
  let isMissed = false;
  let isIncomplete = false;
  const progress = isSingle || options.quiet ? undefined : openProgress(total, () => repeated);
  // One target has a line of its own while somebody watches.
  const line = isSingle && !options.quiet && isWatched() ? openOneProgress() : undefined;
  const tell = async (outcome: TargetOutcome) => {
    line?.close();
    progress?.clear();
    tally.add(outcome);
    progress?.count(outcome);
    isMissed ||= misses(outcome, threshold);
    isIncomplete ||= outcome.report === undefined || outcome.report.state === 'failed';
    await printer.add(outcome);
  };
  return {
    async repeat(outcome: TargetOutcome) {
      repeated += 1;
      await tell(outcome);
    },
    isOrdered: options.output !== 'ndjson',
    // Kept before it is printed: what was printed is never asked again.
    keep: (outcome: TargetOutcome) => state?.keep(outcome),
    async print(outcome: TargetOutcome) {
      if (outcome.problem && (isSingle || options.output !== 'table')) warn(tellProblem(outcome));
      await tell(outcome);
    },
    isFollowed: line !== undefined,
    heard(told: AskProgress) {
      if (told.kind === 'paced') progress?.paced(told.waitMs);
      line?.tell(told);
    },
    limited({ limited, limits: { scans }, costs }: Me, { name }: CheckSpec) {
      const checks = Math.floor(scans.limit / Math.max(1, costs[name] ?? 1));
      if (limited) progress?.limited({ checks, windowS: scans.windowSeconds });
    },
    async end() {
      progress?.close();
      line?.close();
      await printer.end();
      const summary = tally.summary();
      if (!isSingle && !options.quiet) warn(summaryText(summary, total));
      if (options.summary !== undefined)
        writeOrRefuse(options.summary, summaryPage(summary, total ?? summary.count));
    },
    status: () => (isMissed ? exitStatus.missed : isIncomplete ? exitStatus.incomplete : exitStatus.ok),
  };
}

// Of a budget that was asked for; one that could not be judged was not kept. Other checks have another field of that name.
function missesBudget({ check, budget }: Report): boolean {
  if (check !== pagespeedCheck.name || typeof budget !== 'object' || budget === null) return false;
  return !('kept' in budget) || budget.kept !== true;
}

/** True where a report is worse than what was asked for. A report without a score has not reached one. */
function misses({ report }: TargetOutcome, { failOn, minScore }: Threshold): boolean {
  if (!report) return false;
  if (missesBudget(report)) return true;
  if (report.findings.some(({ severity }) => failOn.includes(severity))) return true;
  return minScore !== undefined && (report.score === null || report.score < minScore);
}

function writeOrRefuse(path: string, text: string): void {
  try {
    writeFileSync(path, text);
  } catch (error) {
    throw new UsageError(`--summary: ${(error as Error).message}`);
  }
}

/**
 * Makes what tells where a browser shows a report. A report that was given to a caller without a token has a page of its own; one that a
 * token was given is found by its target, where its visitor signs in.
 * @param own the check's own options of this run
 */
function openReportPages(
  spec: CheckSpec,
  options: ServerOptions,
  own: Readonly<Record<string, unknown>>,
): (report: Report) => string | undefined {
  const server = serverOf(options).replace(/\/+$/, '');
  const hasToken = tokenOf(options) !== undefined;
  const query = new URLSearchParams();
  for (const name of Object.keys(spec.options.shape))
    for (const value of [own[name]].flat())
      if (typeof value === 'string' || typeof value === 'number') query.append(name, String(value));
  return (report) => {
    if (report.reportId !== undefined && !hasToken) return linkTo(`${server}/r/${report.reportId}`);
    return linkTo(`${server}${pagePath(spec.name, targetOf(report), query.toString())}`);
  };
}
