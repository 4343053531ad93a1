import type { CheckSpec } from '#shared/catalogue/spec';
import { type Severity, severities } from '#shared/model/verdict';
import type { ServerOptions } from './connection.ts';
import { UsageError } from './outcome.ts';
import type { OutputName } from './printers.ts';

/** The options of a check's command, as commander gives them; a check's own are beside them. */
export type CheckOptions = ServerOptions & {
  readonly file?: string;
  readonly output: OutputName;
  readonly local?: true;
  readonly evidence?: string;
  readonly fresh?: true;
  readonly maxAge?: string;
  readonly cachedOnly?: true;
  readonly recheck?: string;
  readonly explain?: boolean;
  readonly concurrency: string;
  readonly resume?: string;
  readonly summary?: string;
  readonly failOn?: Severity;
  readonly minScore?: string;
  readonly quiet?: true;
  readonly batch?: true;
  readonly label?: string;
};

/** How the targets of a run are asked. */
export type RunOptions = {
  readonly concurrency: 'auto' | number;
  readonly fresh?: true;
  readonly maxAgeS?: number;
  readonly onlyIfCached?: true;
  readonly recheck?: string;
} & Readonly<Record<string, unknown>>;

/** What a report must reach, else the command ends with 1. */
export type Threshold = { readonly failOn: readonly Severity[]; readonly minScore: number | undefined };

/** Reads how targets are asked. Throws UsageError. */
export function readAsked(spec: CheckSpec, options: CheckOptions): RunOptions {
  const { fresh, maxAge, cachedOnly, recheck, concurrency } = options;
  if ([fresh, maxAge, cachedOnly, recheck].filter((one) => one !== undefined).length > 1)
    throw new UsageError('Give one of --fresh, --max-age, --cached-only and --recheck.');
  const own = Object.entries(options).filter(
    ([name, value]) => name in spec.options.shape && value !== undefined,
  );
  requireValid(spec, Object.fromEntries(own));
  return {
    ...Object.fromEntries(own),
    concurrency: concurrency === 'auto' ? 'auto' : readCount('--concurrency', concurrency, 1, 1000),
    ...(fresh ? { fresh } : {}),
    ...(maxAge === undefined ? {} : { maxAgeS: readTime('--max-age', maxAge) }),
    ...(cachedOnly ? { onlyIfCached: true } : {}),
    ...(recheck === undefined ? {} : { recheck }),
  };
}

/** Compares a check's own options with what it takes, before anything is asked. Throws UsageError. */
function requireValid({ options }: CheckSpec, own: object): void {
  const parsed = options.safeParse(own);
  if (parsed.success) return;
  const faults = parsed.error.issues.map(({ path, message }) => `--${String(path[0])}: ${message}`);
  throw new UsageError(faults.join('\n'));
}

/** Reads what reports must reach. Throws UsageError. */
export function readThreshold({ failOn, minScore }: CheckOptions): Threshold {
  return {
    failOn: failOn === undefined ? [] : severities.slice(0, severities.indexOf(failOn) + 1),
    minScore: minScore === undefined ? undefined : readCount('--min-score', minScore, 0, 100),
  };
}

const unitS = { '': 1, s: 1, m: 60, h: 3600, d: 86_400 } as const;

/** Reads a length of time such as 90, 30m, 1h or 7d, in seconds. Throws UsageError that names the option. */
export function readTime(name: string, text: string): number {
  const [, count, unit = ''] = /^(\d{1,6})([smhd]?)$/.exec(text) ?? [];
  if (count === undefined)
    throw new UsageError(`${name}: "${text}" is not a length of time: give 90, 30m, 1h or 7d.`);
  return Number(count) * unitS[unit as keyof typeof unitS];
}

function readCount(name: string, text: string, least: number, most: number): number {
  const count = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  if (count >= least && count <= most) return count;
  throw new UsageError(`${name}: "${text}" is not a whole number from ${least} to ${most}.`);
}
