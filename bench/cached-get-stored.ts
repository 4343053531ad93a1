import { readFileSync } from 'node:fs';
import { redirectCheck } from '#shared/catalogue/redirect-check/spec';
import { randomId } from '#shared/model/job';
import type { Report } from '#shared/model/report';
import type { ReportStore } from '#shared/ports/report-store';
import { openJobKeys } from '#shared/queue/job-keys';
import type { Config } from '#shared/settings/config';
import { targetPolicyOf } from '#shared/settings/policy';
import { openAskReader } from '../api/request/ask.ts';

/** So many that a process has few of them in memory when they are asked for in turn: 64 MiB hold about 15,000. */
const count = 60_000;

/** Reports that only the store has: what is asked for each, and the key that its row has. */
export type StoredPlaces = { readonly paths: readonly string[]; readonly keys: readonly string[] };

/** Keeps the golden report of redirect-check for many targets, fresh for an hour. @param port that a target may name */
export async function fillStore(
  store: Pick<ReportStore, 'insert'>,
  config: Config,
  port: string,
): Promise<StoredPlaces> {
  const readAsk = openAskReader(targetPolicyOf(config), openJobKeys(config));
  const golden = JSON.parse(readFileSync('test/fixtures/golden/redirect-check.json', 'utf8')) as Report;
  const now = Date.now();
  const at = (ms: number) => new Date(now + ms).toISOString();
  const times = { checkedAt: at(0), freshUntil: at(3_600_000), expiresAt: at(86_400_000) };
  const places = Array.from({ length: count }, (_, index) => {
    const url = `http://site-${index}.example.com:${port}/`;
    const path = `/api/tools/redirect-check?url=${encodeURIComponent(url)}`;
    return { url, path, jobKey: readAsk(redirectCheck, { url: path, headers: {} }, undefined).jobKey };
  });
  for (const { url, jobKey } of places) {
    const reportId = randomId();
    const report = { ...golden, ...times, target: { url }, reportId };
    await store.insert(report, { reportId, jobId: randomId(), jobKey, isAnonymous: true });
  }
  return { paths: places.map(({ path }) => path), keys: places.map(({ jobKey }) => jobKey) };
}
