import type { ProblemCode } from '#shared/model/problem';
import type { Span } from '#shared/ports/tracing';

/** What an answer is about, for its log line. */
export type Subject = {
  /** The job that the request started, joined or asked for. */
  readonly jobId?: string;
  readonly reportId?: string;
  /** The code of the Problem that was the answer. */
  readonly problem?: ProblemCode;
};

/** A request and its answer, for its log line and its span. */
export type AnsweredRequest = Subject & {
  /** Its span, where requests are traced. */
  readonly span: Span | undefined;
  readonly requestId: string;
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly start: number;
  readonly cache: unknown;
};
