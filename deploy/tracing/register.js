// node --import ./deploy/tracing/register.js cli/diag.js serve: sends the spans of this process by OpenTelemetry's own SDK and settings (OTEL_*).
import process from 'node:process';

const [, file = '', role = ''] = process.argv;

// Not in the process that reads what targets send, nor in a browser's: they inherit the options of Node, and hand their questions on.
if (/[\\/]diag(?:\.js)?$/.test(file) && ['serve', 'api', 'worker'].includes(role)) {
  const { NodeSDK } = await import('@opentelemetry/sdk-node');
  const { env } = process;
  // A name among the attributes is the operator's as well.
  if (!/\bservice\.name=/.test(env.OTEL_RESOURCE_ATTRIBUTES ?? ''))
    env.OTEL_SERVICE_NAME ||= `diagnostic-tools-${role}`;
  // Prometheus asks /metrics, and the log is on stdout.
  env.OTEL_METRICS_EXPORTER ??= 'none';
  env.OTEL_LOGS_EXPORTER ??= 'none';
  env.OTEL_NODE_RESOURCE_DETECTORS ??= 'env,serviceinstance';
  // Names come from targets: a long one is cut.
  env.OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT ??= '512';
  // No instrumentation: the service begins its spans itself, and sends nothing of them to a target.
  new NodeSDK({ instrumentations: [] }).start();
}
