import { zstdDecompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { randomId } from '#shared/model/job';
import { Problem } from '#shared/model/problem';
import { openSqliteReportStore } from '#shared/report-store/sqlite';
import type { EvidenceFile } from '../../worker/run/judge.ts';
import { openEvidenceKeeper } from '../../worker/run/keep-evidence.ts';

function fileOf(more: Partial<EvidenceFile> = {}): EvidenceFile {
  return {
    v: 1,
    check: 'redirect-check',
    target: 'http://a.test/',
    options: {},
    reportId: randomId(),
    checkedAtMs: 1,
    durationMs: 1,
    freshForS: null,
    keepForS: null,
    evidence: { headers: [['Set-Cookie', 'sid=f3a9c1d07be24856']] },
    ...more,
  };
}

function openLines() {
  const lines: { level: string; fields: object; message: string }[] = [];
  const write = (level: string) => (fields: object, message: string) =>
    void lines.push({ level, fields, message });
  return {
    lines,
    log: { error: write('error'), warn: write('warn'), info: write('info'), debug: write('debug') },
  };
}

test('files are written after their runs, in batches, without the values of cookies', async () => {
  const { lines, log } = openLines();
  const store = openSqliteReportStore(':memory:', { log, limitBytes: 1e9 });
  const writes: number[] = [];
  const reportStore = {
    keepBlobs: (blobs: Parameters<typeof store.keepBlobs>[0]) => {
      writes.push(blobs.length);
      return store.keepBlobs(blobs);
    },
  };
  const keeper = openEvidenceKeeper({ reportStore, log, evidenceForS: 60 });
  const files = Array.from({ length: 45 }, () => fileOf());
  for (const file of files) keeper.keep(file);
  keeper.keep(fileOf({ reportId: null }));
  expect(writes).toEqual([]);
  await keeper.close();
  expect(writes).toEqual([20, 20, 5]);
  for (const { reportId } of files) {
    const bytes = await store.getBlob({ reportId: reportId ?? '', kind: 'evidence' });
    const text = zstdDecompressSync(bytes ?? Buffer.alloc(0)).toString();
    expect(JSON.parse(text)).toMatchObject({ reportId, target: 'http://a.test/' });
    expect(text).not.toContain('f3a9c1d07be24856');
  }
  expect(lines).toEqual([]);
  await store.close();
});

test('what comes beyond the end of the queue is let go, and told once', async () => {
  const { lines, log } = openLines();
  let written = 0;
  const reportStore = { keepBlobs: async (blobs: readonly unknown[]) => void (written += blobs.length) };
  const keeper = openEvidenceKeeper({ reportStore, log, evidenceForS: 60 });
  for (let index = 0; index < 250; index += 1) keeper.keep(fileOf());
  await keeper.close();
  expect(written).toBe(200);
  expect(lines).toMatchObject([{ level: 'warn', fields: { files: 50 } }]);
});

test('a store that is away costs the evidence, not the run, and the next batch is tried', async () => {
  const { lines, log } = openLines();
  const errors = [new Problem('store_unavailable', 'away'), new TypeError('a defect'), undefined];
  let written = 0;
  const reportStore = {
    keepBlobs: async (blobs: readonly unknown[]) => {
      const error = errors.shift();
      if (error) throw error;
      written += blobs.length;
    },
  };
  const keeper = openEvidenceKeeper({ reportStore, log, evidenceForS: 60 });
  for (let index = 0; index < 60; index += 1) keeper.keep(fileOf());
  await keeper.close();
  expect(written).toBe(20);
  expect(lines.map(({ level, message }) => [level, message])).toEqual([
    ['warn', 'evidence not kept'],
    ['error', 'evidence not kept'],
  ]);
});

test('nothing is kept where the operator keeps none', async () => {
  const { log } = openLines();
  let calls = 0;
  const reportStore = { keepBlobs: async () => void (calls += 1) };
  const keeper = openEvidenceKeeper({ reportStore, log, evidenceForS: 0 });
  keeper.keep(fileOf());
  await keeper.close();
  expect(calls).toBe(0);
});
