import { categoryNameOf } from '#shared/catalogue/domain-health/category-words';
import { severityWords } from '#shared/render/report-words';
import { type PartSoFar, soFarText } from '#shared/render/so-far';
import type { AskProgress } from '../client/diagnostics.ts';
import { isWatched, redraw, show, type Shown, warn } from './door.ts';
import type { TargetOutcome } from './outcome.ts';

/** What is shown of a run while it goes on. */
export type ProgressLine = {
  count(outcome: TargetOutcome): void;
  /** What the service allows. */
  limited(limit: RunLimit): void;
  /** The limits hold the run back for so long. */
  paced(waitMs: number): void;
  /** Empties the line, so that what is printed next stands alone; it is drawn again by itself. */
  clear(): void;
  close(): void;
};

const drawEveryMs = 200;
const tellEveryMs = 10_000;
const barWidth = 20;

/** What is known of a run at a moment. */
export type RunFigures = {
  readonly done: number;
  readonly total: number | undefined;
  /** Of these, how many were asked in this run, and for how long it has gone on. */
  readonly asked: number;
  readonly seconds: number;
  readonly grades: ReadonlyMap<string, number>;
  readonly failed: number;
  readonly pausedS: number;
  /** Of those asked in this run, how many were checked anew, which alone costs scans. */
  readonly renewed: number;
  /** How many new checks the limit allows, and in what time; undefined where there is none. */
  readonly limit: RunLimit | undefined;
};

/** New checks of the kind that is run, in so many seconds. */
export type RunLimit = { readonly checks: number; readonly windowS: number };

/**
 * Seconds that are left: as many as at the pace so far, and at least as many as the limit takes. Its first window is open at once, so that
 * the pace alone would promise an end that the limit does not keep.
 */
export function secondsLeft({
  done,
  total,
  asked,
  seconds,
  renewed,
  limit,
}: Pick<RunFigures, 'done' | 'total' | 'asked' | 'seconds' | 'renewed' | 'limit'>): number | undefined {
  if (total === undefined || asked === 0 || seconds <= 0) return undefined;
  const left = total - done;
  const byPace = (left * seconds) / asked;
  if (!limit) return byPace;
  const anew = renewed + (left * renewed) / asked;
  const windows = Math.ceil(anew / Math.max(1, limit.checks));
  return Math.max(byPace, (windows - 1) * limit.windowS - seconds);
}

/** One line: a bar, how many, how fast, how long it will take, and the grades so far. */
export function progressText(figures: RunFigures): string {
  const { done, total, asked, seconds, grades, failed, pausedS } = figures;
  const rate = seconds > 0 ? asked / seconds : 0;
  const left = secondsLeft(figures);
  const bar =
    total === undefined || total === 0
      ? ''
      : `[${'#'.repeat(Math.round((barWidth * done) / total)).padEnd(barWidth, '.')}] `;
  const letters = [...grades]
    .sort(([a], [b]) => orderOf(a) - orderOf(b))
    .map(([grade, count]) => `${grade} ${count}`);
  return [
    `${bar}${done}${total === undefined ? '' : `/${total}`}`,
    `${rate.toFixed(1)}/s`,
    ...(left === undefined ? [] : [`ETA ${durationText(left)}`]),
    ...(letters.length === 0 ? [] : [letters.join(' ')]),
    ...(failed === 0 ? [] : [`not checked ${failed}`]),
    ...(pausedS > 0 ? [`waits ${pausedS} s for the limit`] : []),
  ].join('  ');
}

function orderOf(grade: string): number {
  return ['A+', 'A', 'B', 'C', 'D', 'F', '-'].indexOf(grade);
}

/** "45s", "3m12s", "2h05m". */
export function durationText(seconds: number): string {
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole}s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes}m${String(whole % 60).padStart(2, '0')}s`;
  return `${Math.floor(minutes / 60)}h${String(minutes % 60).padStart(2, '0')}m`;
}

/**
 * Shows a run on stderr: one line that is drawn again on a terminal, else a plain line every ten seconds.
 * @param resumed of the total, how many were done before this run
 */
export function openProgress(total: number | undefined, resumed: () => number): ProgressLine {
  const startedAt = performance.now();
  const startedOn = Date.now();
  const grades = new Map<string, number>();
  let done = 0;
  let failed = 0;
  let pausedUntil = 0;
  let renewed = 0;
  let limit: RunLimit | undefined;
  const text = () =>
    progressText({
      done,
      total,
      asked: done - resumed(),
      seconds: (performance.now() - startedAt) / 1000,
      grades,
      failed,
      renewed,
      limit,
      pausedS: Math.max(0, Math.ceil((pausedUntil - performance.now()) / 1000)),
    });
  const draw = () => (isWatched() ? redraw(show`${text()}`) : warn(show`${text()}`));
  const timer = setInterval(draw, isWatched() ? drawEveryMs : tellEveryMs);
  timer.unref();
  return {
    count({ report }) {
      done += 1;
      if (report && Date.parse(report.checkedAt) >= startedOn) renewed += 1;
      if (!report) failed += 1;
      else grades.set(report.grade ?? '-', (grades.get(report.grade ?? '-') ?? 0) + 1);
    },
    limited(told) {
      limit = told;
    },
    paced(waitMs) {
      pausedUntil = Math.max(pausedUntil, performance.now() + waitMs);
    },
    clear: () => redraw(),
    close() {
      clearInterval(timer);
      redraw();
    },
  };
}

/** What is shown of one target while its check goes on. */
export type OneProgress = { tell(progress: AskProgress): void; close(): void };

/** "42 %  B so far, speed is being measured", what is asked now where a run has no parts, or why nothing goes on. */
export function oneText(progress: AskProgress): string {
  if (progress.kind === 'waiting') return `Waiting for its turn: place ${progress.position} in line.`;
  if (progress.kind !== 'running') return `Waiting ${Math.ceil(progress.waitMs / 1000)} s for the service.`;
  const { done, total, current } = progress;
  const percent = `${Math.floor((100 * Math.min(done, total)) / Math.max(1, total))} %`;
  return `${percent}  ${soFarText(progress) || current}`;
}

/** "DNS    B  High: The zone is not signed." and what to do, of a part that is judged. */
function partLines({ name, grade, worst }: Pick<PartSoFar, 'name' | 'grade' | 'worst'>): readonly Shown[] {
  const found = worst
    ? show`${severityWords[worst.severity] ?? worst.severity}: ${worst.title}`
    : show`nothing to fix`;
  return [
    show`${categoryNameOf(name).padEnd(8)} ${(grade ?? '–').padEnd(2)} ${found}`,
    ...(worst ? [show`            ${worst.fix.text}`] : []),
  ];
}

/** Shows one run on a terminal: one line that is drawn again, and above it each part as soon as it is judged. */
export function openOneProgress(): OneProgress {
  const shown = new Set<string>();
  return {
    tell(progress) {
      for (const part of progress.kind === 'running' ? (progress.parts ?? []) : []) {
        if (part.grade === undefined || shown.has(part.name)) continue;
        shown.add(part.name);
        redraw();
        for (const line of partLines(part)) warn(line);
      }
      redraw(show`${oneText(progress)}`);
    },
    close: () => redraw(),
  };
}
