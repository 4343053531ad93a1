import { openFleet } from '../test/faults/fleet.ts';
import type { Section } from './section.ts';
import { inLanes } from './statistics.ts';

const checks = 240;
const targetMs = 500;

/** Checks/s with 1, 2 and 4 worker processes on targets of 500 ms latency, ten at a time in each. */
export async function bench(): Promise<Section> {
  const fleet = await openFleet({
    hosts: 80,
    answer: (_request, response) => void setTimeout(() => response.writeHead(204).end(), targetMs),
    settings: { WORKER_CONCURRENCY: '10', FRESH_SECONDS: '3600' },
  });
  try {
    const api = await fleet.startApi();
    const rows: (string | number)[][] = [];
    let first = 0;
    let workers = 0;
    for (const count of [1, 2, 4]) {
      for (; workers < count; workers += 1) await fleet.startWorker();
      const ask = async (index: number, name: string) => {
        const response = await fetch(
          `${api.url}/api/tools/redirect-check?url=${encodeURIComponent(`http://${fleet.hosts[index % 80]}/${name}/${index}`)}&wait=55`,
        );
        if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
        await response.arrayBuffer();
      };
      await inLanes(workers * 10, workers * 10, (index) => ask(index, `warm${count}`));
      const start = performance.now();
      await inLanes(checks * count, count * 20, (index) => ask(index, `run${count}`));
      const perSecond = (checks * count * 1000) / (performance.now() - start);
      if (count === 1) first = perSecond;
      rows.push([count, perSecond.toFixed(1), (perSecond / first / count).toFixed(2)]);
    }
    return {
      title: 'How workers scale',
      about: `Redirect checks of 80 hosts that answer after ${targetMs} ms. Each worker process runs ten at a time and gets ${checks} checks. “÷ linear” is 1 if twice the workers do twice the checks.`,
      columns: ['workers', 'checks/s', '÷ linear'],
      rows,
      limits:
        'the wait for the targets. On few cores, also the CPU that the workers share with API, Redis and store.',
    };
  } finally {
    await fleet.close();
  }
}
