import {
  type Attributes as OtelAttributes,
  type Span as OtelSpan,
  type ProxyTracerProvider,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import type { Attributes, Span, SpanWish, Tracing } from '../../ports/tracing.ts';
import { parseTraceparent, printTraceparent } from './traceparent.ts';

/** What an SDK has beside what OpenTelemetry's interface promises: the end of a process sends what is left. */
type Sdk = { forceFlush(): Promise<void> };

const closeWithinMs = 3000;

/**
 * Opens spans over the SDK that was loaded before the service, as `deploy/tracing/register.js` does it; undefined without one.
 * @param takesIncoming goes on with a caller's trace (TRACE_INCOMING)
 */
export function openTracing(takesIncoming: boolean): Tracing | undefined {
  const sdk = findSdk();
  if (!sdk) return undefined;
  const tracer = trace.getTracer('diagnostic-tools');
  return {
    takesIncoming,
    start(wish) {
      const parent = contextOf(wish.parent);
      const context = parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
      return spanOf(tracer.startSpan(wish.name, optionsOf(wish), context));
    },
    async close() {
      const late = Promise.withResolvers<void>();
      const timer = setTimeout(late.resolve, closeWithinMs);
      // The SDK reports an unavailable collector, which must not delay the end of the process.
      await Promise.race([sdk.forceFlush().catch(() => undefined), late.promise]);
      clearTimeout(timer);
    },
  };
}

function findSdk(): Sdk | undefined {
  // It was registered by the SDK's own copy of this package, so that no class of ours tells what it is.
  const given: Partial<ProxyTracerProvider> = trace.getTracerProvider();
  const provider: unknown = given.getDelegate?.() ?? given;
  return typeof (provider as Partial<Sdk>).forceFlush === 'function' ? (provider as Sdk) : undefined;
}

const kinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
} as const;

function optionsOf({ kind, link, startedAt = performance.now(), attributes = {} }: SpanWish) {
  const linked = contextOf(link);
  return {
    kind: kinds[kind],
    startTime: startedAt,
    attributes: wellFormed(attributes),
    links: linked ? [{ context: linked }] : [],
  };
}

function contextOf(traceparent: string | undefined): SpanContext | undefined {
  const place = parseTraceparent(traceparent);
  if (!place) return undefined;
  const { traceId, spanId, isSampled } = place;
  return { traceId, spanId, traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE, isRemote: true };
}

function spanOf(span: OtelSpan): Span {
  const { traceId, spanId, traceFlags } = span.spanContext();
  const isSampled = (traceFlags & TraceFlags.SAMPLED) !== 0;
  return {
    traceparent: printTraceparent({ traceId, spanId, isSampled }),
    rename(name) {
      span.updateName(name);
    },
    set(attributes) {
      if (isSampled) span.setAttributes(wellFormed(attributes));
    },
    end(failure, endedAt = performance.now()) {
      if (!isSampled) return;
      if (failure !== undefined)
        span.setAttribute('error.type', failure).setStatus({ code: SpanStatusCode.ERROR });
      span.end(endedAt);
    },
  };
}

// A lone surrogate of a hostile name would make a collector refuse the whole request.
function wellFormed(attributes: Attributes): OtelAttributes {
  return Object.fromEntries(
    Object.entries(attributes).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, typeof value === 'string' ? value.toWellFormed() : value]],
    ),
  );
}
