// Wall time of gathering over the round-trip time, with a resolver and name servers that answer after a fixed delay:
// node test/lab/dns-check/measure-rounds.ts [rttMs] [runs]
import { gatherDnsCheck } from '../../../worker/checks/dns-check/gather.ts';
import type { Probes } from '../../../worker/probes/port.ts';
import { type Change, goodWorld } from '../../unit/dns-check/good-world.ts';
import { openWorld } from '../../unit/dns-check/world.ts';

const [rttMs = 50, runs = 40] = process.argv.slice(2).map(Number);

const worlds: readonly { name: string; change: Change; domain?: string }[] = [
  { name: 'usual, signed', change: {} },
  { name: 'unsigned', change: { signed: false } },
  { name: 'does not exist', change: {}, domain: 'nothing.test' },
  { name: 'host inside a zone', change: {}, domain: 'host.good.test' },
  { name: 'bogus', change: { resolver: { validates: true, bogus: 'good.test' } } },
  { name: 'parent knows one server more', change: { parentAdd: ['good.test 3600 NS ns.test'] } },
];

for (const { name, change, domain = 'good.test' } of worlds) {
  const rounds: number[] = [];
  let questions = 0;
  for (let at = 0; at < runs; at += 1) {
    const { probe, asked } = openWorld(goodWorld({ ...change, rttMs }));
    const start = performance.now();
    await gatherDnsCheck({
      target: domain,
      options: {},
      probes: { dns: probe } as Probes,
      progress: () => undefined,
    });
    rounds.push((performance.now() - start) / rttMs);
    questions = asked();
  }
  const sorted = rounds.toSorted((a, b) => a - b);
  const quantile = (q: number): string =>
    (sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? 0).toFixed(2);
  console.log(`${name.padEnd(30)} p50 ${quantile(0.5)}  p95 ${quantile(0.95)}  RTTs, ${questions} questions`);
}
