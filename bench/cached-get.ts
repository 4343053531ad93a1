import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';

const rounds = 5;
const roundS = 4;

/** Requests/s of a cached GET, limiter and log on, with and without a token, against a bare Express 5 handler that sends the same bytes. */
export async function bench(): Promise<void> {
  const [ours, token, bare] = [await start('ours'), await start('token'), await start('bare')];
  const ratios = { ours: [] as number[], token: [] as number[] };
  for (const server of [ours, token, bare]) await load(server);
  for (let round = 0; round < rounds; round += 1) {
    const [a, t, b] = [await load(ours), await load(token), await load(bare)];
    ratios.ours.push(a.perSecond / b.perSecond);
    ratios.token.push(t.perSecond / b.perSecond);
    console.log(`cached GET ${told(a)}; with a token ${told(t)}; bare Express ${told(b)}`);
  }
  for (const [name, all] of Object.entries(ratios)) {
    all.sort((a, b) => a - b);
    console.log(`${name}: median ratio ${all[Math.floor(rounds / 2)]?.toFixed(2)} (at least 0.70)`);
  }
  for (const { child } of [ours, token, bare]) child.kill();
}

function told({ perSecond, cpuUs }: Awaited<ReturnType<typeof load>>): string {
  return `${perSecond.toFixed(0)}/s, ${cpuUs.toFixed(0)} µs CPU`;
}

type Address = { readonly url: string; readonly headers: Record<string, string> };
type Server = Address & { readonly child: ChildProcess };

async function start(kind: 'ours' | 'token' | 'bare'): Promise<Server> {
  const child = fork(fileURLToPath(new URL('cached-get-server.ts', import.meta.url)), [kind], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const address = await new Promise<Address>((resolve, reject) => {
    child.once('message', (message) => resolve(message as Address));
    child.once('exit', (code) => reject(new Error(`the ${kind} server ended with ${code}`)));
  });
  return { child, ...address };
}

async function load({ child, url, headers }: Server): Promise<{ perSecond: number; cpuUs: number }> {
  const before = await cpuOf(child);
  const { requests, non2xx, errors } = await autocannon({ url, headers, connections: 32, duration: roundS });
  if (non2xx > 0 || errors > 0) throw new Error(`${non2xx} answers were not 200, ${errors} errors`);
  return { perSecond: requests.average, cpuUs: ((await cpuOf(child)) - before) / requests.total };
}

function cpuOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve) => {
    child.once('message', (message) => resolve(Number(message)));
    child.send('cpu');
  });
}
