import { expect, test } from 'vitest';
import { gatherDnsCheck } from '../../../worker/checks/dns-check/gather.ts';
import { type Change, goodWorld } from '../../unit/dns-check/good-world.ts';
import { probesOf } from '../../unit/dns-check/run-check.ts';
import { openWorld } from '../../unit/dns-check/world.ts';

// Long enough that a machine busy with other tests does not count as a round.
const rttMs = 100;
const runs = 10;

const worlds: readonly { name: string; change: Change; domain?: string }[] = [
  { name: 'a usual domain', change: {} },
  { name: 'an unsigned one', change: { signed: false } },
  { name: 'one that does not exist', change: {}, domain: 'nothing.test' },
  { name: 'a host inside a zone', change: {}, domain: 'host.good.test' },
  { name: 'a bogus one', change: { resolver: { validates: true, bogus: 'good.test' } } },
  {
    name: 'one of whose servers the parent alone knows',
    change: { parentAdd: ['good.test 3600 NS ns.test'] },
  },
];

// Every answer, the resolver's and the name servers', takes one round trip here; the probe's own work is not in it.
test.for(worlds)(
  '$name takes at most six round trips, at the median and at 95 in 100',
  { retry: 2 },
  async ({ name, change, domain = 'good.test' }) => {
    const rounds: number[] = [];
    let questions = 0;
    for (let at = 0; at < runs; at += 1) {
      const { probe, asked } = openWorld(goodWorld({ ...change, rttMs }));
      const start = performance.now();
      await gatherDnsCheck({
        target: domain,
        options: {},
        probes: probesOf(probe),
        progress: () => undefined,
      });
      rounds.push((performance.now() - start) / rttMs);
      questions = asked();
    }
    const sorted = rounds.toSorted((a, b) => a - b);
    const [p50 = 0, p95 = 0] = [0.5, 0.95].map((share) => sorted[Math.floor(share * runs)]);
    console.log(`${name}: p50 ${p50.toFixed(2)}, p95 ${p95.toFixed(2)} round trips, ${questions} questions`);
    expect(p50).toBeLessThanOrEqual(6);
    expect(p95).toBeLessThanOrEqual(6);
  },
);
