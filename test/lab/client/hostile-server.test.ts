import type { RequestListener } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { DiagnosticsProblem, openDiagnostics, ServerUnreachable } from '../../../client/diagnostics.ts';
import { goldenReport, openHostileServer, says } from './hostile-server.ts';

const server = await openHostileServer();
afterAll(() => server.stop());

const open = () => openDiagnostics({ server: server.url, cache: 'none', retryForS: 2 });
type Client = ReturnType<typeof open>;
const check = (client: Client): Promise<unknown> => client.redirectCheck('http://a.test/');
const me = (client: Client): Promise<unknown> => client.me();
const list = (client: Client): Promise<unknown> => client.history().next();

const mebibyte = Buffer.alloc(1024 * 1024, 0x20);
/** A body without an end: each piece is sent when the last one was taken. */
const endless =
  (status: number): RequestListener =>
  (_request, response) => {
    response.writeHead(status, { 'Content-Type': 'application/json' });
    const send = () => void response.write(mebibyte, (error) => !error && send());
    send();
  };
const zipped = gzipSync(Buffer.alloc(80 * 1024 * 1024, 0x20));
const deep = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
const limits = { requests: {}, scans: {} };

type Call = (client: Client) => Promise<unknown>;
const cases: { readonly name: string; readonly answer: RequestListener; readonly call?: Call }[] = [
  { name: 'no JSON', answer: says('{"schemaVersion": 1,') },
  { name: 'an empty body', answer: says('') },
  {
    name: 'a page',
    answer: says('<!DOCTYPE html><title>Login</title>', 200, { 'Content-Type': 'text/html' }),
  },
  { name: 'null', answer: says('null') },
  { name: 'a list', answer: says([]) },
  { name: 'a number', answer: says('7') },
  { name: 'an object without fields', answer: says({}) },
  { name: 'a report of another check', answer: says(goldenReport({ check: 'dns-check' })) },
  { name: 'a report whose findings are a text', answer: says(goldenReport({ findings: 'none' })) },
  { name: 'a report with null as a finding', answer: says(goldenReport({ findings: [null] })) },
  {
    name: 'a finding without its fix',
    answer: says(goldenReport({ findings: [{ code: 'a', severity: 'low', title: 't', detail: 'd' }] })),
  },
  { name: 'a grade that is an object', answer: says(goldenReport({ grade: { toString: 1 } })) },
  { name: 'a score that is a text', answer: says(goldenReport({ score: '100' })) },
  { name: 'no summary', answer: says(goldenReport({ summary: undefined })) },
  { name: 'a target that is null', answer: says(goldenReport({ target: null })) },
  { name: 'lists within lists, 100,000 deep', answer: says(`{"a":${deep(100_000)}}`) },
  {
    name: 'a field 100,000 deep in a whole report',
    answer: says(JSON.stringify(goldenReport()).replace('{', `{"deep":${deep(100_000)},`)),
  },
  { name: 'a redirect to itself', answer: says('', 302, { Location: '/api/tools/redirect-check' }) },
  { name: 'a redirect with a report in it', answer: says(goldenReport(), 301, { Location: '/' }) },
  { name: '204', answer: (_request, response) => response.writeHead(204).end() },
  { name: '304 to a request without an ETag', answer: (_request, response) => response.writeHead(304).end() },
  { name: '202 without a job', answer: says({}, 202) },
  { name: '202 with an id that is a list', answer: says({ id: [], state: 'running', progress: null }, 202) },
  { name: 'a body without an end', answer: endless(200) },
  { name: 'a problem without an end', answer: endless(400) },
  {
    name: '80 MB in 80 kB of gzip',
    answer: (_request, response) => response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(zipped),
  },
  {
    name: 'gzip that is none',
    answer: (_request, response) => response.writeHead(200, { 'Content-Encoding': 'gzip' }).end('no'),
  },
  {
    name: 'limits without numbers',
    answer: says({ kind: 'anonymous', scopes: [], limited: true, limits, costs: {} }),
    call: me,
  },
  { name: 'no limits', answer: says({ limited: true }), call: me },
  {
    name: 'costs that are texts',
    answer: says({ kind: 'a', scopes: [], limited: false, limits, costs: { a: 'b' } }),
    call: me,
  },
  { name: 'a list without reports', answer: says({ next: null }), call: list },
  { name: 'reports that are numbers', answer: says({ reports: [1], next: null }), call: list },
  { name: 'empty pages without an end', answer: says({ reports: [], next: 'more' }), call: list },
  { name: 'rules that are an object', answer: says({ findings: {} }), call: (client) => client.findings() },
  { name: 'a difference of nothing', answer: says({}), call: (client) => client.diff('a', 'b') },
  { name: 'a stored report that is none', answer: says({}), call: (client) => client.report('a') },
  {
    name: 'an export that leads elsewhere',
    answer: says('', 307, { Location: '/' }),
    call: (client) => client.exportReport('a', 'md'),
  },
];
test.for(cases)(
  '$name is no answer of the service',
  { timeout: 30_000 },
  async ({ answer, call = check }) => {
    server.answer(answer);
    const error = await call(open()).catch((caught: unknown) => caught);
    const isForeseen = error instanceof ServerUnreachable || error instanceof DiagnosticsProblem;
    expect(isForeseen ? '' : error).toBe('');
  },
);

