import type { AnswerCache, KeptAnswer } from './answer-cache.ts';
import { type Tools, toolKinds } from './api-types.ts';
import { type Answer, type Connection, notTheService, type Progress, readJson, send } from './exchange.ts';
import { isJob, isReport, type Shape } from './shapes.ts';
import { wait } from './wait.ts';

export type ToolName = keyof Tools;

/** How one target is asked. */
export type AskOptions = {
  /** Ask the target again, also where a report is fresh. */
  readonly fresh?: boolean;
  /** Take a report up to so many seconds old, also past its freshness. */
  readonly maxAgeS?: number;
  /** Take only what is stored: else the problem `not_cached`. */
  readonly onlyIfCached?: boolean;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
  /** Asks every second how far the run is, and tells `onProgress`; true where that is given. Else only waits and repeats are reported. */
  readonly follows?: boolean;
};

const ownNames = new Set([
  'fresh',
  'maxAgeS',
  'onlyIfCached',
  'signal',
  'onProgress',
  'onLimits',
  'concurrency',
  'follows',
]);
const jobWaitS = 25;
/** Times that a job may be lost, or expire before its turn, until the caller learns of it. */
const roundLimit = 20;

export type AskParts = {
  readonly connection: Connection;
  readonly cache: AnswerCache;
  /** Points of the `scans` limit that a run of this tool costs. */
  readonly costOf: (tool: ToolName) => number;
};

/** The path and query of a tool's GET, without what says how fresh the answer must be. */
export function toolPath(tool: ToolName, target: string, options: object): string {
  const query = new URLSearchParams();
  const isUrl = toolKinds[tool] === 'url';
  if (isUrl) query.set('url', target);
  for (const [name, value] of Object.entries(options)) {
    if (ownNames.has(name) || value === undefined) continue;
    for (const item of [value].flat()) query.append(name, String(item));
  }
  const path = isUrl ? '' : `/${encodeURIComponent(target)}`;
  return `/api/tools/${tool}${path}${query.size > 0 ? `?${query.toString()}` : ''}`;
}

/** The report of a tool on a target: from the cache while it is fresh, else from the service, however long its run takes. */
export async function ask(
  asking: AskParts,
  tool: ToolName,
  target: string,
  options: AskOptions,
): Promise<unknown> {
  const { connection, cache } = asking;
  const path = toolPath(tool, target, options);
  const key = `${connection.server} ${fingerprint(connection.token)} ${path}`;
  const kept = await cache.get(key);
  const isPlain = options.fresh !== true && options.maxAgeS === undefined;
  const isAnswer: Shape = (value) => isReport(value) && (value as { readonly check: string }).check === tool;
  if (isPlain && kept && Date.now() < kept.freshUntil)
    return readJson(connection, { status: 200, text: kept.text }, isAnswer);
  const answer = await askServer(asking, tool, path, { ...options, etag: kept?.etag });
  const isSame = answer.status === 304 && kept !== undefined;
  const text = isSame ? kept.text : answer.text;
  const report = readJson(connection, { status: isSame ? 200 : answer.status, text }, isAnswer);
  const fresh = keptAnswerOf(answer, text, kept);
  if (fresh) await cache.set(key, fresh);
  return report;
}

/** Asks until there is a report: a run that takes long is waited for, one that was lost is asked for again. */
async function askServer(
  { connection, costOf }: AskParts,
  tool: ToolName,
  path: string,
  { etag, ...options }: AskOptions & { readonly etag: string | undefined },
): Promise<Answer> {
  const { onlyIfCached = false, signal, onProgress, follows = onProgress !== undefined } = options;
  const headers = {
    ...(onlyIfCached ? { 'cache-control': 'only-if-cached' } : {}),
    ...(etag === undefined ? {} : { 'if-none-match': etag }),
  };
  for (let round = 0; ; round++) {
    const answer = await send(connection, {
      path: withFreshness(path, { ...options, follows }, round),
      headers,
      points: onlyIfCached || round > 0 ? 0 : costOf(tool),
      signal,
      onProgress,
    });
    if (answer.status !== 202) return answer;
    if (round === roundLimit)
      throw notTheService(connection, `The run of ${tool} on this target was lost ${round} times.`);
    await followJob(connection, answer, { signal, onProgress, waitS: follows ? 1 : jobWaitS });
  }
}

function withFreshness(path: string, { fresh, maxAgeS, follows }: AskOptions, round: number): string {
  const wishes = [
    // The run that was waited for is fresh enough.
    ...(fresh === true && round === 0 ? ['fresh=1'] : []),
    ...(maxAgeS === undefined ? [] : [`maxAge=${maxAgeS}`]),
    ...(follows === true ? ['wait=0'] : []),
  ];
  return wishes.length === 0 ? path : `${path}${path.includes('?') ? '&' : '?'}${wishes.join('&')}`;
}

type JobState = {
  readonly id?: string;
  readonly state?: string;
  readonly position?: number;
  readonly progress?: Omit<Extract<Progress, { kind: 'running' }>, 'kind'>;
};

/** Waits until a job has ended, or is lost: then the original GET is repeated. */
async function followJob(
  connection: Connection,
  accepted: Answer,
  how: {
    readonly signal: AbortSignal | undefined;
    readonly onProgress: AskOptions['onProgress'];
    /** How long the service holds an answer that says nothing new. */
    readonly waitS: number;
  },
): Promise<void> {
  let job = readJson(connection, accepted, isJob, 202) as JobState;
  const id = encodeURIComponent(job.id ?? '');
  const path = `/api/jobs/${id}?wait=${how.waitS}`;
  for (let pauseMs = 0; ;) {
    tell(job, how.onProgress);
    if (pauseMs > 0) await wait(pauseMs, how.signal);
    const startedAt = performance.now();
    const answer = await send(connection, {
      path,
      points: 0,
      signal: how.signal,
      onProgress: how.onProgress,
    }).catch((error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'job_not_found') return undefined;
      throw error;
    });
    // 303: it has ended. A browser does not show where that leads, and calls it status 0.
    if (answer?.status !== 200) return;
    job = readJson(connection, answer, isJob) as JobState;
    if (job.state !== 'waiting' && job.state !== 'running') return;
    // A server that does not wait is not asked all the time.
    pauseMs = 500 - (performance.now() - startedAt);
  }
}

function tell({ state, position, progress }: JobState, onProgress: AskOptions['onProgress']): void {
  if (state === 'waiting') onProgress?.({ kind: 'waiting', position: position ?? 1 });
  else if (progress) onProgress?.({ kind: 'running', ...progress });
}

function keptAnswerOf(answer: Answer, text: string, kept: KeptAnswer | undefined): KeptAnswer | undefined {
  const etag = answer.headers.get('etag') ?? kept?.etag;
  if (etag === undefined) return undefined;
  const [, seconds] = /(?:^|[\s,])max-age=(\d{1,9})/.exec(answer.headers.get('cache-control') ?? '') ?? [];
  return { etag, text, freshUntil: Date.now() + Number(seconds ?? 0) * 1000 };
}

/** Tells answers to one token from those to another; says nothing of the token (FNV-1a). */
function fingerprint(token: string | undefined): string {
  let hash = 0x811c9dc5;
  for (const character of token ?? '')
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return hash.toString(36);
}
