import { afterEach, describe, expect, test, vi } from 'vitest';
import { Problem } from '#shared/model/problem';
import type { Logger } from '#shared/telemetry/logger';
import { watchOutages } from '#shared/telemetry/outages';

const lines: { level: string; message: string; fields: object }[] = [];
const write = (level: string) => (fields: object, message: string) =>
  void lines.push({ level, message, fields });
const log: Logger = {
  error: write('error'),
  warn: write('warn'),
  info: write('info'),
  debug: write('debug'),
};
afterEach(() => {
  lines.length = 0;
});

/** A store that can be switched off, behind a watch. */
function openStore() {
  const state = { isAway: false };
  const away = new Problem('store_unavailable', 'Ask again.', { cause: new Error('connect ECONNREFUSED') });
  const act = async () => {
    if (state.isAway) throw away;
    return 'a report';
  };
  const port = {
    get: act,
    grants: { give: act },
    ping: async () => (state.isAway ? 'MongoDB does not answer' : (true as const)),
  };
  return { state, ...watchOutages(port, { part: 'store', code: 'store_unavailable', log, askEveryMs: 5 }) };
}

test('a hundred failed calls are one line with the cause, and the return is one line', async () => {
  const { state, port, close } = openStore();
  state.isAway = true;
  const calls = Array.from({ length: 50 }, () => [port.get(), port.grants.give()]).flat();
  expect((await Promise.allSettled(calls)).every(({ status }) => status === 'rejected')).toBe(true);
  await vi.waitFor(() => expect(lines).toHaveLength(1));
  expect(lines[0]).toMatchObject({
    level: 'error',
    message: 'store is away',
    fields: { reason: 'MongoDB does not answer', err: { message: 'connect ECONNREFUSED' } },
  });
  await expect(port.get()).rejects.toThrow('store_unavailable');
  state.isAway = false;
  await vi.waitFor(() => expect(lines).toHaveLength(2));
  expect(lines[1]).toMatchObject({ level: 'info', message: 'store is back' });
  expect(await port.get()).toBe('a report');
  close();
});

test('a port that rejects and is there is no outage: a queue without workers', async () => {
  const refused = new Problem('queue_unavailable', 'No worker is running.');
  const ping = vi.fn(async () => true as const);
  const queue = { submit: () => Promise.reject(refused), ping };
  const { port, close } = watchOutages(queue, { part: 'queue', code: 'queue_unavailable', log });
  await expect(port.submit()).rejects.toBe(refused);
  await vi.waitFor(() => expect(ping).toHaveResolvedTimes(1));
  expect(lines).toEqual([]);
  close();
});

describe('a process that starts', () => {
  /** A port and a look at its server, each of which the test answers. */
  function openStart(cause: string | undefined, ping: true | string) {
    const state = { cause, ping };
    const looks: (() => void)[] = [];
    const watched = watchOutages(
      { ping: async () => state.ping },
      {
        part: 'store',
        code: 'store_unavailable',
        log,
        askEveryMs: 5,
        examine: () =>
          new Promise((resolve) => {
            looks.push(() => resolve({ cause: state.cause }));
          }),
      },
    );
    const look = async () => {
      await vi.waitFor(() => expect(looks.length).toBeGreaterThan(0));
      looks.shift()?.();
    };
    return { state, look, ...watched };
  }
  const messages = () => lines.map(({ message }) => message);
  const rest = () => new Promise((resolve) => setTimeout(resolve, 30));

  test('says what is wrong with a setting before anything is asked of it, and when that is mended', async () => {
    const { state, look, close } = openStart('nothing listens there', 'MongoDB does not answer');
    await look();
    await vi.waitFor(() => expect(messages()).toEqual(['store is away']));
    expect(lines[0]?.fields).toMatchObject({ cause: 'nothing listens there' });
    Object.assign(state, { cause: undefined, ping: true });
    await look();
    await vi.waitFor(() => expect(messages()).toEqual(['store is away', 'store is back']));
    close();
  });

  test('is not back where a ping does not meet what is wrong', async () => {
    const { look, close } = openStart('its user may not do that', true);
    await look();
    await vi.waitFor(() => expect(messages()).toEqual(['store is away']));
    await look();
    await rest();
    expect(messages()).toEqual(['store is away']);
    close();
  });

  test('is not away where it was not connected yet', async () => {
    const { state, port, look, close } = openStart(undefined, 'it is not connected yet');
    await port.ping();
    await look();
    state.ping = true;
    await port.ping();
    await rest();
    expect(messages()).toEqual([]);
    close();
  });

  test('that was well first says what is wrong with a setting in words of its own', async () => {
    const { port, look, close } = openStart('its user may not do that', true);
    await port.ping();
    await look();
    await vi.waitFor(() => expect(messages()).toEqual(['a setting leads to a server that cannot be used']));
    close();
  });
});
