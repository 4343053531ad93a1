import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Tracing } from '#shared/ports/tracing';
import { openOtlpTracing } from '#shared/telemetry/tracing/otlp';
import type { DnsAnswer, DnsQuestion } from '../../../worker/probes/dns/port.ts';
import type { OpenedProbes } from '../../../worker/probes/port.ts';
import { traceQuestions } from '../../../worker/run/trace-questions.ts';
import { type OtlpReceiver, openOtlpReceiver } from '../../kit/otlp-receiver.ts';

describe('limits of traces', () => {
  let collector: OtlpReceiver;
  let tracing: Tracing;
  let lines: string[];
  // Each has lines of its own: one that was closed may still tell of what it had on its way.
  const open = (url: string, told: string[] = []) =>
    openOtlpTracing({
      url: `${url}/v1/traces`,
      headers: {},
      resource: { 'service.name': 'test' },
      sampler: { name: 'always_on', ratio: 1 },
      takesIncoming: false,
      log: {
        error: (_, message) => void told.push(message),
        warn: (_, message) => void told.push(message),
        info: (_, message) => void told.push(message),
        debug: () => undefined,
      },
    });
  beforeEach(async () => {
    lines = [];
    collector = await openOtlpReceiver();
    tracing = open(collector.url, lines);
  });
  afterEach(async () => {
    await tracing.close();
    await collector.close();
  });

  /** Probes whose DNS answers every question at once, and a run over them. */
  const openRun = () => {
    const answer = (question: DnsQuestion): DnsAnswer => ({
      kind: 'failure',
      question,
      code: 'timeout',
      reason: 'no answer',
      server: '192.0.2.1',
    });
    const asked = new Map<string, Promise<DnsAnswer>>();
    const opened = {
      dns: {
        ask(question: DnsQuestion) {
          const known = asked.get(question.name) ?? Promise.resolve(answer(question));
          asked.set(question.name, known);
          return known;
        },
      },
      http: {},
      tls: {},
      browser: {},
      close: () => undefined,
    } as unknown as OpenedProbes;
    const run = tracing.start({ name: 'run x', kind: 'internal' });
    return { run, probes: traceQuestions(opened, tracing, run) };
  };

  test('a run tells 500 questions, and how many more there were', async () => {
    const { run, probes } = openRun();
    for (let count = 0; count < 620; count += 1) await probes.dns.ask({ name: `n${count}.test`, type: 'A' });
    probes.close();
    run.end();
    const spans = await collector.until((all) => all.some(({ name }) => name === 'run x'));
    await tracing.close();
    expect(spans.filter(({ name }) => name === 'DNS question')).toHaveLength(500);
    expect(spans.find(({ name }) => name === 'run x')?.attributes).toMatchObject({
      'diag.questions': 620,
      'diag.questions.untold': 120,
    });
  });

  test('an equal question of one run is told once', async () => {
    const { run, probes } = openRun();
    const answers = [1, 2, 3].map(() => probes.dns.ask({ name: 'same.test', type: 'A' }));
    await Promise.all(answers);
    probes.close();
    run.end();
    const spans = await collector.until((all) => all.some(({ name }) => name === 'run x'));
    expect(spans.filter(({ name }) => name === 'DNS question')).toHaveLength(1);
  });

  test.for([
    ['markup', '<script>alert(1)</script>.test'],
    ['quotes and a line end', 'a"b\r\n{"x":1}.test'],
    ['a NUL and bytes', 'a\u0000\u00ff\u202e.test'],
  ] as const)('a hostile name is plain text: %s', async ([, name]) => {
    const { run, probes } = openRun();
    await probes.dns.ask({ name, type: 'A' });
    probes.close();
    run.end();
    const spans = await collector.until((all) => all.some((span) => span.name === 'run x'));
    const told = spans.find((span) => span.name === 'DNS question');
    expect(told?.attributes['dns.question.name']).toBe(name);
    expect(told).toMatchObject({ status: 2, attributes: { 'error.type': 'timeout' } });
  });

  test('a lone surrogate is replaced, and a long name is cut', async () => {
    const { run, probes } = openRun();
    await probes.dns.ask({ name: `\ud800.test`, type: 'A' });
    await probes.dns.ask({ name: 'a'.repeat(100_000), type: 'A' });
    probes.close();
    run.end();
    const spans = await collector.until((all) => all.some(({ name }) => name === 'run x'));
    const names = spans.flatMap(({ attributes }) => attributes['dns.question.name'] ?? []);
    expect(names).toEqual(['\ufffd.test', 'a'.repeat(512)]);
  });

  test.for(['hang', 500, 'closed'] as const)(
    'a collector that is away (%s) fills nothing: at most 4,096 spans are held',
    async (how) => {
      const url = how === 'closed' ? 'http://127.0.0.1:9' : collector.url;
      if (how !== 'closed') collector.answer(how);
      const away = open(url);
      // In one turn of the loop, so that none of them can have been sent.
      for (let count = 0; count < 10_000; count += 1) away.start({ name: 'x', kind: 'internal' }).end();
      expect(away.counts()).toEqual({ sent: 0, failed: 0, dropped: 10_000 - 4096 });
      await away.close();
      const { failed, sent } = away.counts();
      expect({ sent, isBounded: failed <= 4096 }).toEqual({ sent: 0, isBounded: true });
    },
  );

  test('a collector that is back gets what comes from then on, and both are told once', async () => {
    collector.answer(500);
    tracing.start({ name: 'lost', kind: 'internal' }).end();
    await expect.poll(() => lines).toEqual(['trace collector does not accept spans']);
    collector.answer('take');
    tracing.start({ name: 'kept', kind: 'internal' }).end();
    await collector.until((all) => all.some(({ name }) => name === 'kept'));
    await expect
      .poll(() => lines)
      .toEqual(['trace collector does not accept spans', 'trace collector accepts spans again']);
    expect(tracing.counts()).toEqual({ sent: 1, failed: 1, dropped: 0 });
  });

  test('what was held is sent in pieces of 512', async () => {
    for (let count = 0; count < 4000; count += 1) tracing.start({ name: 'x', kind: 'internal' }).end();
    await tracing.close();
    expect(tracing.counts()).toEqual({ sent: 4000, failed: 0, dropped: 0 });
    expect(collector.largest()).toBe(512);
  });
});
