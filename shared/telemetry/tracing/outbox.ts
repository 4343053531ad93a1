import type { BatchSpanProcessor, SpanExporter, SpanProcessor } from '@opentelemetry/sdk-trace';
import type { SpanCounts } from '../../ports/tracing.ts';
import type { Logger } from '../logger.ts';

/** What became of spans that ended, and the limit of those that wait. */
export type Outbox = {
  /** The same processor, which never holds more than so many spans, those on their way included. */
  bound(processor: BatchSpanProcessor): SpanProcessor;
  /** The same exporter; its outcomes are counted, and told when they change. */
  watch(exporter: SpanExporter): SpanExporter;
  counts(): SpanCounts;
};

/** A span holds about 2 kB, so these 8 MB at most. */
const heldLimit = 4096;

/** Opens the outbox of spans. */
export function openOutbox(log: Logger): Outbox {
  const counts = { sent: 0, failed: 0, dropped: 0 };
  let held = 0;
  let isAway = false;
  const settle = (spans: number, error: Error | undefined) => {
    held -= spans;
    counts[error ? 'failed' : 'sent'] += spans;
    if (isAway === (error !== undefined)) return;
    isAway = error !== undefined;
    if (error) log.warn({ err: error }, 'trace collector does not accept spans');
    else log.info({ ...counts }, 'trace collector accepts spans again');
  };
  return {
    counts: () => ({ ...counts }),
    bound: (processor) => ({
      forceFlush: () => processor.forceFlush(),
      shutdown: () => processor.shutdown(),
      onStart: () => undefined,
      onEnd(span) {
        if (held >= heldLimit) counts.dropped += 1;
        else {
          held += 1;
          processor.onEnd(span);
        }
      },
    }),
    watch: (exporter) => ({
      export(spans, tell) {
        exporter.export(spans, (outcome) => {
          // 0 is the SDK's SUCCESS.
          const error = outcome.code === 0 ? undefined : (outcome.error ?? new Error('not taken'));
          settle(spans.length, error);
          tell(outcome);
        });
      },
      shutdown: () => exporter.shutdown(),
    }),
  };
}
