import { afterAll, beforeAll, describe, test } from 'vitest';
import { openOtlpReceiver } from '../../kit/otlp-receiver.ts';
import { startService } from '../../kit/service-process.ts';
import { type Lab, openLab } from '../kit/lab.ts';

const redirectCheck = `redirect-check?url=${encodeURIComponent('http://a.test/')}`;

// Each waits until its process has given a request up.
describe.concurrent('a collector that', () => {
  let lab: Lab;
  beforeAll(async () => {
    lab = await openLab({ sites: { 'http://a.test': (_request, response) => response.end('hello') } });
  });
  afterAll(() => lab.close());

  test.for([
    ['refuses', 'closed'],
    ['never answers', 'hang'],
    ['answers 500', 500],
    ['answers 503', 503],
  ] as const)('%s is told once, and nothing waits for it', async ([, how], { expect, onTestFinished }) => {
    const collector = await openOtlpReceiver();
    onTestFinished(() => collector.close());
    if (how !== 'closed') collector.answer(how);
    const endpoint = how === 'closed' ? 'http://127.0.0.1:9' : collector.url;
    const service = await startService({
      program: process.execPath,
      args: ['cli/diag.js', 'serve'],
      environment: lab.settings({
        LOG_LEVEL: 'info',
        RATE_LIMIT: 'off',
        OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      }),
    });
    onTestFinished(() => {
      service.kill('SIGKILL');
    });
    const ask = async (query = '') =>
      (await fetch(`${service.url}/api/tools/${redirectCheck}${query}`)).status;
    for (let turn = 0; turn < 3; turn += 1) expect(await ask('&fresh=1')).toBe(200);
    const told = () => service.lines.filter((line) => line.includes('trace collector does not accept'));
    await expect.poll(told, { timeout: 30_000 }).toHaveLength(1);
    expect(await ask()).toBe(200);
    const metrics = await (await fetch(`${service.adminUrl}/metrics`)).text();
    expect(metrics).toMatch(/diag_trace_spans_total\{outcome="failed"\} [1-9]/);
    service.kill('SIGTERM');
    expect(await service.closed).toBe(0);
    expect(told()).toHaveLength(1);
  });
});
