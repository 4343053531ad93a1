import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { Problem } from '#shared/model/problem';
import { openLoadShedding, type LoadShedding } from '../../api/limits/load-shedding.ts';

const windowMs = 500;
const limits = { lagMs: 60, windowMs, waits: 3 };
let loadShedding: LoadShedding | undefined;
afterEach(() => loadShedding?.close());

function stall(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

function refusal({ check }: LoadShedding, hasFew = false): Problem | undefined {
  try {
    check(hasFew);
    return undefined;
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

test('one long stall refuses nobody once it is over', async () => {
  loadShedding = openLoadShedding(limits, () => 0);
  await wait(windowMs / 2);
  stall(100);
  await wait(windowMs);
  expect(refusal(loadShedding)).toBeUndefined();
});

test('a loop that is late at every turn refuses new work until it keeps up again', async () => {
  loadShedding = openLoadShedding(limits, () => 0);
  // A busy machine makes some windows too short for two turns: the next one tells.
  for (let turn = 0; turn < 200 && refusal(loadShedding) === undefined; turn += 1) {
    stall(100);
    await wait(0);
  }
  expect(refusal(loadShedding)).toMatchObject({ code: 'overloaded' });
  // Late by twice the limit: whoever has no backlog is still served.
  expect(refusal(loadShedding, true)).toBeUndefined();
  await expect.poll(() => refusal(loadShedding as LoadShedding), { timeout: 20_000 }).toBeUndefined();
});

test('so many may wait and no more', () => {
  let waits = 2;
  loadShedding = openLoadShedding(limits, () => waits);
  expect(refusal(loadShedding)).toBeUndefined();
  waits = 3;
  expect(refusal(loadShedding)).toMatchObject({ code: 'overloaded' });
});
