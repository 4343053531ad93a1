// What one entry of each memory holds, in a process of its own: the constants beside the budgets in api/ and shared/limits/rates.

import { openQuestions } from '#shared/ask/question';
import { redirectCheck } from '#shared/catalogue/redirect-check/spec';
import { openMemoryRateLimiter } from '#shared/limits/rates/flexible';
import { randomId } from '#shared/model/job';
import { openJobKeys } from '#shared/queue/job-keys';
import { readConfig } from '#shared/settings/config';
import { targetPolicyOf } from '#shared/settings/policy';
import { openReportCache } from '../api/answer/ready-report.ts';
import { openAskReader } from '../api/request/read-ask.ts';

const count = 20_000;
const reportBytes = 2000;

const fills: Readonly<Record<string, () => Promise<object>>> = {
  'report of 2,000 bytes': async () => {
    const cache = openReportCache(
      1e12,
      (id) => `</api/reports/${id}>; rel="self", </api/reports/${id}/export>`,
    );
    for (let index = 0; index < count; index += 1)
      cache.keep({
        reportId: randomId(),
        jobId: randomId(),
        jobKey: randomId().slice(0, 26),
        check: 'redirect-check',
        target: `http://a.test/${index}`,
        score: 100,
        grade: 'A',
        state: 'complete',
        options: '{}',
        rulesVersion: 1,
        isOpen: true,
        checkedAt: Date.now(),
        freshUntil: Date.now() + 60_000,
        expiresAt: Date.now() + 60_000,
        prepared: {
          gzip: new Uint8Array(reportBytes),
          digest: randomId().slice(0, 22),
          jsonBytes: reportBytes * 3,
        },
        json: () => new Uint8Array(reportBytes * 3),
      });
    return cache;
  },
  'address of 70 characters': async () => {
    const config = readConfig({ DATA_DIR: ':memory:' });
    const readAsk = openAskReader(openQuestions(targetPolicyOf(config), openJobKeys(config), () => true));
    for (let index = 0; index < count; index += 1) {
      const url = `/api/tools/redirect-check?url=http%3A%2F%2Fexample.com%2F${index}`;
      readAsk(
        redirectCheck,
        { url, path: '', headers: {} } as unknown as Parameters<typeof readAsk>[1],
        undefined,
      );
    }
    return readAsk;
  },
  'counter of a caller': async () => {
    const limiter = openMemoryRateLimiter();
    const quota = { policy: 'requests', points: 600, windowS: 60 } as const;
    for (let index = 0; index < count; index += 1)
      await limiter.take(quota, `2001:db8:0:${index.toString(16)}::/64`, 1);
    return limiter;
  },
};

const [name = ''] = process.argv.slice(2);
const kept: object[] = [];
globalThis.gc?.();
const before = process.memoryUsage();
kept.push((await fills[name]?.()) ?? {});
globalThis.gc?.();
const after = process.memoryUsage();
const each = (field: 'rss' | 'heapUsed' | 'arrayBuffers') =>
  Math.round((after[field] - before[field]) / count);
console.log(
  `${name}: ${each('rss')} bytes of RSS (heap ${each('heapUsed')}, buffers ${each('arrayBuffers')})`,
);
process.exit(kept.length === 1 ? 0 : 1);
