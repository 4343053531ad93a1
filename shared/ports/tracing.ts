/** Facts of a span, under the names of OpenTelemetry's semantic conventions where they have one. What is undefined is left out. */
export type Attributes = { readonly [name: string]: string | number | boolean | undefined };

export type SpanKind = 'server' | 'client' | 'producer' | 'consumer' | 'internal';

export type SpanWish = {
  /** From a fixed list: nothing that a target or a caller chose. */
  readonly name: string;
  readonly kind: SpanKind;
  /** The traceparent of the span that this one belongs to; left out, it begins a trace. */
  readonly parent?: string | undefined;
  /** The traceparent of a span of another trace that led to this one. */
  readonly link?: string | undefined;
  /** When it began, by `performance.now()`, or ms since 1970 where another process says it; left out: now. */
  readonly startedAt?: number;
  readonly attributes?: Attributes;
};

/** A piece of work that is under way. */
export type Span = {
  /** Its place in the trace, for what it starts. */
  readonly traceparent: string;
  /** From a fixed list, as the name it began with. */
  rename(name: string): void;
  set(attributes: Attributes): void;
  /** Ends it, once. @param failure what kind of error ended it, a short code; left out where none did. @param endedAt as `startedAt` */
  end(failure?: string, endedAt?: number): void;
};

/** Where traces go. A process without an SDK has none of it: `tracing?.start(…)` costs it one comparison. */
export type Tracing = {
  /** True where the trace of a caller's own traceparent is gone on with; else a new one begins, with a link to it. */
  readonly takesIncoming: boolean;
  /** Never throws and never waits. */
  start(wish: SpanWish): Span;
  /** Sends what is left, for at most three seconds. */
  close(): Promise<void>;
};
