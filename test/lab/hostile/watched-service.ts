import { setTimeout as wait } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { type ServiceProcess, startService } from '../../kit/service-process.ts';

/** What another caller met meanwhile, and how late an idle thread was. */
export type Meanwhile = {
  readonly longestMs: number;
  readonly asked: number;
  readonly failed: number;
  readonly ownLagMs: number;
  /** The longest wait for an answer, less the time in which the machine had no core for the service or for the caller. */
  readonly heldUpMs: number;
};

/** What came of many requests. */
export type Outcome = {
  readonly statuses: readonly number[];
  /** The ids of the reports among the answers. */
  readonly reportIds: readonly string[];
  readonly blockedMs: number;
  readonly other: Meanwhile;
};

/** A service in a process of its own, and somebody who watches whether it is there. */
export type WatchedService = {
  readonly service: ServiceProcess;
  /**
   * Asks for all of these, so many at once, while another caller asks for a cached report all the time.
   * @param cached a path whose report is fresh
   * @returns the answers' statuses and the reports they name, the longest block of the event loop in ms, and what the other caller met
   */
  ask(paths: readonly string[], cached: string, lanes: number): Promise<Outcome>;
  /** Asks once, and gives the status. */
  statusOf(path: string): Promise<number>;
  close(): Promise<void>;
};

/** Starts the service. @param token sent with every request but the other caller's */
export async function startWatchedService(
  environment: Readonly<Record<string, string>>,
  token?: string,
): Promise<WatchedService> {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const service = await startService({
    program: process.execPath,
    args: ['cli/diag.js', 'serve'],
    environment: { ...environment, RATE_LIMIT: 'off', LOG_LEVEL: 'info' },
  });
  return {
    service,
    async ask(paths, cached, lanes) {
      await readLongestBlock(service);
      const caller = openOtherCaller(
        [`${service.url}${cached}`, `${service.adminUrl}/livez`],
        service.child.pid ?? 0,
      );
      const statuses: number[] = [];
      const reportIds: string[] = [];
      let next = 0;
      const lane = async () => {
        for (let path = paths[next++]; path !== undefined; path = paths[next++]) {
          const answer = await askPatiently(`${service.url}${path}`, headers);
          statuses.push(answer.status);
          const [, reportId] = /"reportId":"([0-9a-f]{32})"/.exec(await answer.text()) ?? [];
          if (reportId !== undefined) reportIds.push(reportId);
        }
      };
      await Promise.all(Array.from({ length: lanes }, lane));
      const other = await caller.end();
      return { statuses, reportIds, blockedMs: await readLongestBlock(service), other };
    },
    statusOf: async (path) => (await fetch(`${service.url}${path}`, { headers })).status,
    async close() {
      service.kill('SIGKILL');
      await service.closed;
    },
  };
}

/** What others noticed of these requests, in sentences; none where all were answered and nobody else was held up. @param what they were */
export function faultsOf(what: string, { statuses, blockedMs, other }: Outcome): string[] {
  console.info(
    `${what}: event loop blocked for ${Math.round(blockedMs)} ms at most (an idle thread was late by ${Math.round(other.ownLagMs)} ms); ${other.asked} cached GETs of another caller, the slowest ${Math.round(other.longestMs)} ms, of which the service took ${Math.round(other.heldUpMs)} ms`,
  );
  const refused = statuses.filter((status) => status >= 300);
  // On a busy machine the service waits for a core with all others: what an idle thread was late tells that, and so does the kernel.
  const isBlocked = Math.min(blockedMs, other.heldUpMs) >= 100 + 2 * other.ownLagMs;
  return [
    ...(refused.length === 0 ? [] : [`${what}: answered by ${refused.join(', ')}`]),
    ...(other.failed === 0 && other.asked > 20 ? [] : ['the other caller was not answered']),
    ...(isBlocked ? [`during ${what} the event loop was blocked for ${Math.round(blockedMs)} ms`] : []),
  ];
}

/** Asks again when it is told to: without a core the service refuses work for a while, and says when to come back. */
async function askPatiently(url: string, headers: Record<string, string>): Promise<Response> {
  for (let tries = 1; ; tries += 1) {
    const answer = await fetch(url, { headers });
    if (answer.status !== 503 || tries === 10) return answer;
    await answer.body?.cancel();
    await wait(1000 * Number(answer.headers.get('retry-after')));
  }
}

/** The longest block of the event loop since the last time this was asked, in ms. */
async function readLongestBlock({ adminUrl }: ServiceProcess): Promise<number> {
  const text = await (await fetch(`${adminUrl}/metrics`)).text();
  return 1000 * Number(/^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(text)?.[1]);
}

/** Another caller, in a thread of its own: asks these in turn all the time. @param pid the service's */
function openOtherCaller(urls: readonly string[], pid: number) {
  const worker = new Worker(
    `const { parentPort, workerData: { urls, pid } } = require('node:worker_threads');
     const { monitorEventLoopDelay } = require('node:perf_hooks');
     const { readFileSync } = require('node:fs');
     const own = monitorEventLoopDelay({ resolution: 5 });
     own.enable();
     // Nanoseconds that a thread was ready to run, but waited for a core (Linux; elsewhere 0).
     const waitedOf = (path) => {
       try { return Number(readFileSync(path, 'utf8').split(' ')[1]) / 1e6; } catch { return 0; }
     };
     const waited = () => waitedOf('/proc/' + pid + '/task/' + pid + '/schedstat') + waitedOf('/proc/thread-self/schedstat');
     let longestMs = 0, heldUpMs = 0, asked = 0, failed = 0, isOver = false;
     parentPort.on('message', () => { isOver = true; });
     (async () => {
       while (!isOver) {
         const before = waited();
         const start = performance.now();
         const status = await fetch(urls[asked % urls.length]).then((answer) => answer.text().then(() => answer.status), () => 0);
         const tookMs = performance.now() - start;
         asked += 1;
         if (status !== 200) failed += 1;
         longestMs = Math.max(longestMs, tookMs);
         heldUpMs = Math.max(heldUpMs, tookMs - (waited() - before));
         await new Promise((resolve) => setTimeout(resolve, 10));
       }
       parentPort.postMessage({ longestMs, heldUpMs, asked, failed, ownLagMs: own.max / 1e6 });
     })();`,
    { eval: true, workerData: { urls, pid } },
  );
  return {
    end: () =>
      new Promise<Meanwhile>((resolve) => {
        worker.once('message', (told: Meanwhile) => {
          resolve(told);
          void worker.terminate();
        });
        worker.postMessage('over');
      }),
  };
}
