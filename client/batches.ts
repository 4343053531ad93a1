import type { AskOptions, ToolName } from './ask.ts';
import { type Connection, notTheService, readJson, send } from './exchange.ts';
import { DiagnosticsProblem } from './problem.ts';
import { isBatch, isBatchLine, isBatchList } from './shapes.ts';

/** Where a batch stands. The counts are disjoint and add up to `total`. */
export type BatchStanding = {
  readonly batchId: string;
  readonly check: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly label: string | null;
  readonly state: 'running' | 'done' | 'cancelled';
  readonly createdAt: string;
  readonly endedAt: string | null;
  readonly expiresAt: string;
  readonly total: number;
  readonly waiting: number;
  readonly running: number;
  readonly done: number;
  readonly refused: number;
  readonly failed: number;
  readonly cancelled: number;
  /** Targets that ended in the last minute; null where that is not known. */
  readonly perMinute: number | null;
  readonly remainingSeconds: number | null;
};

/** A problem document, as it stands in a line. */
export type LineProblem = { readonly code: string; readonly title?: string; readonly detail?: string };

/** How one target of a batch ended. */
export type BatchLine<Report> = {
  /** Of the target, from 0. */
  readonly index: number;
  /** As it was given. */
  readonly target: string;
  /** What `after` takes. */
  readonly cursor: string;
  readonly outcome: 'done' | 'refused' | 'failed' | 'cancelled';
  readonly report: Report | null;
  readonly problem: LineProblem | null;
};

/** How a batch is asked for; the options of the check stand beside. */
export type BatchOptions = Pick<AskOptions, 'fresh' | 'maxAgeS' | 'signal'> & {
  readonly label?: string;
  /** The same request with the same key makes one batch; drawn where left out, so that a repeat after a broken connection makes no second one. */
  readonly idempotencyKey?: string;
};

export type ResultOptions = {
  /** The cursor of the last line that was read. */
  readonly after?: string;
  readonly signal?: AbortSignal;
};

/** A batch that was started, or found by its id. */
export type BatchHandle<Report> = {
  readonly batchId: string;
  /** Where it stands. @param waitS until it has ended, at most 55 */
  show(options?: { readonly waitS?: number; readonly signal?: AbortSignal }): Promise<BatchStanding>;
  /** A line for each target, as they end, until all have ended. */
  results(options?: ResultOptions): AsyncGenerator<BatchLine<Report>, void, void>;
  /** Cancels what waits; what has ended stays readable. */
  cancel(options?: { readonly signal?: AbortSignal }): Promise<void>;
};

/** Starts a batch. */
export async function startBatch(
  connection: Connection,
  { tool, targets }: { readonly tool: ToolName; readonly targets: readonly string[] },
  { label, fresh, maxAgeS, signal, idempotencyKey = crypto.randomUUID(), ...options }: BatchOptions,
): Promise<BatchStanding> {
  const body = {
    check: tool,
    targets,
    ...(Object.keys(options).length > 0 ? { options } : {}),
    ...(label === undefined ? {} : { label }),
    ...(fresh === true ? { fresh } : {}),
    ...(maxAgeS === undefined ? {} : { maxAge: maxAgeS }),
  };
  const answer = await send(connection, {
    path: '/api/batches',
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
    points: 0,
    signal,
    onProgress: undefined,
  });
  const status = answer.status === 201 ? 200 : answer.status;
  return readJson(connection, { status, text: answer.text }, isBatch) as BatchStanding;
}

/** The batches of the account, newest first. */
export async function* listBatches(
  connection: Connection,
  signal?: AbortSignal,
): AsyncGenerator<BatchStanding, void, void> {
  let before: string | null = '';
  while (before !== null) {
    const path: string = `/api/batches?limit=100${before === '' ? '' : `&before=${encodeURIComponent(before)}`}`;
    const answer = await get(connection, path, signal);
    const page = readJson(connection, answer, isBatchList) as {
      readonly batches: readonly BatchStanding[];
      readonly next: string | null;
    };
    if (page.next === before || (page.next !== null && page.batches.length === 0))
      throw notTheService(connection, 'Its list leads back to itself.');
    yield* page.batches;
    before = page.next;
  }
}

/** Lines that are held at once: some megabytes. */
const linesAtOnce = 100;

/** A batch by its id; nothing is sent until a method is called. */
export function openBatch<Report>(connection: Connection, batchId: string): BatchHandle<Report> {
  const path = `/api/batches/${encodeURIComponent(batchId)}`;
  return {
    batchId,
    async show({ waitS = 0, signal } = {}) {
      const answer = await get(connection, waitS > 0 ? `${path}?wait=${waitS}` : path, signal);
      return readJson(connection, answer, isBatch) as BatchStanding;
    },
    async *results({ after = '0', signal } = {}) {
      const wishes = { points: 0, signal, onProgress: undefined };
      for (let last = after; ;) {
        // Asked before the lines: what has ended by then is in them, however long they take.
        const { state, endedAt } = await this.show(signal ? { signal } : {});
        const answer = await send(connection, {
          ...wishes,
          path: `${path}/results?after=${last}&wait=25&limit=${linesAtOnce}`,
        });
        const lines = readLines<Report>(connection, answer);
        for (const line of lines) {
          yield line;
          last = line.cursor;
        }
        if (lines.length === 0 && state !== 'running' && endedAt !== null) return;
      }
    },
    async cancel({ signal } = {}) {
      const wishes = { points: 0, signal, onProgress: undefined };
      const { status } = await send(connection, { ...wishes, path, method: 'DELETE' });
      if (status !== 204) throw notTheService(connection, `It answered ${status} to a cancellation.`);
    },
  };
}

function get(connection: Connection, path: string, signal: AbortSignal | undefined) {
  return send(connection, { path, points: 0, signal, onProgress: undefined });
}

function readLines<Report>(
  connection: Connection,
  { status, text }: { readonly status: number; readonly text: string },
): readonly BatchLine<Report>[] {
  // What breaks off was not all: a whole line ends with a line feed.
  const lines = text.split('\n').slice(0, -1);
  return lines.map((line) => readJson(connection, { status, text: line }, isBatchLine) as BatchLine<Report>);
}

/** The problem of a line, as it would have been thrown for a single target. */
export function problemOf({ problem, outcome }: BatchLine<unknown>): DiagnosticsProblem {
  const { code = outcome, ...rest } = problem ?? {};
  const status = problem && 'status' in problem ? Number(problem.status) : 0;
  return new DiagnosticsProblem(status, { code, ...rest }, undefined);
}
