import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { openRedis, patient } from '#shared/backends/redis';
import { openAgreement } from '#shared/lifecycle/agreement/agreement';
import { drawJobId } from '#shared/model/job';
import { openLogger } from '#shared/telemetry/logger';
import { makeJob } from '../../contract/job-queue.contract.ts';
import { openClusterQueue } from '../../kit/bullmq-queue.ts';
import { describeCluster } from '../../kit/describe-cluster.ts';

const run = promisify(execFile);

type Listed = {
  readonly counts: { readonly network: { readonly waiting: number; readonly parked: number } };
  readonly pauses: readonly { readonly name: string }[];
  readonly hosts: readonly { readonly host: string; readonly waitingNetwork: number }[];
  readonly jobs: readonly { readonly jobId: string }[];
};

describeCluster('diag queue', (cluster) => {
  const diag = async (...words: readonly string[]): Promise<string> => {
    const environment = {
      PATH: process.env['PATH'] ?? '',
      REDIS_URL: cluster().url,
      MONGODB_URL: 'mongodb://127.0.0.1:1',
    };
    const { stdout } = await run(process.execPath, ['cli/diag.js', 'queue', ...words], { env: environment });
    return stdout;
  };
  const list = async () => JSON.parse(await diag('list', '--output', 'json')) as Listed;

  test('shows the parts of the queue as one, and steers a job wherever it is', async () => {
    const queue = await openClusterQueue(cluster(), { hostConcurrency: 2, lineLimit: 100 });
    const hosts = ['a.test', 'b.test', 'c.test', 'd.test', 'e.test'];
    const jobs = hosts.flatMap((host) =>
      Array.from({ length: 3 }, () => makeJob({ host, jobId: drawJobId(host) })),
    );
    for (const job of jobs) await queue.submit({ ...job, jobKey: job.jobId });
    const seen = await list();
    expect(seen.counts.network).toMatchObject({ waiting: 10, parked: 5 });
    expect(seen.hosts.map(({ host }) => host).sort()).toEqual(hosts);
    expect(seen.hosts.map(({ waitingNetwork }) => waitingNetwork)).toEqual([1, 1, 1, 1, 1]);
    expect(new Set(seen.jobs.map(({ jobId }) => jobId))).toEqual(new Set(jobs.map(({ jobId }) => jobId)));

    const last = jobs.at(-1)?.jobId ?? '';
    expect(await diag('why', last)).toContain('waits for its host e.test, at place 1');
    await diag('pause', 'e.test', '--for', '5m');
    expect((await list()).pauses.map(({ name }) => name)).toEqual(['e.test']);
    await diag('resume', 'e.test');
    expect((await list()).pauses).toEqual([]);
    await diag('drop', last);
    expect((await list()).counts.network).toMatchObject({ waiting: 10, parked: 4 });
    await queue.close(0);
  });

  test('refuses another number of parts than the service has', async () => {
    const log = openLogger('silent');
    const redis = openRedis(cluster().url, patient, log);
    const settings = [{ name: 'REDIS_SHARDS', read: async () => '32', isNeeded: true }];
    const agreement = openAgreement(redis, settings, log);
    await agreement.firstLook;
    await expect.poll(() => agreement.state()).toBe(true);
    await expect(diag('list')).rejects.toThrow(
      'REDIS_SHARDS is 16 here and another number in the processes of the service',
    );
    agreement.close();
    redis.disconnect();
  });
});
