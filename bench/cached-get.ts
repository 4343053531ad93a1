import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import { chooseCoding } from '../api/answer/negotiation.ts';
import { clientHeaders } from '../test/kit/client-headers.ts';

const rounds = Number(process.env['BENCH_ROUNDS'] ?? 3);
const roundS = Number(process.env['BENCH_ROUND_S'] ?? 2);
const connections = Number(process.env['BENCH_CONNECTIONS'] ?? 32);

/**
 * A cached GET as real clients send it, limiter, log, metrics and ETag on, with and without a token, against a bare Express 5
 * handler that sends the same bytes in the same coding to the same client: requests/s, and CPU a request.
 */
export async function bench(): Promise<void> {
  const [ours, bare] = [await start('ours'), await start('bare')];
  const authorization = `Bearer ${ours.token}`;
  for (const [client, headers] of Object.entries(clientHeaders)) {
    const coding = chooseCoding(headers['accept-encoding'], Number.POSITIVE_INFINITY);
    const all: { anonymous: Load; token: Load; bare: Load }[] = [];
    for (let round = 0; round <= rounds; round += 1)
      all.push({
        anonymous: await load(ours.child, ours.url, headers),
        token: await load(ours.child, ours.url, { ...headers, authorization }),
        bare: await load(bare.child, `${bare.url}${coding}`, headers),
      });
    // The first round warms up.
    const measured = all.slice(1);
    const ratio = (kind: 'anonymous' | 'token', of: keyof Load) =>
      median(measured.map((round) => round[kind][of] / round.bare[of])).toFixed(2);
    const cpuUs = median(measured.map(({ anonymous }) => anonymous.cpuUs)).toFixed(0);
    const bareUs = median(measured.map(({ bare: express }) => express.cpuUs)).toFixed(0);
    console.log(
      `${client} (${coding}): ${ratio('anonymous', 'perSecond')} of bare Express, with a token ${ratio('token', 'perSecond')}; CPU ${cpuUs} µs against ${bareUs}, ${ratio('anonymous', 'cpuUs')}, with a token ${ratio('token', 'cpuUs')}`,
    );
  }
  for (const { child } of [ours, bare]) child.kill();
}

type Load = { readonly perSecond: number; readonly cpuUs: number };
type Server = { readonly url: string; readonly token: string; readonly child: ChildProcess };

async function start(kind: 'ours' | 'bare'): Promise<Server> {
  const child = fork(fileURLToPath(new URL('cached-get-server.ts', import.meta.url)), [kind], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const place = await new Promise<Omit<Server, 'child'>>((resolve, reject) => {
    child.once('message', (message) => resolve(message as Omit<Server, 'child'>));
    child.once('exit', (code) => reject(new Error(`the ${kind} server ended with ${code}`)));
  });
  return { child, ...place };
}

async function load(
  child: ChildProcess,
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<Load> {
  const before = await cpuOf(child);
  const { requests, non2xx, errors } = await autocannon({ url, headers, connections, duration: roundS });
  if (non2xx > 0 || errors > 0) throw new Error(`${non2xx} answers were not 200, ${errors} errors`);
  return { perSecond: requests.average, cpuUs: ((await cpuOf(child)) - before) / requests.total };
}

function cpuOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve) => {
    child.once('message', (message) => resolve(Number(message)));
    child.send('cpu');
  });
}

function median(all: readonly number[]): number {
  return all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? Number.NaN;
}
