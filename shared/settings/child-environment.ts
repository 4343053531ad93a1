import { fileSettingOf } from './secret-files.ts';

const hidden = ['REDIS_URL', 'MONGODB_URL'] as const;
/** Keys of a collector of traces. */
const hiddenOfTraces = ['OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_EXPORTER_OTLP_TRACES_HEADERS'];

/** The environment of this process without the way to queue, store and collector, for a child that reads what targets send. An empty setting counts as unset. */
export function environmentWithoutBackend(): Readonly<Record<string, string | undefined>> {
  const names = [...hidden, ...hidden.map(fileSettingOf), ...hiddenOfTraces];
  return { ...process.env, ...Object.fromEntries(names.map((name) => [name, ''])) };
}

/** Options of Node that this process was started with and its children get too: on the command line, and of NODE_OPTIONS. */
export function nodeOptions(): string {
  return [...process.execArgv, process.env['NODE_OPTIONS'] ?? ''].join(' ');
}

/** Whether a collector of traces is named, by a setting of OpenTelemetry's SDK. */
export function namesCollector(): boolean {
  return Boolean(process.env['OTEL_EXPORTER_OTLP_ENDPOINT']);
}
