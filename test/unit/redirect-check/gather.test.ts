import { expect, test } from 'vitest';
import { gatherRedirects } from '../../../worker/checks/redirect-check/gather.ts';
import type { HttpAnswer, HttpRequest } from '../../../worker/probes/http/port.ts';
import { openWork } from '../../../worker/probes/work.ts';

type Context = Parameters<typeof gatherRedirects>[0];

const url = 'https://a.test/';
const limits = { redirects: 20, pageBytes: 1000, chainMs: 1000 };
const silence: HttpAnswer = {
  kind: 'failure',
  url,
  code: 'response-timeout',
  reason: 'the server did not answer in time',
  address: '192.0.2.1',
};

function contextOf(answer: () => Promise<HttpAnswer>): Context {
  const context: Pick<Context, 'target' | 'options' | 'progress'> = {
    target: url,
    options: {},
    progress: () => undefined,
  };
  return { ...context, probes: { http: { ask: answer }, work: openWork() } } as unknown as Context;
}

const after = (ms: number, answer: HttpAnswer) =>
  new Promise<HttpAnswer>((resolve) => {
    setTimeout(resolve, ms, answer);
  });

test('a hop that gives no answer says for how long one was waited for, and where', async () => {
  const { hops } = await gatherRedirects(
    contextOf(() => after(40, silence)),
    limits,
  );
  expect(hops).toMatchObject([{ seen: { kind: 'failure', address: '192.0.2.1' } }]);
  expect(hops[0]?.seen).toHaveProperty(
    'waitedMs',
    expect.toSatisfy((ms: number) => ms >= 39 && ms < 1000),
  );
});

test('another User-Agent is sent at each hop, and the first address is asked once more with our own', async () => {
  const asked: (string | undefined)[] = [];
  const ask = (request: HttpRequest): Promise<HttpAnswer> => {
    asked.push(request.headers?.['user-agent']);
    return Promise.resolve(silence);
  };
  const context = { target: url, options: { userAgent: 'phone' }, progress: () => undefined };
  const evidence = await gatherRedirects(
    { ...context, probes: { http: { ask }, work: openWork() } } as unknown as Context,
    limits,
  );
  expect(asked.filter((text) => text === undefined)).toHaveLength(1);
  expect(asked.filter((text) => text?.includes('Mobile'))).toHaveLength(1);
  expect(evidence.asOurs).toEqual({ kind: 'failed', reason: 'the server did not answer in time' });
});

test('so does one that takes all the time there is', async () => {
  const { hops, stop } = await gatherRedirects(
    contextOf(() => after(2000, silence)),
    { ...limits, chainMs: 50 },
  );
  expect(stop).toEqual({ kind: 'out-of-time', afterMs: 50 });
  expect(hops[0]?.seen).toHaveProperty(
    'waitedMs',
    // The chain's clock began before the hop was asked.
    expect.toSatisfy((ms: number) => ms > 0 && ms < 1000),
  );
});
