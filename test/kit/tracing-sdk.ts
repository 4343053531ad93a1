import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = new URL('../../deploy/tracing/', import.meta.url);

/** Whether OpenTelemetry's SDK is installed beside the clone: `npm ci --prefix deploy/tracing --ignore-scripts`. */
export const hasTracingSdk = existsSync(new URL('node_modules/@opentelemetry/sdk-node/package.json', folder));

/** Options of Node that load it into a service. */
export const withTracingSdk: readonly string[] = ['--import', fileURLToPath(new URL('register.js', folder))];

/** Settings of OpenTelemetry for a collector that reads JSON, asked at once. */
export const tracingTo = (url: string): Readonly<Record<string, string>> => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: url,
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  OTEL_BSP_SCHEDULE_DELAY: '200',
});
