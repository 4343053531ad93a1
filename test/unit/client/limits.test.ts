import { expect, test, vi } from 'vitest';
import { openBudget } from '../../../client/budget.ts';
import { openDiagnostics } from '../../../client/diagnostics.ts';
import { readLeft, readPolicies, readRetryAfter } from '../../../client/limits.ts';
import { openPace } from '../../../client/pace.ts';
import { goldenReport } from '../../lab/client/hostile-server.ts';

test.for([
  ['two policies', '"requests";q=600;w=60, "scans";q=60;w=60', ['requests', 'scans']],
  ['one that is malformed', '"requests";q=x;w=60, "scans";q=60;w=60', ['scans']],
  ['none', null, []],
] as const)('a RateLimit-Policy of %s', ([, field, names]) => {
  expect([...readPolicies(field).keys()]).toEqual(names);
});

test('a RateLimit field says what is left', () => {
  expect(readLeft('"scans";r=59;t=12').get('scans')).toEqual({ remaining: 59, resetS: 12 });
});

test.for([
  ['7', 7],
  ['Thu, 01 Jan 1970 00:00:09 GMT', 9],
  ['soon', undefined],
  [null, undefined],
] as const)('Retry-After %s is %s seconds', ([field, seconds]) => {
  expect(readRetryAfter(field, 0)).toBe(seconds);
});

function openTestBudget() {
  const clock = { now: 1_000_000 };
  const budget = openBudget(() => clock.now);
  budget.learnLimit({ points: 10, windowS: 60 });
  return { clock, budget };
}

test('nothing is held back until the limit is known', () => {
  const budget = openBudget(() => 0);
  budget.spend(1000);
  expect(budget.waitMs(1)).toBe(0);
});

test('what is spent is held back until the end of the window that the service told, not the one that was guessed', () => {
  const { clock, budget } = openTestBudget();
  budget.spend(10);
  clock.now += 500;
  // The service counted the first request 400 ms after it was sent.
  budget.learn({ remaining: 0, resetS: 60 });
  clock.now += 59_600;
  expect(budget.waitMs(1)).toBeGreaterThan(300);
  clock.now += 1000;
  expect(budget.waitMs(10)).toBe(0);
});

test('what others spend counts, and what cost nothing is given back', () => {
  const { budget } = openTestBudget();
  budget.spend(1);
  budget.learn({ remaining: 3, resetS: 60 });
  expect([budget.waitMs(3), budget.waitMs(4) > 0]).toEqual([0, true]);
  budget.giveBack(1);
  expect(budget.waitMs(4)).toBe(0);
});

test('what costs more than the whole limit is sent all the same: the service says why', () => {
  expect(openTestBudget().budget.waitMs(11)).toBe(0);
});

test('the pace doubles each round until the first refusal, halves once for refusals that come together, then grows slowly', () => {
  let now = 0;
  const pace = openPace('auto', () => now);
  const first = pace.limit();
  for (let count = 0; count < first; count++) pace.answered();
  expect(pace.limit()).toBe(2 * first);
  now = 5000;
  pace.refused();
  pace.refused();
  expect(pace.limit()).toBe(first);
  for (let count = 0; count < first; count++) pace.answered();
  expect(pace.limit()).toBeLessThanOrEqual(first + 1);
});

test('the pace never passes 100, and never ends', () => {
  let now = 0;
  const pace = openPace('auto', () => (now += 5000));
  for (let count = 0; count < 500; count++) pace.answered();
  expect(pace.limit()).toBe(100);
  for (let count = 0; count < 50; count++) pace.refused();
  expect(pace.limit()).toBe(1);
});

test("a caller's clock that is set back makes no call wait for longer than the window", async () => {
  const limits = {
    'ratelimit-policy': '"requests";q=1;w=1, "scans";q=1;w=1',
    ratelimit: '"requests";r=0;t=1, "scans";r=0;t=1',
  };
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
  try {
    const client = openDiagnostics({
      server: 'http://checks.test',
      fetch: async () => new Response(JSON.stringify(goldenReport()), { headers: limits }),
    });
    const ask = (path: string) =>
      client.redirectCheck(`http://a.test/${path}`, { signal: AbortSignal.timeout(20_000) });
    await ask('1');
    vi.setSystemTime(Date.now() - 3_600_000);
    expect(await ask('2')).toMatchObject({ state: 'complete' });
  } finally {
    vi.useRealTimers();
  }
});
