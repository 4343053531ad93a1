import { z } from 'zod';

const text = z.string().min(1);

/** What decides which traces are sent, by OTEL_TRACES_SAMPLER. */
export const samplerNames = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;
export type SamplerName = (typeof samplerNames)[number];

const collectorUrl = text
  .refine((value) => {
    const url = URL.parse(value);
    return url !== null && /^https?:$/.test(url.protocol) && url.href === url.origin + url.pathname;
  }, 'must be an http or https URL without user, query and fragment, such as http://collector:4318')
  .transform((value) => value.replace(/\/+$/, ''));

/** Pairs as the OpenTelemetry specification writes them (W3C Baggage): "a=1,b=two%20words". Never quoted in a message: headers hold keys. */
function pairs(isName: (name: string) => boolean, isValue: (value: string) => boolean) {
  return text.transform((value, context): Readonly<Record<string, string>> => {
    const read = value
      .split(',')
      .filter((pair) => pair.trim() !== '')
      .map(readPair);
    if (read.every((pair) => pair !== undefined && isName(pair[0]) && isValue(pair[1])))
      return Object.fromEntries(read.filter((pair) => pair !== undefined));
    context.addIssue({
      code: 'custom',
      message: 'must be name=value pairs, comma separated, with other characters percent-encoded',
    });
    return z.NEVER;
  });
}

function readPair(pair: string): readonly [name: string, value: string] | undefined {
  const at = pair.indexOf('=');
  if (at < 1) return undefined;
  try {
    return [decodeURIComponent(pair.slice(0, at).trim()), decodeURIComponent(pair.slice(at + 1).trim())];
  } catch {
    return undefined; // a "%" that encodes nothing
  }
}

const headers = pairs(
  (name) => /^[\w!#$%&'*+.^`|~-]+$/.test(name),
  (value) => /^[\t\x20-\x7e]*$/.test(value),
);
const attributes = pairs(
  (name) => name.length <= 255 && !/\p{Cc}/u.test(name),
  (value) => value.length <= 255,
);
const ratio = text
  .regex(/^(?:0|1|[01]?\.\d{1,9}|[01]\.\d{0,9})$/, 'must be a number from 0 to 1')
  .transform(Number)
  .refine((number) => number <= 1, 'must be a number from 0 to 1');

/** The settings of tracing; their names and meanings are those of the OpenTelemetry specification. */
export const tracingSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: collectorUrl.optional(),
  OTEL_EXPORTER_OTLP_HEADERS: headers.optional(),
  OTEL_SERVICE_NAME: text.max(255).optional(),
  OTEL_RESOURCE_ATTRIBUTES: attributes.optional(),
  OTEL_TRACES_SAMPLER: z.enum(samplerNames).default('parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: ratio.default(1),
} as const;
