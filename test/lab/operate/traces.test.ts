import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type ArrivedSpan,
  type OtlpReceiver,
  openOtlpReceiver,
  wayOfRedirectCheck,
  wayUp,
} from '../../kit/otlp-receiver.ts';
import { type ServiceProcess, startService } from '../../kit/service-process.ts';
import { hasTracingSdk, tracingTo, withTracingSdk } from '../../kit/tracing-sdk.ts';
import { type Lab, openLab } from '../kit/lab.ts';

const foreign = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };
const traceparent = `00-${foreign.traceId}-${foreign.spanId}-01`;
/** A line of standard output for each part of the SDK that is loaded. */
const tellLoads = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  registerHooks({
    load(url, context, next) {
      if (/@opentelemetry\\/(sdk|exporter|otlp|resources|core)/.test(url)) process.stdout.write('loaded ' + process.argv[1] + ' ' + url + '\\n');
      return next(url, context);
    },
  });
`)}`;

describe.skipIf(!hasTracingSdk)('traces of one process', () => {
  let collector: OtlpReceiver;
  let lab: Lab;
  let seen: string[];
  /** Requests that the target got. */
  let asked: number;
  let service: ServiceProcess | undefined;
  beforeEach(async () => {
    seen = [];
    asked = 0;
    collector = await openOtlpReceiver();
    lab = await openLab({
      sites: {
        'http://a.test': (request, response) => {
          asked += 1;
          seen.push(...Object.keys(request.headers));
          if (request.url === '/secret-path?token=secret')
            response.writeHead(302, { location: '/next-secret' });
          response.end('hello');
        },
      },
    });
  });
  afterEach(async () => {
    service?.kill('SIGKILL');
    await service?.closed;
    service = undefined;
    await Promise.all([collector.close(), lab.close()]);
  });

  const start = async (more: Readonly<Record<string, string>> = {}, options: readonly string[] = []) => {
    service = await startService({
      program: process.execPath,
      args: ['--import', tellLoads, ...options, 'cli/diag.js', 'serve'],
      environment: lab.settings({ LOG_LEVEL: 'info', RATE_LIMIT: 'off', ...more }),
    });
    return service;
  };
  const traced = (more: Readonly<Record<string, string>> = {}) =>
    start({ ...tracingTo(collector.url), ...more }, withTracingSdk);
  const ask = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    fetch(`${service?.url}/api/tools/${path}`, { headers });
  const redirectCheck = `redirect-check?url=${encodeURIComponent('http://a.test/secret-path?token=secret')}`;
  /** Everything that a GET leaves, its own span last. */
  const untilAnswered = async () => {
    const spans = await collector.until((all) => all.some(({ kind }) => kind === 2));
    const [server] = spans.filter(({ kind }) => kind === 2);
    return { server, spans: spans.filter(({ traceId }) => traceId === server?.traceId) };
  };
  const named = (spans: readonly ArrivedSpan[], name: string) => spans.filter((span) => span.name === name);
  const lineOf = (message: string) => {
    const line = service?.lines.find((each) => each.includes(`"msg":"${message}"`));
    return JSON.parse(line ?? '{}') as Record<string, unknown>;
  };

  test('one trace leads from the GET through the queue and the run to each request of the target', async () => {
    await traced();
    const answer = await ask(redirectCheck);
    expect(answer.status).toBe(200);
    // Requests are made in the runner process, which hands them on with its outcome.
    await collector.until((all) => all.filter(({ name }) => name === 'HTTP request').length >= asked);
    const { server, spans } = await untilAnswered();
    const requests = named(spans, 'HTTP request');
    const answered = requests.filter(
      ({ attributes }) => attributes['http.response.status_code'] !== undefined,
    );
    expect(answered).toHaveLength(asked);
    for (const request of requests) expect(wayUp(spans, request)).toEqual(wayOfRedirectCheck);
    expect(server).toMatchObject({ parentSpanId: '', status: 0, links: [] });
    expect(server?.attributes).toMatchObject({
      'http.response.status_code': 200,
      'http.request.method': 'GET',
    });
    expect(answered[0]?.attributes).toMatchObject({
      'server.address': 'a.test',
      'server.port': 80,
      'network.peer.address': '127.0.0.1',
      'http.response.status_code': 302,
      'url.full': 'http://a.test/***?***',
    });
    expect(server?.resource).toMatchObject({ 'service.name': 'diagnostic-tools-serve' });
  });

  test('the answer, and the log lines of request and run, name the same trace', async () => {
    await traced();
    const answer = await ask(redirectCheck);
    const { server, spans } = await untilAnswered();
    const ids = { trace_id: server?.traceId, span_id: server?.spanId };
    expect(answer.headers.get('traceresponse')).toBe(`00-${ids.trace_id}-${ids.span_id}-01`);
    await expect.poll(() => lineOf('request')).toMatchObject(ids);
    const [run] = named(spans, 'run redirect-check');
    expect(lineOf('job done')).toMatchObject({ trace_id: ids.trace_id, span_id: run?.spanId });
  });

  test('a page of an allowed origin may read the field, of a first answer and of one from memory', async () => {
    await traced({ CORS_ORIGINS: 'https://page.test' });
    for (let times = 0; times < 2; times += 1) {
      const { headers } = await ask(redirectCheck, { Origin: 'https://page.test' });
      expect(headers.get('traceresponse')).toMatch(/^00-/);
      expect(headers.get('access-control-expose-headers')?.split(', ')).toContain('traceresponse');
    }
  });

  test('no secret of an address, and nothing of a trace to the target', async () => {
    await traced({ OTEL_EXPORTER_OTLP_HEADERS: 'api-key=p%40ss' });
    await ask(redirectCheck);
    const { spans } = await untilAnswered();
    expect(JSON.stringify(spans)).not.toContain('secret');
    expect(seen.filter((name) => /^(?:trace|baggage|b3|x-b3)/.test(name))).toEqual([]);
    expect(collector.requests[0]).toMatchObject({ 'api-key': 'p@ss' });
  });

  test('a caller’s traceparent is only linked: it chooses neither the trace nor what is sampled', async () => {
    await traced();
    await ask(redirectCheck, { traceparent });
    const { server } = await untilAnswered();
    expect(server).toMatchObject({ parentSpanId: '', links: [foreign.traceId] });
    expect(server?.traceId).not.toBe(foreign.traceId);
  });

  test('behind a gateway that may choose (TRACE_INCOMING), its trace goes on', async () => {
    await traced({ TRACE_INCOMING: 'on' });
    const answer = await ask(redirectCheck, { traceparent });
    const { server } = await untilAnswered();
    expect(server).toMatchObject({ traceId: foreign.traceId, parentSpanId: foreign.spanId, links: [] });
    expect(answer.headers.get('traceresponse')).toContain(foreign.traceId);
  });

  test('a traceparent that is none begins a trace of our own', async () => {
    await traced({ TRACE_INCOMING: 'on' });
    const none = ['nonsense', `00-${'0'.repeat(32)}-${foreign.spanId}-01`, `${traceparent}, ${traceparent}`];
    for (const given of none) expect((await ask(redirectCheck, { traceparent: given })).status).toBe(200);
    const isOfServer = ({ kind }: ArrivedSpan) => kind === 2;
    const spans = await collector.until((all) => all.filter(isOfServer).length === none.length);
    for (const span of spans.filter(isOfServer)) expect(span).toMatchObject({ parentSpanId: '', links: [] });
  });

  test('a repeat from memory is a trace of one span', async () => {
    await traced();
    await ask(redirectCheck);
    const repeated = await ask(redirectCheck);
    const id = repeated.headers.get('traceresponse')?.slice(3, 35);
    const spans = await collector.until((all) => all.some(({ traceId }) => traceId === id));
    const found = spans.filter(({ traceId }) => traceId === id);
    expect(found.map(({ name }) => name)).toEqual(['GET memory']);
    expect(found[0]?.attributes).toMatchObject({ 'diag.cache': 'hit' });
  });

  test('what is not sampled is not sent, and its ids still join log lines', async () => {
    await traced({ OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' });
    const answer = await ask(redirectCheck);
    expect(answer.headers.get('traceresponse')).toMatch(/-00$/);
    await expect.poll(() => lineOf('request')['trace_id']).toMatch(/^[0-9a-f]{32}$/);
    expect(lineOf('job done')['trace_id']).toBe(lineOf('request')['trace_id']);
    service?.kill('SIGTERM');
    expect(await service?.closed).toBe(0);
    expect(collector.requests).toEqual([]);
  });

  test.for([
    ['probe', { OTEL_SERVICE_NAME: 'probe', OTEL_RESOURCE_ATTRIBUTES: 'service.name=other,team=a%2Cb' }],
    ['other', { OTEL_RESOURCE_ATTRIBUTES: 'service.name=other,team=a%2Cb' }],
    ['diagnostic-tools-serve', { OTEL_SERVICE_NAME: '', OTEL_RESOURCE_ATTRIBUTES: 'team=a%2Cb' }],
  ] as const)('the process is named %s, with the attributes of its settings', async ([name, settings]) => {
    await traced(settings);
    await ask(redirectCheck);
    const { server } = await untilAnswered();
    expect(server?.resource).toMatchObject({ 'service.name': name, team: 'a,b' });
  });

  test('the end of the process sends what is left', async () => {
    const { kill, closed } = await traced();
    await ask(redirectCheck);
    kill('SIGTERM');
    expect(await closed).toBe(0);
    expect(named(collector.spans, 'run redirect-check')).toHaveLength(1);
    expect(collector.spans.filter(({ kind }) => kind === 2)).toHaveLength(1);
  });

  test.for(['hang', 500, 'closed'] as const)(
    'a collector that is away (%s) holds up nothing',
    async (how) => {
      if (how !== 'closed') collector.answer(how);
      await traced(how === 'closed' ? { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' } : {});
      for (let turn = 0; turn < 3; turn += 1)
        expect((await ask(`${redirectCheck}&fresh=1`)).status).toBe(200);
      const before = performance.now();
      service?.kill('SIGTERM');
      expect(await service?.closed).toBe(0);
      // Three seconds for what is left, on a busy machine.
      expect(performance.now() - before).toBeLessThan(20_000);
    },
  );

  test('without the SDK nothing of it is loaded, and no answer or line names a trace; with it the runner has none', async () => {
    await start();
    const answer = await ask(redirectCheck, { traceparent });
    expect(answer.headers.get('traceresponse')).toBeNull();
    await expect.poll(() => lineOf('request')).toMatchObject({ status: 200 });
    expect(service?.lines.filter((line) => line.startsWith('loaded ') || line.includes('trace_id'))).toEqual(
      [],
    );
    service?.kill('SIGTERM');
    await service?.closed;
    await traced();
    await ask(redirectCheck);
    const loaded = service?.lines.filter((line) => line.startsWith('loaded ')) ?? [];
    expect(loaded).not.toEqual([]);
    expect(loaded.filter((line) => !line.includes('diag.js '))).toEqual([]);
  });
});
