import { expect, test } from 'vitest';
import { queueUnavailable, unserved } from '#shared/queue/unavailable';

test('without a worker for page loads only they cannot start, and who can mend it is told how', () => {
  const { code, detail, retryAfterS } = unserved(undefined, 'browser');
  expect(code).toBe('browser_unavailable');
  expect(detail).toMatch(/^No worker that loads pages is running: .*all other checks start as usual/);
  expect(detail).toContain('WORKER_QUEUES');
  expect(retryAfterS).toBe(60);
});

test('a worker that has told what its browser lacks is quoted', () => {
  expect(unserved('Install Chrome.', 'browser')).toMatchObject({
    code: 'browser_unavailable',
    detail: 'No worker has a browser that works. Install Chrome.',
  });
});

test.for(['network', 'composite'] as const)('without a worker of %s checks they cannot start', (queue) => {
  const { code, detail, retryAfterS } = unserved(undefined, queue);
  expect([code, retryAfterS]).toEqual(['queue_unavailable', 5]);
  expect(detail).toMatch(/^No worker that .* is running/);
  expect(detail).toContain('cached reports stay readable');
});

test('a queue that cannot be reached starts no check at all', () => {
  expect(queueUnavailable()).toMatchObject({
    code: 'queue_unavailable',
    detail: expect.stringMatching(/^No check can be started just now/),
  });
});
