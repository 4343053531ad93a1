import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { Problem } from '#shared/model/problem';
import { openShed, type Shed } from '../../api/limits/shed.ts';

const windowMs = 500;
const limits = { lagMs: 60, windowMs, waits: 3 };
let shed: Shed | undefined;
afterEach(() => shed?.close());

function stall(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

function refusal({ check }: Shed, hasFew = false): Problem | undefined {
  try {
    check(hasFew);
    return undefined;
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

test('one long stall refuses nobody once it is over', async () => {
  shed = openShed(limits, () => 0);
  await wait(windowMs / 2);
  stall(100);
  await wait(windowMs);
  expect(refusal(shed)).toBeUndefined();
});

test('a loop that is late at every turn refuses new work until it keeps up again', async () => {
  shed = openShed(limits, () => 0);
  // A busy machine makes some windows too short for two turns: the next one tells.
  for (let turn = 0; turn < 200 && refusal(shed) === undefined; turn += 1) {
    stall(100);
    await wait(0);
  }
  expect(refusal(shed)).toMatchObject({ code: 'overloaded' });
  // Late by twice the limit: whoever has no backlog is still served.
  expect(refusal(shed, true)).toBeUndefined();
  await expect.poll(() => refusal(shed as Shed), { timeout: 20_000 }).toBeUndefined();
});

test('so many may wait and no more', () => {
  let waits = 2;
  shed = openShed(limits, () => waits);
  expect(refusal(shed)).toBeUndefined();
  waits = 3;
  expect(refusal(shed)).toMatchObject({ code: 'overloaded' });
});
