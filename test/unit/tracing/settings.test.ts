import { expect, test } from 'vitest';
import { readConfig } from '#shared/settings/config';

const read = (name: string, value: string): unknown => {
  const config: Readonly<Record<string, unknown>> = readConfig({ [name]: value });
  return config[name];
};

const good: readonly (readonly [name: string, value: string, read: unknown])[] = [
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://collector:4318/', 'http://collector:4318'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'https://api.example/otlp', 'https://api.example/otlp'],
  // The specification's own example of percent-encoding.
  [
    'OTEL_EXPORTER_OTLP_HEADERS',
    'Authorization=Basic%20YTpi, x-tenant = a',
    { Authorization: 'Basic YTpi', 'x-tenant': 'a' },
  ],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'key=a=b', { key: 'a=b' }],
  [
    'OTEL_RESOURCE_ATTRIBUTES',
    'deployment.environment.name=test,team=a%2Cb',
    { 'deployment.environment.name': 'test', team: 'a,b' },
  ],
  ['OTEL_TRACES_SAMPLER', 'traceidratio', 'traceidratio'],
  ['OTEL_TRACES_SAMPLER_ARG', '0.25', 0.25],
  ['OTEL_TRACES_SAMPLER_ARG', '1.0', 1],
  ['OTEL_TRACES_SAMPLER_ARG', '.5', 0.5],
];
test.for(good)('%s=%s is read', ([name, value, expected]) => {
  expect(read(name, value)).toEqual(expected);
});

const bad: readonly (readonly [name: string, value: string])[] = [
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://user:secret@collector:4318'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'secret'],
  ['OTEL_EXPORTER_OTLP_HEADERS', '=secret'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'a key=secret'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'key=secret%0d%0aX: 1'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'key=%secret'],
  ['OTEL_RESOURCE_ATTRIBUTES', 'team'],
  ['OTEL_TRACES_SAMPLER', 'jaeger_remote'],
  ['OTEL_TRACES_SAMPLER_ARG', '1.1'],
  ['OTEL_TRACES_SAMPLER_ARG', 'half'],
];
test.for(bad)('%s=%s is refused by name, and no secret is quoted', ([name, value]) => {
  expect(() => read(name, value)).toThrow(`  ${name}: `);
  expect(() => read(name, value)).not.toThrow('secret');
});
