import type { Response } from 'express';
import { type Problem, problems } from '#shared/model/problem';
import type { Logger } from '#shared/telemetry/logger';
import { noteSubject, requestIdOf, type Telemetry } from '../request/request-log.ts';

const oncePerMs = 60_000;

/** When each kind of refusal was last told of, by the log of the process. */
const toldAt = new WeakMap<Logger, Map<string, number>>();

/** Counts a problem that is answered, names it in the line of its request, and sees that the log has the cause of a 503. */
export function tellProblem({ log, metrics }: Telemetry, problem: Problem, response: Response): void {
  const { code, policy } = problem;
  if (code === 'rate_limited') metrics?.rateLimited(policy ?? 'unknown');
  metrics?.problem(code);
  noteSubject(response, { problem: code });
  if (problems[code].status === 503) tellRefusal(log, problem, requestIdOf(response));
}

/** One line of a kind and minute: an outage may refuse thousands of requests. */
function tellRefusal(log: Logger, problem: Problem, requestId: string): void {
  const { code, detail, cause } = problem;
  const kind = `${code} ${firstWordsOf(detail)}`;
  const told = toldAt.get(log) ?? new Map<string, number>();
  toldAt.set(log, told);
  const now = performance.now();
  if (now - (told.get(kind) ?? Number.NEGATIVE_INFINITY) < oncePerMs) return;
  told.set(kind, now);
  const fields = { problem: code, requestId, detail, ...(cause === undefined ? {} : { err: cause }) };
  if (code === 'shutting_down') log.info(fields, 'requests are refused');
  else log.warn(fields, 'requests are refused');
}

// One code has several reasons. The words further on may name a host, of which there are any number.
function firstWordsOf(detail: string): string {
  return detail.split(' ', 4).join(' ');
}
