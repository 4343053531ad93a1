import { expect, test } from 'vitest';
import type { Caller } from '#shared/limits/caller';
import { openHolds } from '#shared/limits/holds';
import type { Job } from '#shared/model/job';
import { makeJob } from '../contract/job-queue.contract.ts';

const callerOf = (id: string, ...levels: readonly string[]) =>
  ({ id, kind: 'anonymous', levels }) as unknown as Caller;
const jobOf = (at: number): Job =>
  makeJob({ jobKey: `key${at}`, host: `h${at}.test`, startBy: Date.now() + 60_000 });

test('whoever has unfinished jobs is told from who has none, with all that share the widest network', () => {
  const holds = openHolds(true);
  const network = Array.from({ length: 3 }, (_, at) => callerOf(`ip:${at}`, 'net:a'));
  const other = callerOf('ip:9', 'net:b');
  const leave = network.map((caller, at) => holds.take(caller, jobOf(at)));
  expect([holds.hasFew(callerOf('ip:7', 'net:a')), holds.hasFew(other)]).toEqual([false, true]);
  leave[0]?.();
  expect(holds.hasFew(callerOf('ip:7', 'net:a'))).toBe(true);
  for (const end of leave) end();
});

test('the backlogs of others keep nobody out who has none', () => {
  const holds = openHolds(true);
  const crowd = Array.from({ length: 50_000 }, (_, at) => callerOf(`ip:${at % 500}`, `net:${at % 500}`));
  for (const [at, caller] of crowd.entries()) holds.take(caller, jobOf(at));
  expect(() => holds.take(callerOf('ip:1', 'net:1'), jobOf(60_000))).toThrow(
    expect.objectContaining({ code: 'overloaded' }),
  );
  holds.take(callerOf('ip:new', 'net:new'), jobOf(60_001))();
  for (const at of crowd.keys()) holds.release(`key${at}`);
});