test('a body that is too large is asked for once', { timeout: 30_000 }, async () => {
  server.answer(endless(200));
  await expect(check(open())).rejects.toThrow(/larger than 67108864 bytes/);
  expect(server.seen).toHaveLength(1);
});

const odd = [
  null,
  'text',
  [],
  {},
  { code: 7, detail: {}, title: [], errors: 'x', policy: {} },
  { errors: [null, { in: 1 }] },
];
test.for(odd)('a problem document that is %j', async (body) => {
  server.answer(says(body, 422));
  const error = (await check(open()).catch((caught: unknown) => caught)) as DiagnosticsProblem;
  expect(error).toBeInstanceOf(DiagnosticsProblem);
  expect([error.message, error.code, error.errors, error.policy]).toEqual([
    'The server answered 422.',
    'unknown',
    [],
    undefined,
  ]);
});

test.for(['', '-1', '1e9', 'soon', '5 bananas', '99999999999999999999', '2026', 'NaN', '\u00ff'])(
  'Retry-After "%s" makes nobody wait for ever',
  async (text) => {
    server.answer(says({ code: 'rate_limited' }, 429, { 'Retry-After': text }));
    const startedAt = performance.now();
    await expect(check(open())).rejects.toBeInstanceOf(DiagnosticsProblem);
    expect(performance.now() - startedAt).toBeLessThan(5000);
  },
);

test('a limit that says "in a million years" is waited for without spinning, and ends with the signal', async () => {
  const told = {
    'RateLimit-Policy': '"requests";q=1;w=999999999999',
    RateLimit: '"requests";r=0;t=999999999999',
  };
  server.answer(says(goldenReport(), 200, told));
  const client = open();
  await check(client);
  const before = process.cpuUsage();
  const paced = client.redirectCheck('http://b.test/', { signal: AbortSignal.timeout(1000) });
  await expect(paced).rejects.toMatchObject({ name: 'TimeoutError' });
  const { user } = process.cpuUsage(before);
  expect(user).toBeLessThan(500_000);
  expect(server.seen).toHaveLength(1);
});

test('a whole report is given, whatever else its server sends beside', async () => {
  const text = JSON.stringify(goldenReport({ later: { any: [1] } }));
  server.answer(says(`{"__proto__":{"polluted":1},${text.slice(1)}`));
  expect(await check(open())).toMatchObject({ check: 'redirect-check', later: { any: [1] } });
  expect(({} as { polluted?: number }).polluted).toBeUndefined();
});
