import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A span as it arrived at a collector. */
export type ArrivedSpan = {
  readonly traceId: string;
  readonly spanId: string;
  /** "" for the first span of a trace. */
  readonly parentSpanId: string;
  readonly name: string;
  /** 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  readonly kind: number;
  /** 0 unset, 2 error. */
  readonly status: number;
  readonly ms: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly links: readonly string[];
  readonly resource: Readonly<Record<string, unknown>>;
};

/** A collector on loopback that speaks OTLP/HTTP with JSON. */
export type OtlpReceiver = {
  readonly url: string;
  readonly spans: readonly ArrivedSpan[];
  /** Header fields of each request. */
  readonly requests: readonly IncomingHttpHeaders[];
  /** Most spans that came in one request. */
  readonly largest: () => number;
  /** How it answers from now on; "hang" never does. */
  answer(how: 'take' | 'hang' | number): void;
  /** Resolves when the spans that have come satisfy this; within 20 s. */
  until(isEnough: (spans: readonly ArrivedSpan[]) => boolean): Promise<readonly ArrivedSpan[]>;
  close(): Promise<void>;
};

type Value = {
  readonly stringValue?: string;
  readonly intValue?: string | number;
  readonly doubleValue?: number;
  readonly boolValue?: boolean;
};
type Pair = { readonly key: string; readonly value: Value };
type SentSpan = {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly status: { readonly code: number };
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Pair[];
  readonly links?: readonly { readonly traceId: string }[];
};
type Request = {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Pair[] };
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[];
  }[];
};

const untilMs = 20_000;

/** Opens the collector on a free port. */
export async function openOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ArrivedSpan[] = [];
  const requests: IncomingHttpHeaders[] = [];
  const listeners = new Set<() => void>();
  const hanging = new Set<ServerResponse>();
  let how: 'take' | 'hang' | number = 'take';
  let largest = 0;
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      requests.push(request.headers);
      if (how === 'hang') return void hanging.add(response);
      if (how !== 'take') return void response.writeHead(how).end('no');
      if (request.method !== 'POST' || request.url !== '/v1/traces')
        return void response.writeHead(404).end();
      const arrived = read(JSON.parse(body) as Request);
      largest = Math.max(largest, arrived.length);
      spans.push(...arrived);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      for (const listener of listeners) listener();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    requests,
    largest: () => largest,
    answer(next) {
      how = next;
    },
    async until(isEnough) {
      const enough = Promise.withResolvers<void>();
      const look = () => isEnough(spans) && enough.resolve();
      const seen = () =>
        JSON.stringify(
          spans.map(({ name, attributes }) => [name, attributes]),
          null,
          1,
        );
      const timer = setTimeout(() => enough.reject(new Error(`only these came: ${seen()}`)), untilMs);
      listeners.add(look);
      look();
      await enough.promise.finally(() => {
        clearTimeout(timer);
        listeners.delete(look);
      });
      return spans;
    },
    async close() {
      for (const response of hanging) response.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function read({ resourceSpans }: Request): ArrivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId ?? '',
        name: span.name,
        kind: span.kind,
        status: span.status.code,
        ms: Number(BigInt(span.endTimeUnixNano) - BigInt(span.startTimeUnixNano)) / 1e6,
        attributes: readPairs(span.attributes),
        links: (span.links ?? []).map(({ traceId }) => traceId),
        resource: readPairs(resource.attributes),
      })),
    ),
  );
}

function readPairs(pairs: readonly Pair[]): Record<string, unknown> {
  return Object.fromEntries(
    pairs.map(({ key, value }) => [
      key,
      value.stringValue ?? value.boolValue ?? Number(value.intValue ?? value.doubleValue),
    ]),
  );
}

/** The way from a request of a redirect-check up to the GET that asked for it. */
export const wayOfRedirectCheck: readonly string[] = [
  'HTTP request',
  'run redirect-check',
  'process network',
  'add network.redirect-check',
  'GET /api/tools/redirect-check',
];

/** The names from a span up to the first of its trace, itself first. */
export function wayUp(spans: readonly ArrivedSpan[], { traceId, parentSpanId, name }: ArrivedSpan): string[] {
  const parent = spans.find((each) => each.traceId === traceId && each.spanId === parentSpanId);
  return [name, ...(parent ? wayUp(spans, parent) : [])];
}
