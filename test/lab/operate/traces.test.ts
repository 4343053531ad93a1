import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
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
  let service: ServiceProcess;
  const started: ServiceProcess[] = [];
  /** Header fields of each request that the target got. */
  const seen: string[][] = [];
  beforeAll(async () => {
    lab = await openLab({
      sites: {
        'http://a.test': (request, response) => {
          seen.push(Object.keys(request.headers));
          if (request.url?.startsWith('/secret-path') === true)
            response.writeHead(302, { location: '/next-secret' });
          response.end('hello');
        },
      },
    });
  });
  afterAll(() => lab.close());
  const open = async () => {
    collector = await openOtlpReceiver();
  };
  const close = async () => {
    for (const { kill } of started) kill('SIGKILL');
    await Promise.all(started.splice(0).map(({ closed }) => closed));
    await collector.close();
  };

  const start = async (more: Readonly<Record<string, string>> = {}, options: readonly string[] = []) => {
    service = await startService({
      program: process.execPath,
      args: ['--import', tellLoads, ...options, 'cli/diag.js', 'serve'],
      environment: lab.settings({ LOG_LEVEL: 'info', RATE_LIMIT: 'off', ...more }),
    });
    started.push(service);
  };
  const traced = (more: Readonly<Record<string, string>> = {}) =>
    start({ ...tracingTo(collector.url), ...more }, withTracingSdk);
  const end = async () => {
    service.kill('SIGTERM');
    expect(await service.closed).toBe(0);
  };
  const ask = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    fetch(`${service.url}/api/tools/${path}`, { headers });
  /** A question that nobody has asked before. */
  let asked = 0;
  const newCheck = () => {
    asked += 1;
    return `redirect-check?url=${encodeURIComponent(`http://a.test/secret-path?token=secret${asked}`)}`;
  };
  /** Everything that the GET left, its own span among it. */
  const spansOf = async ({ headers }: Response) => {
    const id = headers.get('traceresponse')?.slice(3, 35);
    const isOurs = ({ traceId }: ArrivedSpan) => traceId === id;
    const all = await collector.until((spans) => spans.some((span) => isOurs(span) && span.kind === 2));
    const spans = all.filter(isOurs);
    return { spans, server: spans.find(({ kind }) => kind === 2) };
  };
  const named = (spans: readonly ArrivedSpan[], name: string) => spans.filter((span) => span.name === name);
  /** The last line with this message. */
  const lineOf = (message: string) => {
    const line = service.lines.findLast((each) => each.includes(`"msg":"${message}"`));
    return JSON.parse(line ?? '{}') as Record<string, unknown>;
  };

  describe('as operators set it up', () => {
    beforeAll(async () => {
      await open();
      await traced({
        CORS_ORIGINS: 'https://page.test',
        OTEL_EXPORTER_OTLP_HEADERS: 'api-key=p%40ss',
        OTEL_RESOURCE_ATTRIBUTES: 'team=a%2Cb',
      });
    });
    afterAll(close);

    test('one trace leads from the GET through the queue and the run to each request of the target', async () => {
      const before = seen.length;
      const answer = await ask(newCheck());
      expect(answer.status).toBe(200);
      const mine = seen.length - before;
      // Requests are made in the runner process, which hands them on with its outcome.
      await collector.until((all) => named(all, 'HTTP request').length >= mine);
      const { server, spans } = await spansOf(answer);
      const requests = named(spans, 'HTTP request');
      const answered = requests.filter(
        ({ attributes }) => attributes['http.response.status_code'] !== undefined,
      );
      expect(answered).toHaveLength(mine);
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
      expect(server?.resource).toMatchObject({ 'service.name': 'diagnostic-tools-serve', team: 'a,b' });
    });

    test('the answer, and the log lines of request and run, name the same trace', async () => {
      const answer = await ask(newCheck());
      const { server, spans } = await spansOf(answer);
      const ids = { trace_id: server?.traceId, span_id: server?.spanId };
      expect(answer.headers.get('traceresponse')).toBe(`00-${ids.trace_id}-${ids.span_id}-01`);
      await expect.poll(() => lineOf('request')).toMatchObject(ids);
      const [run] = named(spans, 'run redirect-check');
      expect(lineOf('job done')).toMatchObject({ trace_id: ids.trace_id, span_id: run?.spanId });
    });

    test('a page of an allowed origin may read the field, of a first answer and of one from memory', async () => {
      const check = newCheck();
      for (let times = 0; times < 2; times += 1) {
        const { headers } = await ask(check, { Origin: 'https://page.test' });
        expect(headers.get('traceresponse')).toMatch(/^00-/);
        expect(headers.get('access-control-expose-headers')?.split(', ')).toContain('traceresponse');
      }
    });

    test('a repeat from memory is a trace of one span', async () => {
      const check = newCheck();
      await ask(check);
      const { spans } = await spansOf(await ask(check));
      expect(spans.map(({ name }) => name)).toEqual(['GET memory']);
      expect(spans[0]?.attributes).toMatchObject({ 'diag.cache': 'hit' });
    });

    test('a caller’s traceparent is only linked: it chooses neither the trace nor what is sampled', async () => {
      const { server } = await spansOf(await ask(newCheck(), { traceparent }));
      expect(server).toMatchObject({ parentSpanId: '', links: [foreign.traceId] });
      expect(server?.traceId).not.toBe(foreign.traceId);
    });

    test('the end of the process sends what is left; no secret of an address, and nothing of a trace to the target', async () => {
      const before = named(collector.spans, 'run redirect-check').length;
      await ask(newCheck());
      await end();
      expect(named(collector.spans, 'run redirect-check').length).toBeGreaterThan(before);
      expect(JSON.stringify(collector.spans)).not.toContain('secret');
      expect(seen.flat().filter((name) => /^(?:trace|baggage|b3|x-b3)/.test(name))).toEqual([]);
      expect(collector.requests[0]).toMatchObject({ 'api-key': 'p@ss' });
    });
  });

  describe('set up in another way', () => {
    beforeAll(open);
    afterEach(async () => {
      await close();
      await open();
    });
    afterAll(() => collector.close());

    test('behind a gateway that may choose (TRACE_INCOMING), its trace goes on; what is none begins one of our own', async () => {
      await traced({ TRACE_INCOMING: 'on' });
      const answer = await ask(newCheck(), { traceparent });
      const { server } = await spansOf(answer);
      expect(server).toMatchObject({ traceId: foreign.traceId, parentSpanId: foreign.spanId, links: [] });
      expect(answer.headers.get('traceresponse')).toContain(foreign.traceId);
      const none = [
        'nonsense',
        `00-${'0'.repeat(32)}-${foreign.spanId}-01`,
        `${traceparent}, ${traceparent}`,
      ];
      for (const given of none) {
        const asOurs = await ask(newCheck(), { traceparent: given });
        expect(asOurs.status).toBe(200);
        expect((await spansOf(asOurs)).server).toMatchObject({ parentSpanId: '', links: [] });
      }
    });

    test('what is not sampled is not sent, and its ids still join log lines', async () => {
      await traced({ OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' });
      const answer = await ask(newCheck());
      expect(answer.headers.get('traceresponse')).toMatch(/-00$/);
      await expect.poll(() => lineOf('request')['trace_id']).toMatch(/^[0-9a-f]{32}$/);
      expect(lineOf('job done')['trace_id']).toBe(lineOf('request')['trace_id']);
      await end();
      expect(collector.requests).toEqual([]);
    });

    test.for(['hang', 'closed'] as const)('a collector that is away (%s) holds up nothing', async (how) => {
      if (how !== 'closed') collector.answer(how);
      await traced(how === 'closed' ? { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' } : {});
      for (let turn = 0; turn < 3; turn += 1) expect((await ask(newCheck())).status).toBe(200);
      const before = performance.now();
      await end();
      // Three seconds for what is left, on a busy machine.
      expect(performance.now() - before).toBeLessThan(20_000);
    });

    test('without the SDK nothing of it is loaded, and no answer or line names a trace; with it the runner has none', async () => {
      await start();
      const answer = await ask(newCheck(), { traceparent });
      expect(answer.headers.get('traceresponse')).toBeNull();
      await expect.poll(() => lineOf('request')).toMatchObject({ status: 200 });
      const loadedOrTraced = ({ lines }: ServiceProcess) =>
        lines.filter((line) => line.startsWith('loaded ') || line.includes('trace_id'));
      expect(loadedOrTraced(service)).toEqual([]);
      await traced();
      await ask(newCheck());
      const loaded = service.lines.filter((line) => line.startsWith('loaded '));
      expect(loaded).not.toEqual([]);
      expect(loaded.filter((line) => !line.includes('diag.js '))).toEqual([]);
    });
  });
});
