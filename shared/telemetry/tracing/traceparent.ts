/** A place in a trace: the span that was under way when it was written down. */
export type TraceParent = {
  /** 32 hex digits, lower case, not all zero. */
  readonly traceId: string;
  /** 16 hex digits, lower case, not all zero. */
  readonly spanId: string;
  readonly isSampled: boolean;
};

const form = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/;

/**
 * Reads a traceparent (W3C Trace Context §3.2); undefined for anything else.
 * A version after 00 is read as 00, and may go on after another "-".
 * @param text of a header field, a job or Redis: "00-<trace id>-<span id>-01"
 */
export function parseTraceparent(text: unknown): TraceParent | undefined {
  if (typeof text !== 'string' || text.length > 512) return undefined;
  const [, version, traceId, spanId, flags = '', rest] = form.exec(text) ?? [];
  if (traceId === undefined || spanId === undefined) return undefined;
  if (version === '00' && rest !== undefined) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** The traceparent of a place, version 00. */
export function printTraceparent({ traceId, spanId, isSampled }: TraceParent): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
}

/** What a log line says of a place in a trace, under the names that log collectors know; nothing where there is none. @param traceparent one of ours */
export function traceFields(traceparent: string | undefined): {
  readonly trace_id?: string;
  readonly span_id?: string;
} {
  if (traceparent === undefined) return {};
  return { trace_id: traceparent.slice(3, 35), span_id: traceparent.slice(36, 52) };
}
