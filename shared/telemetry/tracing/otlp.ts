import {
  type Attributes as OtelAttributes,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { randomId } from '../../model/job.ts';
import type { Attributes, Span, SpanWish, Tracing } from '../../ports/tracing.ts';
import type { SamplerName } from '../../settings/tracing.ts';
import type { Logger } from '../logger.ts';
import { openOutbox } from './outbox.ts';
import { parseTraceparent, printTraceparent } from './traceparent.ts';

export type OtlpSettings = {
  /** Of the collector: ".../v1/traces". */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly resource: Readonly<Record<string, string>>;
  readonly sampler: { readonly name: SamplerName; readonly ratio: number };
  readonly takesIncoming: boolean;
  readonly log: Logger;
};

/** Retries included; spans of a request that ends later are given up. */
const sendWithinMs = 5000;
const sendEveryMs = 1000;
const spansOfRequest = 512;
/** Requests at once; only the end of the process makes more than one. */
const requestsAtOnce = 8;
const closeWithinMs = 3000;

/** What one span may hold: a name that a target chose is cut, not the trace. */
const spanLimits = { attributeCountLimit: 40, attributeValueLengthLimit: 512, linkCountLimit: 1 };

/** Opens the OpenTelemetry SDK over OTLP/HTTP (JSON). Nothing of it is registered globally, so no other package's spans come along. */
export function openOtlpTracing(settings: OtlpSettings): Tracing {
  const { url, headers, takesIncoming, log } = settings;
  const outbox = openOutbox(log);
  const exporter = new OTLPTraceExporter({
    url,
    headers: { ...headers },
    timeoutMillis: sendWithinMs,
    concurrencyLimit: requestsAtOnce,
  });
  const processor = new BatchSpanProcessor({
    exporter: outbox.watch(exporter),
    maxExportBatchSize: spansOfRequest,
    scheduledDelayMillis: sendEveryMs,
    exportTimeoutMillis: 2 * sendWithinMs,
    // The outbox holds fewer.
    maxQueueSize: 10_000,
  });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.instance.id': randomId(), ...settings.resource }),
    sampler: samplerOf(settings.sampler),
    spanProcessors: [outbox.bound(processor)],
    spanLimits,
  });
  const tracer = provider.getTracer('diagnostic-tools');
  return {
    takesIncoming,
    counts: () => outbox.counts(),
    start(wish) {
      const parent = contextOf(wish.parent);
      const context = parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
      return spanOf(tracer.startSpan(wish.name, optionsOf(wish), context));
    },
    async close() {
      const late = Promise.withResolvers<void>();
      const timer = setTimeout(late.resolve, closeWithinMs);
      // What fails here was counted and told by the outbox.
      await Promise.race([provider.shutdown().catch(() => undefined), late.promise]);
      clearTimeout(timer);
    },
  };
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
    end(failure) {
      if (!isSampled) return;
      if (failure !== undefined)
        span.setAttribute('error.type', failure).setStatus({ code: SpanStatusCode.ERROR });
      span.end(performance.now());
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

function samplerOf({ name, ratio }: OtlpSettings['sampler']): Sampler {
  const roots = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: () => new TraceIdRatioBasedSampler(ratio),
  } as const;
  const [, isOfParent, root] = /^(parentbased_)?(.+)$/.exec(name) ?? [];
  const sampler = roots[root as keyof typeof roots]();
  return isOfParent === undefined ? sampler : new ParentBasedSampler({ root: sampler });
}
