import { catalogue } from '#shared/catalogue/registry';
import { queueNames } from '#shared/model/job';
import { openOperator, type Operator, type OperatorJob, pauseMostMs } from '#shared/queue/operator';
import { type Circumstances, sayWhy } from '#shared/queue/operator';
import { jsonText } from '#shared/render/visible-text';
import { readConfig } from '#shared/settings/config';
import { openLogger } from '#shared/telemetry/logger';
import { say, sayForProgram, show } from './door.ts';
import { UsageError } from './outcome.ts';

/** Prints counts, pauses, the lines of hosts, and jobs that run or wait. */
export async function listQueues({
  most,
  output,
}: {
  readonly most: string;
  readonly output: 'table' | 'json';
}): Promise<void> {
  const count = Number(most);
  if (!/^\d{1,5}$/.test(most) || count < 1) throw new UsageError('--most: give a count from 1 to 99999.');
  const seen = await withOperator(async (operator) => ({
    counts: await operator.stats(),
    pauses: (await operator.pauses()).map(({ check, until }) => ({
      kind: 'check',
      name: check,
      until: new Date(until).toISOString(),
    })),
    hosts: await operator.hosts(count),
    jobs: (await operator.jobs(count)).map(describe),
  }));
  if (output === 'json') return sayForProgram(jsonText(seen, 2));
  for (const queue of queueNames) {
    const { waiting, parked, running } = seen.counts[queue];
    say(show`${queue}: ${running} run, ${waiting} wait for a worker, ${parked} wait for their host`);
  }
  for (const { kind, name, until } of seen.pauses) say(show`paused until ${until}: ${kind} ${name}`);
  for (const { host, holders, waitingNetwork, waitingBrowser } of seen.hosts)
    say(
      show`host ${host}: ${holders.length} places held, ${waitingNetwork} network and ${waitingBrowser} browser jobs waiting`,
    );
  for (const { jobId, check, host, state, waitedS } of seen.jobs)
    say(show`job ${jobId}  ${state}  ${check}  ${host}  ${waitedS} s old`);
}

/** Prints why a job waits, or what became of it. */
export async function tellWhy(jobId: string): Promise<void> {
  const seen = await withOperator((operator) => findJob(operator, jobId));
  say(show`${seen.job.check} of ${seen.job.host}: ${sayWhy(seen)}`);
}

/** Wakes a job that waits, or starts one that has ended again. */
export async function retryJob(jobId: string): Promise<void> {
  const queueMs = readConfig().QUEUE_SECONDS * 1000;
  const submitted = await withOperator(async (operator) =>
    operator.retry(await findJob(operator, jobId), queueMs),
  );
  if (!submitted) throw new UsageError(`Job ${jobId} has ended well. Ask for its check again, with fresh=1.`);
  const { state, jobId: now } = submitted;
  if (state === 'full')
    throw new UsageError('Too many jobs wait for its host. Try again when there are fewer.');
  say(state === 'parked' ? show`${now}: waits for its host` : show`${now}: ${state}`);
}

/** Takes out a job that waits. */
export async function dropJob(jobId: string): Promise<void> {
  const isDropped = await withOperator(async (operator) =>
    operator.drop((await findJob(operator, jobId)).job.jobId),
  );
  if (!isDropped) throw new UsageError(`Job ${jobId} runs or has ended: only jobs that wait can be dropped.`);
  say(show`${jobId}: dropped`);
}

const batch = 500;

/** Drops every job that waits now. Jobs that come meanwhile may stay. */
export async function drainQueues({ queue }: { readonly queue?: string }): Promise<void> {
  const dropped = await withOperator(async (operator) => {
    let count = 0;
    for (;;) {
      const waiting = (await operator.jobs(batch)).filter(
        ({ job, state }) => state === 'waiting' && (queue === undefined || job.queue === queue),
      );
      const before = count;
      for (const { job } of waiting) if (await operator.drop(job.jobId)) count += 1;
      // What is left was taken by workers meanwhile.
      if (count === before) return count;
    }
  });
  say(show`${dropped} jobs dropped`);
}

/** Lets no worker start jobs of a check. @param time such as "30m" */
export async function pauseJobs(name: string, time: string): Promise<void> {
  const paused = readCheck(name);
  const forMs = readTime(time);
  const { check, until } = await withOperator((operator) => operator.pause(paused, forMs));
  say(
    show`check ${check}: paused until ${new Date(until).toISOString()}. Jobs that run go on; jobs that wait longer than QUEUE_SECONDS expire.`,
  );
}

/** Ends a pause. */
export async function resumeJobs(name: string): Promise<void> {
  const check = readCheck(name);
  if (!(await withOperator((operator) => operator.resume(check))))
    throw new UsageError(`The check ${check} is not paused. See diag queue list.`);
  say(show`check ${check}: goes on within seconds`);
}

async function findJob(operator: Operator, jobId: string): Promise<Circumstances> {
  const seen = await operator.find(jobId);
  if (!seen)
    throw new UsageError(
      `There is no job ${jobId}: it never was, was dropped, or ended more than ten minutes ago.`,
    );
  return seen;
}

async function withOperator<T>(act: (operator: Operator) => Promise<T>): Promise<T> {
  const { REDIS_URL: url, HOST_CONCURRENCY: hostConcurrency, QUEUE_SECONDS } = readConfig();
  if (url === undefined)
    throw new UsageError(
      'diag queue needs REDIS_URL and MONGODB_URL: the queue of a single process is in its memory.',
    );
  const hostWaitingLimit = QUEUE_SECONDS * hostConcurrency;
  const operator = await openOperator({ url, log: openLogger('silent'), hostConcurrency, hostWaitingLimit });
  try {
    return await act(operator);
  } finally {
    await operator.close();
  }
}

function describe({ job: { jobId, queue, check, host }, state, waitedMs }: OperatorJob) {
  return { jobId, queue, check, host, state, waitedS: Math.round(waitedMs / 1000) };
}

/** The job inside domain-health that asks a domain for all network checks. */
const visit = 'domain-visit';

function readCheck(text: string): string {
  if (text === visit || catalogue.some(({ name }) => name === text)) return text;
  throw new UsageError(
    `"${text}" is no check. Checks: ${catalogue.map(({ name }) => name).join(', ')}, ${visit}. One host is held back by a line in TARGET_DENY_NAMES_FILE.`,
  );
}

const unitMs = { s: 1000, m: 60_000, h: 3_600_000 } as const;

function readTime(text: string): number {
  const [, count, unit] = /^(\d{1,6})([smh])$/.exec(text) ?? [];
  const ms = Number(count) * unitMs[unit as keyof typeof unitMs];
  if (!(ms > 0 && ms <= pauseMostMs))
    throw new UsageError(`--for: give a time such as 90s, 30m or 2h, 24h at most, not "${text}".`);
  return ms;
}
