import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { openScaled, openTargets, type FairnessService, type Targets } from './fairness-place.ts';
import { childrenOf } from './process-cpu.ts';
import type { Section } from './section.ts';
import { median } from './statistics.ts';

const minutes = Number(process.env['BENCH_MEMORY_MINUTES'] ?? 5);
const perSecond = Number(process.env['BENCH_MEMORY_RATE'] ?? 31);

/** `diag` sets the flag where nobody has set it, so V8's own size has to be asked for. */
const starts = [
  { name: 'as every start of a service sets it, 8 MB', flag: '--max-semi-space-size=8' },
  { name: 'V8’s own size', flag: '--max-semi-space-size=0' },
] as const;

/** What a worker holds while it runs redirect-checks at a steady rate, with the young generation that the service asks for and without. */
export async function bench(): Promise<Section> {
  const targets = await openTargets();
  const rows: string[][] = [];
  for (const [round, { name, flag }] of starts.entries()) {
    const place = await openScaled(targets, { NODE_OPTIONS: flag });
    rows.push([name, ...(await measure(place, targets, round))]);
    await place.close();
    console.log(rows.at(-1)?.join(' | '));
  }
  targets.close();
  return {
    title: 'Memory of a busy worker',
    about: `RSS of a network worker with all its processes, read each second from /proc, while an API over Redis and a store gets ${perSecond} redirect-checks a second for ${minutes} minutes, every host new. The first minute is left out of the median.`,
    columns: ['young generation', 'answered', 'median, MB', 'most, MB', 'at the end, MB'],
    rows,
    limits:
      'code and clients of Redis and MongoDB, about 110 MB; then what V8 lets the young generation grow to before it looks for what can go.',
  };
}

async function measure(
  { url, token, workerPid }: FairnessService,
  targets: Targets,
  round: number,
): Promise<string[]> {
  const seen: number[] = [];
  const asked: Promise<boolean>[] = [];
  const start = performance.now();
  for (let second = 0; second < minutes * 60; second += 1) {
    for (let index = 0; index < perSecond; index += 1) {
      const host = (round * minutes * 60 + second) * perSecond + index;
      asked.push(
        ask(`${url}/api/tools/redirect-check?url=${encodeURIComponent(targets.site(host, 0, 2))}`, token),
      );
      await delay(Math.max(0, start + second * 1000 + (index * 1000) / perSecond - performance.now()));
    }
    seen.push(rssMbOf(workerPid));
  }
  const answered = (await Promise.all(asked)).filter(Boolean).length;
  const steady = seen.slice(Math.min(60, seen.length - 1));
  return [
    `${answered} of ${asked.length}`,
    ...[median(steady), Math.max(...seen), seen.at(-1) ?? 0].map((mb) => mb.toFixed(0)),
  ];
}

async function ask(address: string, token: string): Promise<boolean> {
  const answer = await fetch(address, { headers: { authorization: `Bearer ${token}` } });
  await answer.arrayBuffer();
  return answer.status === 200;
}

/** Of a process and those that it has started. */
function rssMbOf(pid: number): number {
  const [, kb = '0'] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kb) / 1024 + childrenOf(pid).reduce((sum, child) => sum + rssMbOf(child), 0);
}
