import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { openQuestions } from '#shared/ask/question';
import { redirectCheck } from '#shared/catalogue/redirect-check/spec';
import { openMemoryRateLimiter } from '#shared/limits/rates/flexible';
import type { StoredReport } from '#shared/ports/report-store';
import { openJobKeys } from '#shared/queue/job-keys';
import { readConfig } from '#shared/settings/config';
import { targetPolicyOf } from '#shared/settings/policy';
import { digestOf } from '#shared/stores/reports/row';
import { openReportCache } from '../../api/answer/ready-report.ts';
import { openAskReader } from '../../api/request/read-ask.ts';

const mebibyte = 1024 * 1024;
const json = Buffer.from(JSON.stringify({ text: 'a report of two kilobytes '.repeat(80) }));
const gzip = new Uint8Array(gzipSync(json));

/** A report as a store hands it out: prepared, or of an earlier version as a view of the 64 KiB that the decompressor wrote to. */
function stored(jobKey: string, isPrepared: boolean): StoredReport {
  return {
    reportId: jobKey,
    jobId: jobKey,
    jobKey,
    check: 'redirect-check',
    target: 'http://a.test/',
    score: 100,
    grade: 'A',
    state: 'complete',
    options: '{}',
    rulesVersion: 1,
    isOpen: true,
    checkedAt: 1,
    freshUntil: 2,
    expiresAt: 3,
    prepared: isPrepared ? { gzip: gzip.slice(), digest: digestOf(json), jsonBytes: json.length } : undefined,
    json: () => gunzipSync(gzip),
  };
}

const forms = [
  { form: 'a report', isPrepared: true },
  { form: 'a report of an earlier version', isPrepared: false },
] as const;

test.for(forms)(
  '$form in memory holds its own bytes and no more, in every coding',
  async ({ isPrepared }) => {
    const ready = openReportCache(mebibyte, String).keep(stored('a', isPrepared));
    for (const coding of ['identity', 'gzip', 'zstd'] as const) {
      const bytes = await ready.bytes(coding);
      expect([coding, bytes.buffer.byteLength]).toEqual([coding, bytes.length]);
    }
  },
);

test('the report cache stays within its budget, also when other codings are made later', async () => {
  const cache = openReportCache(mebibyte, String);
  const all = Array.from({ length: 1000 }, (_, index) => cache.keep(stored(String(index), false)));
  const before = cache.count();
  expect(before).toBeLessThan(mebibyte / json.length / 2);
  for (const ready of all.slice(-before)) ready.latin1('identity');
  expect(cache.count()).toBeLessThan(before);
  const last = cache.keep(stored('last', false));
  last.latin1('identity');
  expect(cache.find('last', { since: 0, orFresh: false }, 0)).toBe(last);
});

test('a report from the store is counted by its packed bytes, and by its unpacked ones once a client asked for those', () => {
  const cache = openReportCache(mebibyte, String);
  const all = Array.from({ length: 1000 }, (_, index) => cache.keep(stored(String(index), true)));
  const before = cache.count();
  for (const ready of all.slice(-before)) expect(ready.identity().length).toBe(json.length);
  expect(cache.count()).toBeLessThan(before);
});

test('an address is remembered, a spelling of it with empty pairs and a very long one are not', () => {
  const config = readConfig({ DATA_DIR: ':memory:' });
  const readAsk = openAskReader(openQuestions(targetPolicyOf(config), openJobKeys(config), () => true));
  const plain = '/api/tools/redirect-check?url=http%3A%2F%2Fexample.com%2F';
  const addresses = [plain, `${plain}&`, plain.replace('?', '?&&'), `${plain}${'a'.repeat(1024)}`];
  const recalled = addresses.map((url) => {
    readAsk(redirectCheck, { url, headers: {} } as unknown as Parameters<typeof readAsk>[1], undefined);
    return readAsk.recallPlain(url, undefined) !== undefined;
  });
  expect(recalled).toEqual([true, false, false, false]);
});

test('the limiter of a process forgets the caller that asked least recently, and none of the last 10,000', async () => {
  const limiter = openMemoryRateLimiter();
  const quota = { policy: 'requests', points: 10, windowS: 60 } as const;
  const left = async (caller: number) => (await limiter.look(quota, String(caller))).remaining;
  for (let caller = 0; caller < 100_000; caller += 1) await limiter.take(quota, String(caller), 1);
  expect([await left(0), await left(90_000), await left(99_999)]).toEqual([10, 9, 9]);
});
