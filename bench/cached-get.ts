import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';

const rounds = 5;
const roundS = 4;

/** Requests/s of a cached GET, limiter and log on, against a bare Express 5 handler that sends the same bytes. */
export async function bench(): Promise<void> {
  const ours = await start('ours');
  const bare = await start('bare');
  const ratios: number[] = [];
  await load(ours);
  await load(bare);
  for (let round = 0; round < rounds; round += 1) {
    const a = await load(ours);
    const b = await load(bare);
    ratios.push(a.perSecond / b.perSecond);
    console.log(
      `cached GET ${a.perSecond.toFixed(0)}/s, ${a.cpuUs.toFixed(0)} µs CPU; bare Express ${b.perSecond.toFixed(0)}/s, ${b.cpuUs.toFixed(0)} µs CPU; ratio ${(a.perSecond / b.perSecond).toFixed(2)}`,
    );
  }
  ratios.sort((a, b) => a - b);
  console.log(`median ratio ${ratios[Math.floor(rounds / 2)]?.toFixed(2)} (at least 0.70)`);
  for (const { child } of [ours, bare]) child.kill();
}

type Server = { readonly child: ChildProcess; readonly url: string };

async function start(kind: 'ours' | 'bare'): Promise<Server> {
  const child = fork(fileURLToPath(new URL('cached-get-server.ts', import.meta.url)), [kind], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const url = await new Promise<string>((resolve, reject) => {
    child.once('message', (message) => resolve(String(message)));
    child.once('exit', (code) => reject(new Error(`the ${kind} server ended with ${code}`)));
  });
  return { child, url };
}

async function load({ child, url }: Server): Promise<{ perSecond: number; cpuUs: number }> {
  const before = await cpuOf(child);
  const { requests, non2xx, errors } = await autocannon({ url, connections: 32, duration: roundS });
  if (non2xx > 0 || errors > 0) throw new Error(`${non2xx} answers were not 200, ${errors} errors`);
  return { perSecond: requests.average, cpuUs: ((await cpuOf(child)) - before) / requests.total };
}

function cpuOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve) => {
    child.once('message', (message) => resolve(Number(message)));
    child.send('cpu');
  });
}
