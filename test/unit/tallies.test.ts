import { Counter, Histogram, Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { addDurations, addTally } from '#shared/telemetry/tallies';

const counted = { name: 'x_total', help: 'Of a test.', label: 'kind' };
const bounds = [0.01, 0.1, 1];
/** On a bound, between two, beyond all; labels that have to be escaped. */
const samples = [
  ['a', 0],
  ['a', 0.01],
  ['b "c"\\', 0.5],
  ['a', 1],
  ['b "c"\\', 70],
] as const;

test('a tally tells what a counter of prom-client tells', async () => {
  const [ours, theirs] = [new Registry(), new Registry()];
  const add = addTally(ours, counted);
  const counter = new Counter({ ...counted, labelNames: [counted.label], registers: [theirs] });
  for (const [kind] of samples) {
    add(kind);
    counter.inc({ kind });
  }
  expect(await ours.metrics()).toBe(await theirs.metrics());
  expect(await ours.metrics()).toBe(await theirs.metrics());
});

test('durations tell what a histogram of prom-client tells, also as JSON for the sum over processes', async () => {
  const [ours, theirs] = [new Registry(), new Registry()];
  const add = addDurations(ours, counted, bounds);
  const histogram = new Histogram({
    ...counted,
    labelNames: [counted.label],
    buckets: [...bounds],
    registers: [theirs],
  });
  expect(await ours.metrics()).toBe(await theirs.metrics());
  for (const [kind, seconds] of samples) {
    add(kind, seconds);
    histogram.observe({ kind }, seconds);
  }
  expect(await ours.metrics()).toBe(await theirs.metrics());
  const [mine] = await ours.getMetricsAsJSON();
  expect((await theirs.getMetricsAsJSON())[0]).toMatchObject(mine ?? {});
});
