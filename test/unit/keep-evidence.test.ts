import { zstdDecompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { randomId } from '#shared/model/job';
import { Problem } from '#shared/model/problem';
import { openSqliteReportStore } from '#shared/stores/reports/sqlite';
import type { EvidenceFile } from '../../worker/run/judge.ts';
import { openEvidenceKeeper } from '../../worker/run/keep-evidence.ts';

function fileOf(more: Partial<EvidenceFile> = {}): EvidenceFile {
  return {
    v: 1,
    check: 'redirect-check',
    target: 'http://a.test/',
    options: {},
    reportId: randomId(),
    checkedAtMs: Date.now(),
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

type Keeper = ReturnType<typeof openEvidenceKeeper>;
const keep = async (keeper: Keeper, file = fileOf()) => (await keeper.begin(file, JSON.stringify(file))).kept;
const away = new Problem('store_unavailable', 'away');

test('what is kept is in the store at once, without the values of cookies', async () => {
  const { lines, log } = openLines();
  const store = openSqliteReportStore(':memory:', { log, limitBytes: 1e9 });
  const keeper = openEvidenceKeeper({ reportStore: store, log, evidenceForS: 60 });
  const files = Array.from({ length: 45 }, () => fileOf());
  for (const file of files) {
    await keep(keeper, file);
    const bytes = await store.getBlob({ reportId: file.reportId ?? '', kind: 'evidence' });
    const text = zstdDecompressSync(bytes ?? Buffer.alloc(0)).toString();
    expect(JSON.parse(text)).toMatchObject({ reportId: file.reportId, target: 'http://a.test/' });
    expect(text).not.toContain('f3a9c1d07be24856');
  }
  await keeper.close();
  expect(lines).toEqual([]);
  await store.close();
});

test('of files that wait for the store, those beyond 200 are let go, and told once', async () => {
  const { lines, log } = openLines();
  const answer = Promise.withResolvers<void>();
  let asked = 0;
  const reportStore = {
    keepBlobs: () => {
      asked += 1;
      return answer.promise;
    },
  };
  const keeper = openEvidenceKeeper({ reportStore, log, evidenceForS: 60 });
  const file = fileOf();
  await Promise.all(Array.from({ length: 250 }, () => keeper.begin(file, JSON.stringify(file))));
  expect(asked).toBe(200);
  answer.resolve();
  await keeper.close();
  expect(lines).toMatchObject([{ level: 'warn', fields: { files: 50 }, message: 'evidence not kept' }]);
});

test('a store that is away for a moment is asked again', async () => {
  const { lines, log } = openLines();
  const errors = [away, undefined];
  let written = 0;
  const reportStore = {
    keepBlobs: async () => {
      const error = errors.shift();
      if (error) throw error;
      written += 1;
    },
  };
  const keeper = openEvidenceKeeper({ reportStore, log, evidenceForS: 60 });
  await keep(keeper);
  await expect.poll(() => written).toBe(1);
  await keeper.close();
  expect(lines).toEqual([]);
});

test.for([
  ['a store that stays away', away, 2, 'warn'],
  ['a defect', new TypeError('a defect'), 1, 'error'],
] as const)('%s costs the evidence, not the run', async ([, error, tries, level]) => {
  const { lines, log } = openLines();
  let asked = 0;
  const reportStore = {
    keepBlobs: async () => {
      asked += 1;
      throw error;
    },
  };
  const keeper = openEvidenceKeeper({ reportStore, log, evidenceForS: 60 });
  await keep(keeper);
  await keeper.close();
  expect(asked).toBe(tries);
  expect(lines).toMatchObject([{ level, fields: { files: 1, err: error }, message: 'evidence not kept' }]);
});

test('nothing is kept where the operator keeps none, nor of a report without an id', async () => {
  const { log } = openLines();
  let asked = 0;
  const reportStore = { keepBlobs: async () => void (asked += 1) };
  const open = (evidenceForS: number) => openEvidenceKeeper({ reportStore, log, evidenceForS });
  await keep(open(0));
  await keep(open(60), fileOf({ reportId: null }));
  expect(asked).toBe(0);
});
