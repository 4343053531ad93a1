import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { openFlights } from '../../../client/flights.ts';
import { onAbort, wait } from '../../../client/wait.ts';

test('hundreds that wait for a signal are one listener, and all are told once', async () => {
  const { signal, abort } = openStop();
  const flights = openFlights();
  const waits = Array.from({ length: 200 }, (_, at) => [
    wait(600_000, signal),
    flights.join(String(at), signal, () => new Promise(() => undefined)),
  ]).flat();
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  abort();
  const ends = await Promise.allSettled(waits);
  expect(ends.every((end) => end.status === 'rejected' && end.reason === signal.reason)).toBe(true);
});

test('who has ended its wait is not called', () => {
  const { signal, abort } = openStop();
  const calls: string[] = [];
  const note = (name: string) => () => void calls.push(name);
  const endFirst = onAbort(signal, note('first'));
  onAbort(signal, note('second'));
  endFirst();
  abort();
  onAbort(signal, note('late'));
  expect(calls).toEqual(['second']);
});

function openStop() {
  const stop = new AbortController();
  return { signal: stop.signal, abort: () => stop.abort(new Error('enough')) };
}
