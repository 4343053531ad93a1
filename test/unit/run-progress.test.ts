import { expect, test } from 'vitest';
import { progressText, secondsLeft } from '../../cli/progress.ts';
import { askEach } from '../../client/each.ts';

const limit = { checks: 60, windowS: 60 };
test.for([
  [
    'the pace so far, without a limit',
    { done: 10, asked: 10, renewed: 10, seconds: 5, limit: undefined },
    45,
  ],
  ['the limit, while its first window is open', { done: 60, asked: 60, renewed: 60, seconds: 5, limit }, 55],
  ['the pace, where all came from what is stored', { done: 60, asked: 60, renewed: 0, seconds: 6, limit }, 4],
  [
    'the pace, where it is slower than the limit',
    { done: 50, asked: 50, renewed: 50, seconds: 500, limit },
    500,
  ],
  ['nothing before the first answer', { done: 0, asked: 0, renewed: 0, seconds: 5, limit }, undefined],
] as const)('the time that is left is that of %s', ([, figures, seconds]) => {
  expect(secondsLeft({ ...figures, total: 100 })).toEqual(seconds);
});

test('a list without an end has no such time', () => {
  const figures = { done: 5, asked: 5, renewed: 5, seconds: 5, limit, total: undefined };
  expect(secondsLeft(figures)).toBeUndefined();
  const text = progressText({ ...figures, grades: new Map([['A', 5]]), failed: 0, pausedS: 0 });
  expect(text).toBe('5  1.0/s  A 5');
});

test('each target of a list has a signal of its own: Node 20 takes many that listen to one for a leak', async () => {
  const signals = new Set<AbortSignal | undefined>();
  const targets = Array.from({ length: 30 }, (_, index) => `host${index}.test`);
  const stop = new AbortController();
  const answers = askEach(
    async (target, { signal }) => {
      signals.add(signal);
      return target;
    },
    targets,
    { concurrency: 30, signal: stop.signal },
  );
  for await (const { problem } of answers) expect(problem).toBeUndefined();
  expect(signals.size).toBe(30);
});

test('a run that is stopped stops the asking of every target', async () => {
  const stop = new AbortController();
  const ended: unknown[] = [];
  const answers = askEach(
    (_target, { signal }) =>
      new Promise((_, reject) => {
        signal?.addEventListener('abort', () => {
          ended.push(signal.reason);
          reject(signal.reason as Error);
        });
        if (signal) queueMicrotask(() => stop.abort(new Error('enough')));
      }),
    ['a.test', 'b.test', 'c.test'],
    { concurrency: 3, signal: stop.signal },
  );
  await expect(answers.next()).rejects.toThrow('enough');
  expect(ended.length).toBeGreaterThan(0);
});
