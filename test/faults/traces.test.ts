import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OtlpReceiver, openOtlpReceiver, wayOfRedirectCheck, wayUp } from '../kit/otlp-receiver.ts';
import { hasRedis } from '../kit/redis.ts';
import { hasTracingSdk, tracingTo, withTracingSdk } from '../kit/tracing-sdk.ts';
import { type Fleet, get, openFleet } from './fleet.ts';

const wayOfQuestion = [
  'DNS question',
  'run domain-visit',
  'process network',
  'add network.domain-visit',
  'run domain-health',
  'process composite',
  'add composite.domain-health',
  'GET /api/tools/domain-health/:domain',
];

describe.skipIf(!hasRedis || !hasTracingSdk)('traces over API and worker processes', () => {
  let collector: OtlpReceiver;
  let fleet: Fleet;
  beforeAll(async () => {
    collector = await openOtlpReceiver();
    fleet = await openFleet({
      hosts: 2,
      answer: (_request, response) => void response.end('hello'),
      // The runner process inherits the options, and takes no part in it.
      settings: { ...tracingTo(collector.url), NODE_OPTIONS: withTracingSdk.join(' ') },
    });
  });
  afterAll(async () => {
    await fleet.close();
    await collector.close();
  });

  test('one trace leads from the GET over Redis to each request of the target, in another process', async () => {
    const [api, worker] = [await fleet.startApi(), await fleet.startWorker()];
    const answer = await get(api, 'http://t0.test/');
    expect(answer.status).toBe(200);
    const traceId = answer.headers.get('traceresponse')?.slice(3, 35);
    // API and worker send by their own clocks.
    const spans = (
      await collector.until((all) => {
        const ours = all.filter((span) => span.traceId === traceId);
        const isWhole = ours.every(
          ({ parentSpanId }) => parentSpanId === '' || ours.some(({ spanId }) => spanId === parentSpanId),
        );
        return isWhole && ours.some(({ name }) => name === 'HTTP request');
      })
    ).filter((span) => span.traceId === traceId);
    const requests = spans.filter(({ name }) => name === 'HTTP request');
    expect(requests).not.toEqual([]);
    for (const request of requests) expect(wayUp(spans, request)).toEqual(wayOfRedirectCheck);
    expect(spans.filter(({ parentSpanId }) => parentSpanId === '')).toHaveLength(1);
    expect(new Set(spans.map(({ resource }) => resource['service.name']))).toEqual(
      new Set(['diagnostic-tools-api', 'diagnostic-tools-worker']),
    );
    const ofRun = worker.lines.find((line) => line.includes('"msg":"job done"'));
    expect(JSON.parse(ofRun ?? '{}')).toMatchObject({ trace_id: traceId });
  });

  test('domain-health is one trace, with the visit and its questions below it', async () => {
    const [api] = [await fleet.startApi(), await fleet.startWorker()];
    const response = await fetch(`${api.url}/api/tools/domain-health/t1.test`);
    expect(response.status).toBe(200);
    const traceId = response.headers.get('traceresponse')?.slice(3, 35);
    const spans = (
      await collector.until((all) => {
        const ours = all.filter((span) => span.traceId === traceId);
        // API and worker send by their own clocks.
        const asked = ours.find(({ name }) => name === 'DNS question');
        return asked !== undefined && wayUp(ours, asked).length >= wayOfQuestion.length;
      })
    ).filter((span) => span.traceId === traceId);
    const question = spans.find(({ name }) => name === 'DNS question');
    expect(question && wayUp(spans, question)).toEqual(wayOfQuestion);
  });

  test('a process without work sends no span: nothing begins a trace but a request', async () => {
    const before = collector.spans.filter(({ parentSpanId }) => parentSpanId === '').length;
    const worker = await fleet.startWorker();
    worker.process.kill('SIGTERM');
    await new Promise((resolve) => worker.process.once('exit', resolve));
    expect(collector.spans.filter(({ parentSpanId }) => parentSpanId === '')).toHaveLength(before);
  });
});
