import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { askField } from '../../../worker/probes/browser/field.ts';

type Question = { readonly url?: string; readonly origin?: string; readonly formFactor: string };
const asked: { readonly question: Question; readonly path: string }[] = [];
let answer: (question: Question, response: ServerResponse) => void = () => undefined;

const server = createServer((request: IncomingMessage, response) => {
  let body = '';
  request.on('data', (piece) => (body += String(piece)));
  request.on('end', () => {
    const question = JSON.parse(body) as Question;
    asked.push({ question, path: request.url ?? '' });
    answer(question, response);
  });
});
let settings = { key: 'secret key', baseUrl: '' };
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  settings = { ...settings, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const record = (scope: object) => ({
  record: {
    key: scope,
    metrics: {
      largest_contentful_paint: {
        histogram: [
          { start: 0, end: 2500, density: 0.8 },
          { start: 2500, end: 4000, density: 0.15 },
          { start: 4000, density: 0.05 },
        ],
        percentiles: { p75: 2100 },
      },
      cumulative_layout_shift: {
        histogram: [{ start: '0.00', end: '0.10', density: 1 }],
        percentiles: { p75: '0.05' },
      },
      interaction_to_next_paint: { percentiles: { p75: 150 } },
      experimental_time_to_first_byte: { percentiles: {} },
    },
  },
});
const page = { url: 'https://a.test/page', strategy: 'mobile' as const };
const ask = (signal = new AbortController().signal) => askField(settings, page, signal);

test('a record of the page is read; CLS comes as text', async () => {
  answer = (question, response) => response.end(JSON.stringify(record(question)));
  expect(await ask()).toEqual({
    kind: 'record',
    scope: 'url',
    formFactor: 'PHONE',
    metrics: {
      lcp: { p75: 2100, distribution: [0.8, 0.15, 0.05] },
      cls: { p75: 0.05, distribution: [1] },
      inp: { p75: 150, distribution: [] },
    },
  });
  expect(asked.at(-1)).toEqual({
    question: { url: 'https://a.test/page', formFactor: 'PHONE' },
    path: '/v1/records:queryRecord?key=secret+key',
  });
});

test('without a record of the page its origin is asked', async () => {
  answer = (question, response) =>
    question.url === undefined
      ? response.end(JSON.stringify(record(question)))
      : response.writeHead(404).end('{}');
  expect(await ask()).toMatchObject({ kind: 'record', scope: 'origin' });
  expect(asked.at(-1)?.question).toEqual({ origin: 'https://a.test', formFactor: 'PHONE' });
});

test.for([
  {
    name: 'no record at all',
    give: (response: ServerResponse) => response.writeHead(404).end(),
    reason: /too few visitors/,
  },
  {
    name: 'a bad key',
    give: (response: ServerResponse) => response.writeHead(403).end(),
    reason: /answered 403/,
  },
  { name: 'no JSON', give: (response: ServerResponse) => response.end('<html>'), reason: /did not answer/ },
  {
    name: 'a broken connection',
    give: (response: ServerResponse) => response.destroy(),
    reason: /did not answer/,
  },
  {
    name: 'a redirect',
    give: (response: ServerResponse) => response.writeHead(302, { location: '/x' }).end(),
    reason: /did not answer/,
  },
])('$name is said, and is no fault', async ({ give, reason }) => {
  answer = (_question, response) => void give(response);
  expect(await ask()).toMatchObject({ kind: 'none', reason: expect.stringMatching(reason) as string });
});

test('a record in another shape has no metrics', async () => {
  answer = (_question, response) => response.end('{"record":[1]}');
  expect(await ask()).toEqual({ kind: 'record', scope: 'url', formFactor: 'PHONE', metrics: {} });
});

test('without a key nothing is sent', async () => {
  const before = asked.length;
  expect(await askField(undefined, page, new AbortController().signal)).toMatchObject({ kind: 'none' });
  expect(asked.length).toBe(before);
});

test('the end of the run ends the question', async () => {
  answer = () => undefined;
  const ending = new AbortController();
  setTimeout(() => ending.abort(new Error('over')), 50);
  await expect(ask(ending.signal)).rejects.toThrow('over');
});
