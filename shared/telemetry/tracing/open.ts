import type { Tracing } from '../../ports/tracing.ts';
import type { Config } from '../../settings/config.ts';
import type { Logger } from '../logger.ts';

/** Opens what sends traces, or nothing: without OTEL_EXPORTER_OTLP_ENDPOINT no line of the SDK is loaded. @param role "api", "worker" or "serve" */
export async function openTracing(config: Config, role: string, log: Logger): Promise<Tracing | undefined> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_RESOURCE_ATTRIBUTES: attributes } = config;
  if (endpoint === undefined) return undefined;
  const { openOtlpTracing } = await import('./otlp.ts');
  const service = config.OTEL_SERVICE_NAME ?? attributes?.['service.name'] ?? `diagnostic-tools-${role}`;
  return openOtlpTracing({
    url: `${endpoint}/v1/traces`,
    headers: config.OTEL_EXPORTER_OTLP_HEADERS ?? {},
    resource: { ...attributes, 'service.name': service },
    sampler: { name: config.OTEL_TRACES_SAMPLER, ratio: config.OTEL_TRACES_SAMPLER_ARG },
    takesIncoming: config.TRACE_INCOMING,
    log,
  });
}
