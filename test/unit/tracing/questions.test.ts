import { expect, test } from 'vitest';
import type { SpanWish, Tracing } from '#shared/ports/tracing';
import type { DnsAnswer, DnsQuestion } from '../../../worker/probes/dns/port.ts';
import type { ProbeFactory } from '../../../worker/probes/open.ts';
import type { OpenedProbes } from '../../../worker/probes/port.ts';
import { noteQuestions, tellQuestions } from '../../../worker/run/trace-questions.ts';

const trace = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;

/** Probes whose DNS answers every question at once; the same promise for an equal one, as the probe does. */
const probes = {
  open() {
    const asked = new Map<string, Promise<DnsAnswer>>();
    const ask = (question: DnsQuestion) => {
      const known =
        asked.get(question.name) ??
        Promise.resolve<DnsAnswer>({
          kind: 'failure',
          question,
          code: 'timeout',
          reason: 'no answer',
          server: '192.0.2.1',
        });
      asked.set(question.name, known);
      return known;
    };
    const opened = { dns: { ask }, http: {}, tls: {}, udp: {}, browser: {}, close: () => undefined };
    return opened as unknown as OpenedProbes;
  },
} as unknown as ProbeFactory;

/** What a run of these questions tells, as a collector of traces would get it. */
async function told(names: readonly string[], parent = trace) {
  const noted = noteQuestions(probes, { trace: parent });
  const opened = noted.probes.open(...([] as unknown as Parameters<ProbeFactory['open']>));
  for (const name of names) await opened.dns.ask({ name, type: 'A' });
  opened.close();
  const spans: (SpanWish & { failure?: string | undefined; endedAt?: number | undefined })[] = [];
  const start: Tracing['start'] = (wish) => ({
    traceparent: trace,
    rename: () => undefined,
    set: () => undefined,
    end: (failure, endedAt) => void spans.push({ ...wish, failure, endedAt }),
  });
  const ofRun: object[] = [];
  const run = { ...start({ name: 'run', kind: 'internal' }), set: (more: object) => void ofRun.push(more) };
  // As between processes: JSON.
  const asked = JSON.parse(JSON.stringify(noted.asked() ?? null)) as ReturnType<typeof noted.asked> | null;
  if (asked) tellQuestions({ takesIncoming: false, start, close: async () => undefined }, run, asked);
  return { spans, ofRun };
}

test('a run tells 500 questions, and how many more there were', async () => {
  const { spans, ofRun } = await told(Array.from({ length: 620 }, (_, count) => `n${count}.test`));
  expect(spans).toHaveLength(500);
  expect(ofRun).toEqual([{ 'diag.questions': 620, 'diag.questions.untold': 120 }]);
});

test('an equal question of one run is told once', async () => {
  expect((await told(['same.test', 'same.test', 'same.test'])).spans).toHaveLength(1);
});

test('a question has its own beginning and end, below the run', async () => {
  const before = Date.now();
  const { spans } = await told(['a.test']);
  expect(spans).toMatchObject([{ name: 'DNS question', kind: 'client', parent: trace, failure: 'timeout' }]);
  const { startedAt = 0, endedAt = 0 } = spans[0] ?? {};
  expect(startedAt).toBeGreaterThan(before - 1000);
  expect(endedAt).toBeGreaterThanOrEqual(startedAt);
  expect(endedAt).toBeLessThan(Date.now() + 1000);
});

test.for([
  ['is not sampled', trace.replace(/01$/, '00')],
  ['is none', 'x'],
])('a run whose trace %s notes nothing', async ([, parent]) => {
  expect(await told(['a.test'], parent)).toEqual({ spans: [], ofRun: [] });
});

test.for(['<script>alert(1)</script>.test', 'a"b\r\n{"x":1}.test', 'a\u0000\u00ff\u202e.test'])(
  'a hostile name is plain text: %j',
  async (name) => {
    const { spans } = await told([name]);
    expect(spans[0]?.attributes?.['dns.question.name']).toBe(name);
  },
);
