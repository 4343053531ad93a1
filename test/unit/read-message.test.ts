import { expect, test } from 'vitest';
import { parseJson, readJob } from '#shared/queue/read-message';
import { makeJob } from '../contract/job-queue.contract.ts';

const job = makeJob();
const place = { queue: job.queue, jobId: job.jobId };
const read = (more: object) => readJob(parseJson(JSON.stringify({ ...job, ...more })), place);

test('a job comes out as it went in, with what a newer version has added', () => {
  expect(read({ isNew: true })).toEqual({ value: { ...job, isNew: true } });
});

test.for([
  ['trace', { trace: '00-nonsense-01' }],
  ['options', { options: [] }],
  ['wanted', { wanted: { since: 'now' } }],
  ['runLimitMs', { runLimitMs: 600_001 }],
  ['target', { target: 'x'.repeat(4097) }],
  ['levels', { levels: ['1', '2', '3', '4', '5'] }],
  ['queue', { queue: 'browser' }],
  ['jobId', { jobId: 'other' }],
] as const)('a wrong %s is named', ([fault, more]) => {
  expect(read(more)).toEqual({ fault });
});

test('what is no object has no name, and how deep options go costs nothing', () => {
  expect(readJob(undefined, place)).toEqual({ fault: '' });
  const depth = 5000;
  const deep = JSON.stringify(job).replace(
    '"options":{}',
    `"options":{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`,
  );
  expect(readJob(parseJson(deep), place)).toHaveProperty('value');
});
