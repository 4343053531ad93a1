import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { askPsi } from '../../../worker/probes/browser/psi.ts';

const never = new AbortController().signal;

/** Asks a stand-in of PageSpeed Insights that answers so. */
async function askStandIn(listener: RequestListener, timeoutMs = 2000) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const request = { url: 'http://a.test/?x=1', strategy: 'mobile', timeoutMs } as const;
  const answer = await askPsi({ key: 'secret', baseUrl: `http://127.0.0.1:${port}` }, request, never);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  return answer;
}

test('the page, the strategy and the key are sent, and the answer is given as it came', async () => {
  let asked = '';
  const answer = await askStandIn((request, response) => {
    asked = request.url ?? '';
    response.end('{"id":"http://a.test/"}');
  });
  expect(asked).toBe(
    '/pagespeedonline/v5/runPagespeed?url=http%3A%2F%2Fa.test%2F%3Fx%3D1&strategy=mobile&category=performance&key=secret',
  );
  expect(answer).toMatchObject({
    kind: 'answer',
    source: 'psi',
    status: 200,
    body: { id: 'http://a.test/' },
  });
});

test('an error of the service keeps its status; what is no JSON is nothing', async () => {
  expect(
    await askStandIn((_request, response) => response.writeHead(429).end('{"error":{"code":429}}')),
  ).toMatchObject({ status: 429, body: { error: { code: 429 } } });
  expect(await askStandIn((_request, response) => response.end('<html>'))).toMatchObject({
    status: 200,
    body: undefined,
  });
});

test.for([
  ['never answers', () => undefined],
  ['closes the connection', (_request: unknown, response: { destroy(): void }) => response.destroy()],
  [
    'redirects',
    (_request: unknown, response: { writeHead(status: number, fields: object): { end(): void } }) =>
      response.writeHead(302, { Location: 'http://b.test/' }).end(),
  ],
] as const)('a service that %s is no browser, and the key is not told', async ([, listener]) => {
  const answer = await askStandIn(listener as RequestListener, 300);
  expect(answer).toMatchObject({ kind: 'failure', code: 'browser-unavailable' });
  expect(JSON.stringify(answer)).not.toContain('secret');
});

test('an answer without an end is cut', async () => {
  const answer = await askStandIn((_request, response) => {
    const piece = 'x'.repeat(1_000_000);
    const write = () => {
      while (!response.destroyed && response.write(piece));
      response.once('drain', write);
    };
    write();
  }, 10_000);
  expect(answer).toMatchObject({ kind: 'answer', body: undefined });
});
