import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { openSslLab, type SslLab } from '../test/lab/ssl-check/lab.ts';

const repeats = 3;
const only = new RegExp(process.env['BENCH_ONLY'] ?? '');

/** The longest turn of the event loop, by CPU of its thread, in which ssl-check reads flights that are made to hold it: `node bench/tls-turns.ts`. */
async function measureTurns(): Promise<void> {
  const servers = new Worker(new URL('./tls-turns-servers.ts', import.meta.url));
  const [opened] = (await once(servers, 'message')) as [readonly (readonly [string, number])[]];
  const lab = await openSslLab();
  const chosen = opened.filter(([name]) => only.test(name));
  console.log(
    'flight · longest turn, ms, the least and the most of three runs · CPU of the run, ms · characters of evidence',
  );
  for (const [name, port] of chosen) {
    const seen = [];
    for (let run = 0; run < repeats; run += 1) seen.push(await longestTurn(lab, port));
    const turns = seen.map(({ turnMs }) => turnMs);
    const most = seen.at(-1);
    console.log(
      [
        name,
        Math.min(...turns).toFixed(1),
        Math.max(...turns).toFixed(1),
        most?.cpuMs.toFixed(0),
        most?.characters,
      ].join(' · '),
    );
  }
  await lab.close();
  await servers.terminate();
}

/** Runs one check while every turn of the loop is measured. Judging is one turn of its own, unless a thread does it. */
async function longestTurn(lab: SslLab, port: number) {
  let isOver = false;
  let turnMs = 0;
  let before = process.threadCpuUsage();
  const start = before;
  const turn = () => {
    const { user, system } = process.threadCpuUsage(before);
    turnMs = Math.max(turnMs, (user + system) / 1000);
    before = process.threadCpuUsage();
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  const { evidence } = await lab.check(port, 'lab.test', { firstTimeoutMs: 1500 });
  isOver = true;
  const { user, system } = process.threadCpuUsage(start);
  return { turnMs, cpuMs: (user + system) / 1000, characters: JSON.stringify(evidence).length };
}

if (import.meta.main) await measureTurns();
