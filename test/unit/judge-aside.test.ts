import { afterAll, expect, test } from 'vitest';
import type { Json } from '#shared/model/verdict';
import { dnsCheck } from '../../worker/checks/dns-check/index.ts';
import { openJudging } from '../../worker/run/judge-aside.ts';
import { type EvidenceFile, judge } from '../../worker/run/judge.ts';
import { goodWorld } from './dns-check/good-world.ts';
import { gatherIn } from './dns-check/run-check.ts';

const judging = openJudging(undefined);
afterAll(() => judging.close());
const evidence = await gatherIn(goodWorld());

/** A file of so many more characters than usual; judging reads none of them. */
const fileOf = (padding: number): EvidenceFile => ({
  v: 1,
  check: 'dns-check',
  target: 'good.test',
  options: {},
  reportId: null,
  checkedAtMs: Date.parse('2026-11-21T03:00:00Z'),
  durationMs: 400,
  freshForS: null,
  keepForS: null,
  evidence: { ...evidence, padding: 'x'.repeat(padding) } as unknown as Json,
});
const alive = new AbortController().signal;
const judgeIn = (file: EvidenceFile, signal: AbortSignal) =>
  judging.judge(dnsCheck, file, JSON.stringify(file), signal);

test.for([
  ['usual', 0],
  ['large', 300_000],
] as const)('the report of %s evidence is what judging it gives', async ([, padding]) => {
  const file = fileOf(padding);
  expect(await judgeIn(file, alive)).toEqual(judge(dnsCheck, file));
});

test('a run that ends takes its file along, and the files of others are judged all the same', async () => {
  const limit = new AbortController();
  const late = judgeIn(fileOf(2_000_000), limit.signal);
  const other = judgeIn(fileOf(300_000), alive);
  limit.abort(new Error('the run is over'));
  await expect(late).rejects.toThrow('the run is over');
  expect((await other).check).toBe('dns-check');
});

test('what judging cannot read is a defect that rises', async () => {
  const file = { ...fileOf(300_000), evidence: { padding: 'x'.repeat(300_000) } };
  await expect(judgeIn(file, alive)).rejects.toThrow('evidence could not be judged');
});

test('a closed thread starts again with the next large file', async () => {
  await judging.close();
  expect((await judgeIn(fileOf(300_000), alive)).check).toBe('dns-check');
});
