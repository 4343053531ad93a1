import { expect, test } from 'vitest';
import { notStarted } from '#shared/ports/job-queue';
import { type Circumstances, sayWhy } from '#shared/queue/operator';
import { makeJob } from '../contract/job-queue.contract.ts';

const waiting: Circumstances = {
  job: makeJob({ host: 'busy.test' }),
  state: 'waiting',
  waitsFor: 'worker',
  progress: notStarted,
  pausedMs: 0,
  isStopped: false,
  isServed: true,
  denied: undefined,
  place: 1,
  holders: [],
};

const cases: readonly { name: string; change: Partial<Circumstances>; says: string }[] = [
  {
    name: 'a job in the line of its host',
    change: { waitsFor: 'host', place: 2 },
    says: 'It waits for its host busy.test, at place 2',
  },
  {
    name: "a job that waits for its caller's turn",
    change: { waitsFor: 'turn', place: 3 },
    says: "It waits for its caller's turn, at place 3",
  },
  { name: 'a job that is tried again later', change: { waitsFor: 'time' }, says: 'It sleeps, as something' },
  {
    name: 'a job of a paused check',
    change: { waitsFor: 'time', pausedMs: 3000 },
    says: 'The check redirect-check is paused for another 3 s.',
  },
  {
    name: 'a job whose queue is paused in BullMQ',
    change: { isStopped: true },
    says: "BullMQ's queue network is paused",
  },
  { name: 'a job that may run', change: {}, says: 'It may run: a worker of the queue network has it' },
  {
    name: 'a queue without a worker',
    change: { isServed: false, waitsFor: 'turn' },
    says: 'No worker serves the queue network',
  },
  {
    name: 'a queue that a worker cannot serve',
    change: { isServed: false, denied: 'Install Chrome.' },
    says: 'No worker can serve the queue network. Install Chrome.',
  },
];

test.for(cases)('$name', ({ change, says }) => {
  expect(sayWhy({ ...waiting, ...change })).toContain(says);
});
