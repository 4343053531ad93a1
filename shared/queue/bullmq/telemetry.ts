import { AsyncLocalStorage } from 'node:async_hooks';
import { type Span as BullSpan, SpanKind, type Telemetry } from 'bullmq';
import type { Span, Tracing } from '../../ports/tracing.ts';
import { parseTraceparent } from '../../telemetry/tracing/traceparent.ts';

/** A traceparent; "" where there is none. */
type Context = string;

/** What BullMQ tells of its jobs, as spans of ours, and the place in the trace where the work at hand stands. */
export type QueueTelemetry = {
  /** For the options of every queue and worker. */
  readonly bullmq: Telemetry<Context>;
  /** Does something inside a span: what BullMQ adds then belongs to it. */
  within<T>(trace: string | undefined, act: () => T): T;
  /** The traceparent of the span around this work; undefined where there is none. */
  current(): string | undefined;
};

/**
 * Opens BullMQ's telemetry over our own tracing. It begins no trace: what belongs to no request (fetching, pausing, looking for lost
 * jobs) is not told. Of the metadata in Redis, which anybody who can write there chooses, only a traceparent is read.
 */
export function openQueueTelemetry(tracing: Tracing): QueueTelemetry {
  const place = new AsyncLocalStorage<Context>();
  const active = () => place.getStore() ?? '';
  return {
    within: (trace, act) => (trace === undefined ? act() : place.run(trace, act)),
    current: () => active() || undefined,
    bullmq: {
      contextManager: {
        active,
        root: () => '',
        with: (context: Context, act) => place.run(context, act) as ReturnType<typeof act>,
        getMetadata: (context: Context) => context,
        fromMetadata: (_context: Context, metadata) => (parseTraceparent(metadata) ? metadata : ''),
      },
      tracer: {
        startSpan(name, { kind } = { kind: SpanKind.INTERNAL }, context) {
          // A worker's loop goes on in the context of the job before: a job's own place comes from Redis alone.
          if (kind === SpanKind.CONSUMER) return told(tracing, { name, kind: 'consumer', parent: context });
          const isAdding = kind === SpanKind.PRODUCER;
          return isAdding ? told(tracing, { name, kind: 'producer', parent: context ?? active() }) : untold;
        },
      },
    },
  };
}

type SpanStart = {
  readonly name: string;
  readonly kind: 'producer' | 'consumer';
  readonly parent: Context | undefined;
};

function told(tracing: Tracing, { parent, ...wish }: SpanStart): BullSpan<Context> {
  if (!parent) return outside;
  const span = tracing.start({ ...wish, parent, attributes: { 'messaging.system': 'bullmq' } });
  return bullSpanOf(span);
}

function bullSpanOf(span: Span): BullSpan<Context> {
  let failure: string | undefined;
  return {
    setSpanOnContext: () => span.traceparent,
    setAttribute: (name, value) => span.set({ [name]: textOf(value) }),
    setAttributes: (attributes) =>
      span.set(Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, textOf(value)]))),
    addEvent(name) {
      if (name === 'job failed') failure = 'failed';
    },
    recordException(exception) {
      const { name, code } = typeof exception === 'string' ? {} : { name: '', code: '', ...exception };
      failure = String(code || name || 'error');
    },
    end: () => span.end(failure),
  };
}

function textOf(value: unknown): string | number | boolean | undefined {
  if (value === undefined || typeof value === 'number' || typeof value === 'boolean') return value;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const nothing = () => undefined;
const silent = {
  setAttribute: nothing,
  setAttributes: nothing,
  addEvent: nothing,
  recordException: nothing,
  end: nothing,
};
/** Work that is not told, and changes nothing of where we are. */
const untold: BullSpan<Context> = { ...silent, setSpanOnContext: (context: Context) => context };
/** A job that belongs to no trace. */
const outside: BullSpan<Context> = { ...silent, setSpanOnContext: () => '' };
