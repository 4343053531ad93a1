import { type Fleet, type Member, openFleet } from '../test/faults/fleet.ts';
import type { Section } from './section.ts';
import { median } from './statistics.ts';

const slowJobs = 10_000;
const otherJobs = 1000;
const targetMs = 20;

/** p50 of 1,000 checks of 100 other hosts beside 10,000 that wait for one slow host, against the same without them; two workers. Connections are counted by the targets. */
export async function bench(): Promise<Section> {
  const fleet = await openFleet({
    hosts: 101,
    answer: (_request, response) => void setTimeout(() => response.writeHead(204).end(), targetMs),
    settings: { QUEUE_SECONDS: '7200', FRESH_SECONDS: '3600' },
  });
  try {
    const api = await fleet.startApi();
    await Promise.all([fleet.startWorker(), fleet.startWorker()]);
    await askOthers(fleet, api, 'warm');
    const alone = await askOthers(fleet, api, 'alone');
    await submitSlow(fleet, api);
    const beside = await askOthers(fleet, api, 'beside');
    return {
      title: 'Beside one slow host',
      about: `The median answer for ${otherJobs} redirect checks of 100 hosts that answer after ${targetMs} ms, with an API and two workers, first alone and then while ${slowJobs} checks of one other host wait.`,
      columns: ['', 'alone', `beside ${slowJobs}`, 'ratio'],
      rows: [
        ['answer p50, ms', alone.toFixed(0), beside.toFixed(0), (beside / alone).toFixed(2)],
        [
          'most connections at one host at once, as the hosts counted (limit 4)',
          '',
          fleet.mostAtOneHost(),
          '',
        ],
      ],
      limits: 'the one place in four that a slow host keeps busy in a worker, and the CPU of its checks.',
    };
  } finally {
    await fleet.close();
  }
}

async function submitSlow(fleet: Fleet, api: Member): Promise<void> {
  await inLanes(slowJobs, 16, (index) => ask(api, `http://${fleet.hosts[0]}/${index}`, 0, [200, 202]));
}

async function askOthers(fleet: Fleet, api: Member, name: string): Promise<number> {
  const times: number[] = [];
  await inLanes(otherJobs, 16, async (index) => {
    const start = performance.now();
    await ask(api, `http://${fleet.hosts[1 + (index % 100)]}/${name}/${index}`, 50, [200]);
    times.push(performance.now() - start);
  });
  return median(times);
}

/** Asks as a patient client does: a 503 is asked again after its Retry-After. */
async function ask(api: Member, url: string, waitS: number, wanted: readonly number[]): Promise<void> {
  for (;;) {
    const response = await fetch(
      `${api.url}/api/tools/redirect-check?url=${encodeURIComponent(url)}&wait=${waitS}`,
    );
    const text = await response.text();
    if (wanted.includes(response.status)) return;
    if (response.status !== 503 && response.status !== 202) throw new Error(`${response.status}: ${text}`);
    await new Promise((resolve) =>
      setTimeout(resolve, 1000 * Number(response.headers.get('retry-after') ?? 1)),
    );
  }
}

/** Runs `count` tasks, `lanes` at a time. */
export async function inLanes(
  count: number,
  lanes: number,
  task: (index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const work = async () => {
    for (let index = next++; index < count; index = next++) await task(index);
  };
  await Promise.all(Array.from({ length: lanes }, work));
}
