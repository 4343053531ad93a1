import { expect, test } from 'vitest';
import { notStarted } from '#shared/ports/job-queue';
import { type Circumstances, sayWhy } from '#shared/queue/bullmq/why';
import { makeJob } from '../contract/job-queue.contract.ts';

const waiting: Circumstances = {
  job: makeJob({ host: 'busy.test' }),
  state: 'waiting',
  nowMs: 0,
  progress: notStarted,
  pause: undefined,
  isServed: true,
  denied: undefined,
  place: 0,
  hasSlot: false,
  waitsForTurn: false,
  holders: [],
  ahead: 0,
  wakesAt: undefined,
};

const cases: readonly { name: string; change: Partial<Circumstances>; says: string }[] = [
  {
    name: 'a job in the line of its host',
    change: { place: 2 },
    says: 'It waits for its host busy.test, at place 2',
  },
  {
    name: "a job that waits for its caller's turn, delayed as all that waits",
    change: { waitsForTurn: true, wakesAt: 30_000 },
    says: "It waits for its caller's turn",
  },
  {
    name: 'a job that looks again later',
    change: { wakesAt: 3000 },
    says: 'It sleeps, and asks for a slot of busy.test again in 3 s',
  },
  {
    name: 'a job that may run',
    change: { hasSlot: true, ahead: 4 },
    says: 'It may run, and waits for a free worker of the queue network: 4 jobs',
  },
  {
    name: 'a queue without a worker',
    change: { isServed: false, waitsForTurn: true },
    says: 'No worker serves the queue network',
  },
];

test.for(cases)('$name', ({ change, says }) => {
  expect(sayWhy({ ...waiting, ...change })).toContain(says);
});
