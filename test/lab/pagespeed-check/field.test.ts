import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { askField } from '../../../worker/probes/browser/field.ts';

type Question = { readonly url?: string; readonly origin?: string; readonly formFactor: string };
const asked: { readonly question: Question; readonly path: string }[] = [];
let answer: (question: Question, response: ServerResponse, path: string) => void = () => undefined;

const server = createServer((request: IncomingMessage, response) => {
  let body = '';
  request.on('data', (piece) => (body += String(piece)));
  request.on('end', () => {
    const question = JSON.parse(body) as Question;
    asked.push({ question, path: request.url ?? '' });
    answer(question, response, request.url ?? '');
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
    collectionPeriod: {
      firstDate: { year: 2026, month: 10, day: 5 },
      lastDate: { year: 2026, month: 11, day: 1 },
    },
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
const ask = (signal = new AbortController().signal) =>
  askField(settings, { url: 'https://a.test/page', strategy: 'mobile' }, signal);

const day = (month: number, date: number) => ({ year: 2026, month, day: date });
const history = {
  record: {
    metrics: {
      largest_contentful_paint: { percentilesTimeseries: { p75s: [2500, null, 2100] } },
      cumulative_layout_shift: { percentilesTimeseries: { p75s: ['0.10', null, '0.05'] } },
      interaction_to_next_paint: { percentilesTimeseries: { p75s: [150] } },
    },
    collectionPeriods: [
      { firstDate: day(9, 20), lastDate: day(10, 17) },
      { firstDate: day(9, 27), lastDate: day(10, 24) },
      { firstDate: day(10, 4), lastDate: day(10, 31) },
    ],
  },
};
const isHistory = (path: string) => path.startsWith('/v1/records:queryHistoryRecord');

const metrics = {
  lcp: { p75: 2100, distribution: [0.8, 0.15, 0.05] },
  cls: { p75: 0.05, distribution: [1] },
  inp: { p75: 150, distribution: [] },
};
const readHistory = {
  periods: [
    { from: '2026-09-20', to: '2026-10-17' },
    { from: '2026-09-27', to: '2026-10-24' },
    { from: '2026-10-04', to: '2026-10-31' },
  ],
  p75: { lcp: [2500, null, 2100], cls: [0.1, null, 0.05] },
};

test('page and origin are read, each with its history; CLS comes as text', async () => {
  asked.length = 0;
  answer = (question, response, path) =>
    response.end(JSON.stringify(isHistory(path) ? history : record(question)));
  const read = { period: { from: '2026-10-05', to: '2026-11-01' }, metrics, history: readHistory };
  expect(await ask()).toEqual({ kind: 'record', scope: 'url', formFactor: 'PHONE', ...read, origin: read });
  const [page, origin] = [
    { url: 'https://a.test/page', formFactor: 'PHONE' },
    { origin: 'https://a.test', formFactor: 'PHONE' },
  ];
  expect(asked).toHaveLength(4);
  expect(asked).toEqual(
    expect.arrayContaining([
      { question: page, path: '/v1/records:queryRecord?key=secret+key' },
      { question: origin, path: '/v1/records:queryRecord?key=secret+key' },
      { question: page, path: '/v1/records:queryHistoryRecord?key=secret+key' },
      { question: origin, path: '/v1/records:queryHistoryRecord?key=secret+key' },
    ]),
  );
});

test('without a record of the page its origin’s is taken, and the page has no history', async () => {
  asked.length = 0;
  answer = (question, response) =>
    question.url === undefined
      ? response.end(JSON.stringify(record(question)))
      : response.writeHead(404).end('{}');
  expect(await ask()).toMatchObject({ kind: 'record', scope: 'origin', origin: null });
  expect(asked).toHaveLength(3);
});

test('a quota that is used up for a moment costs nothing but that moment', async () => {
  const refused = new Set<string>();
  answer = (question, response, path) => {
    const once = `${path} ${question.url ?? ''}`;
    if (refused.has(once))
      return void response.end(JSON.stringify(isHistory(path) ? history : record(question)));
    refused.add(once);
    response.writeHead(429, { 'retry-after': '0' }).end('{}');
  };
  expect(await ask()).toMatchObject({ scope: 'url', history: readHistory, origin: { history: readHistory } });
});

test('a history that cannot be had or read takes nothing from the record', async () => {
  for (const give of [
    (response: ServerResponse) => response.writeHead(403).end(),
    (response: ServerResponse) => response.end('{"record":{"collectionPeriods":[{"firstDate":1}]}}'),
    (response: ServerResponse) => response.destroy(),
  ]) {
    answer = (question, response, path) =>
      isHistory(path) ? void give(response) : void response.end(JSON.stringify(record(question)));
    expect(await ask()).toMatchObject({ scope: 'url', metrics, history: null, origin: { history: null } });
  }
});

test('an answer without an end is left', async () => {
  answer = (_question, response) => {
    const write = () => {
      while (!response.destroyed && response.write('x'.repeat(100_000)));
      response.once('drain', write);
    };
    response.on('error', () => undefined);
    write();
  };
  expect(await ask()).toMatchObject({
    kind: 'none',
    reason: expect.stringMatching(/did not answer/) as string,
  });
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
  const nothing = { period: null, metrics: {}, history: null };
  expect(await ask()).toEqual({
    kind: 'record',
    scope: 'url',
    formFactor: 'PHONE',
    ...nothing,
    origin: nothing,
  });
});

test('without a key nothing is sent', async () => {
  const before = asked.length;
  expect(
    await askField(undefined, { url: 'https://a.test/', strategy: 'mobile' }, new AbortController().signal),
  ).toMatchObject({ kind: 'none' });
  expect(asked.length).toBe(before);
});

test('the end of the run ends the question', async () => {
  answer = () => undefined;
  const ending = new AbortController();
  setTimeout(() => ending.abort(new Error('over')), 50);
  await expect(ask(ending.signal)).rejects.toThrow('over');
});
