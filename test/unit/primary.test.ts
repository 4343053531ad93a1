import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { expect, test } from 'vitest';
import type { Child, ChildPlace } from '#shared/lifecycle/primary/child';
import { mergeReadiness } from '#shared/lifecycle/primary/merge-readiness';
import { type Points } from '#shared/lifecycle/primary/messages';
import { occupyPlace } from '#shared/lifecycle/primary/occupy-place';
import { openOutbox } from '#shared/lifecycle/primary/outbox';
import { openSummedMetrics } from '#shared/lifecycle/primary/sum-metrics';
import { openSums } from '#shared/lifecycle/primary/sum-points';
import { steadyNow } from '#shared/time/steady-time';

/** A child that tells of so many requests; `freeze` ends its answers. */
function childWith(name: string, requests: number) {
  const registry = new Registry();
  const registers = [registry];
  const counter = new Counter({ name: 'requests_total', help: 'h', registers, labelNames: ['route'] });
  counter.inc({ route: 'r' }, requests);
  new Histogram({ name: 'seconds', help: 'h', registers, buckets: [1] }).observe(requests);
  new Gauge({ name: 'up', help: 'h', registers, aggregator: 'min' }).set(requests > 1 ? 1 : 0);
  new Gauge({ name: 'process_start_time_seconds', help: 'h', registers, aggregator: 'omit' }).set(requests);
  let isFrozen = false;
  let isReady = true;
  const child = {
    place: { name, role: 'listener' },
    isReady: () => isReady,
    ask: async () => (isFrozen ? undefined : registry.getMetricsAsJSON()),
  } as unknown as Child;
  return {
    child,
    freeze: () => (isFrozen = true),
    end: () => (isReady = false),
  };
}

/** The samples of a text, without those of this very process. */
const samplesOf = (text: string) =>
  text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#') && !line.includes('process="primary"'));

test('counters and buckets are added up, gauges as they say, and what is of one process has its name', async () => {
  const metrics = openSummedMetrics(() => true);
  const { body } = await metrics.text([childWith('1', 1).child, childWith('2', 5).child]);
  expect(samplesOf(body)).toEqual([
    'process_start_time_seconds{process="1"} 1',
    'process_start_time_seconds{process="2"} 5',
    'diag_degraded{part="processes"} 0',
    'requests_total{route="r"} 6',
    'seconds_bucket{le="1"} 1',
    'seconds_bucket{le="+Inf"} 2',
    'seconds_sum 6',
    'seconds_count 2',
    'up 0',
  ]);
  expect(body).toContain('process_resident_memory_bytes{process="primary"}');
});

test('no sum falls when a child does not answer, or has ended and another has its place', async () => {
  const metrics = openSummedMetrics(() => false);
  const [one, two] = [childWith('1', 1), childWith('2', 5)];
  const requests = async (children: readonly Child[]) =>
    samplesOf((await metrics.text(children)).body).filter((line) => /^(?:requests|up)/.test(line));
  expect(await requests([one.child, two.child])).toEqual(['requests_total{route="r"} 6', 'up 0']);
  one.freeze();
  expect(await requests([one.child, two.child])).toEqual(['requests_total{route="r"} 6', 'up 1']);
  one.end();
  metrics.keep(one.child);
  expect(await requests([two.child])).toEqual(['requests_total{route="r"} 6', 'up 1']);
  const next = childWith('1', 2);
  expect(await requests([next.child, two.child])).toEqual(['requests_total{route="r"} 8', 'up 1']);
  next.end();
  metrics.keep(next.child);
  expect(await requests([two.child])).toEqual(['requests_total{route="r"} 8', 'up 1']);
});

test('a place whose child the machine refuses to start is tried again, and says why', async () => {
  const errors: object[] = [];
  const warnings: object[] = [];
  const quiet = () => undefined;
  const log = {
    error: (fields: object) => void errors.push(fields),
    warn: (fields: object) => void warnings.push(fields),
    info: quiet,
    debug: quiet,
  };
  let isStopping = false;
  const faults: number[] = [];
  const places = {
    living: new Map<ChildPlace, Child>(),
    log,
    isStopping: () => isStopping,
    onMessage: quiet,
    onEnd: quiet,
    onFault: (status: number) => void faults.push(status),
  };
  const place: ChildPlace = { name: '2', role: 'listener' };
  // More than Linux takes in one variable: starting the process fails at once, as it does without memory.
  process.env['DIAG_TEST_TOO_LONG'] = 'x'.repeat(4_000_000);
  try {
    const occupied = occupyPlace(place, places, quiet, false);
    await expect.poll(() => warnings.length).toBeGreaterThan(1);
    isStopping = true;
    await occupied;
    await occupyPlace(place, { ...places, isStopping: () => false }, quiet, true);
  } finally {
    delete process.env['DIAG_TEST_TOO_LONG'];
  }
  expect(warnings.slice(0, 2)).toEqual([
    { place: '2', status: 1, inMs: 250 },
    { place: '2', status: 1, inMs: 500 },
  ]);
  expect(errors[0]).toMatchObject({ place: '2', err: { code: 'E2BIG' } });
  // The first of all has shown that none can start.
  expect(faults).toEqual([1]);
});

const ready = { isReady: true, checks: { queue: true, store: true }, about: {} } as const;
const away = { isReady: false, checks: { queue: 'away', store: true }, about: { browser: {} } } as const;
test.for([
  [
    'all are ready',
    [ready, ready],
    { isReady: true, checks: { ...ready.checks, processes: true }, about: {} },
  ],
  [
    'one is not',
    [ready, away],
    { isReady: true, checks: { queue: 'away', store: true, processes: true }, about: { browser: {} } },
  ],
  [
    'one does not answer',
    [undefined, ready],
    { isReady: true, checks: { ...ready.checks, processes: '1 of 2 do not answer' }, about: {} },
  ],
  ['none answers', [undefined], { isReady: false, checks: { processes: '1 of 1 do not answer' }, about: {} }],
] as const)('readiness where %s', ([, found, expected]) => {
  expect(mergeReadiness(found)).toEqual(expected);
});

test('points of a key leave as one, and nothing leaves before the last was taken', async () => {
  const sent: (readonly Points[])[] = [];
  let taken = () => {};
  const outbox = openOutbox((points, onWritten) => {
    sent.push(points);
    taken = onWritten;
  });
  outbox.add('a', 1, 9);
  outbox.add('b', 1, 9);
  outbox.add('a', 2, 9);
  expect(outbox.waiting('a')).toBe(3);
  await expect
    .poll(() => sent)
    .toEqual([
      [
        ['a', 3, 9],
        ['b', 1, 9],
      ],
    ]);
  outbox.add('a', 1, 9);
  // A new window: what was spent in the last is void.
  outbox.add('a', 1, 10);
  // Another one that is opened later sends in its time.
  const other = Promise.withResolvers<void>();
  openOutbox(() => other.resolve()).add('c', 1, 9);
  await other.promise;
  expect(sent).toHaveLength(1);
  taken();
  await expect.poll(() => sent.slice(1)).toEqual([[['a', 1, 10]]]);
});

test('two children that open a window at once get one, with what both have spent', async () => {
  const told: Points[] = [];
  const sums = openSums((points) => void told.push(...points));
  const end = steadyNow() + 60_000;
  sums.add([['a', 3, end]]);
  sums.add([['a', 4, end + 5]]);
  sums.add([['a', -2, end + 5]]);
  await expect.poll(() => told).toEqual([['a', 5, end]]);
  expect(sums.all()).toEqual([['a', 5, end]]);
});
