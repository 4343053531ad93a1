// What clients of every kind meet, and what their libraries make of it.
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, expect, test } from 'vitest';
import { findSpec } from '#shared/catalogue/registry';
import { randomId } from '#shared/model/job';
import { makeFailedReport } from '#shared/model/report';
import { openJobKeys } from '#shared/queue/job-keys';
import { openService, redirectPath } from './kit.ts';

const service = await openService({
  sites: { 'http://a.test': (_request, response) => response.writeHead(204).end() },
  settings: { LIMIT_ANON_SCANS: '4/60', HOST_CONCURRENCY: '1' },
});
const { get, send } = service;
afterAll(() => service.close());

async function exchangeRaw(head: string): Promise<string> {
  const socket = connect(service.port, '127.0.0.1');
  await once(socket, 'connect');
  socket.end(`${head}\r\nHost: 127.0.0.1\r\n\r\n`);
  return text(socket);
}

test.for([
  ['FOO /api/me HTTP/1.1', '405 Method Not Allowed', 'method_not_allowed'],
  ['GET /api/tools/redirect-check?url=http://bücher.test/ HTTP/1.1', '400 Bad Request', 'percent-encoded'],
  ['\u0016\u0003\u0001 this is a ClientHello', '400 Bad Request', 'not an HTTP/1.1 request'],
] as const)('%s is answered %s, with the cure', async ([head, status, cure]) => {
  const answer = await exchangeRaw(head);
  expect(answer).toContain(`HTTP/1.1 ${status}\r\n`);
  expect(answer).toContain('application/problem+json');
  expect(answer).toContain(cure);
});

test('what follows a good request in its packet is not taken for its method', async () => {
  const answer = await exchangeRaw('GET /api/me HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\nGARBAGE');
  expect(answer).not.toContain('405');
});

test('a refusal keeps the connection, but not for a body that nobody reads', async () => {
  for (const path of ['/nowhere', '/api/tools/redirect-check'])
    expect((await get(path, { connection: 'keep-alive' })).headers['connection']).toBe('keep-alive');
  const posted = await send('POST', '/api/me', { connection: 'keep-alive', 'content-length': '10' });
  expect(posted).toMatchObject({ status: 405, headers: { connection: 'close' } });
});

test('every page answers another method with 405, the documentation too', async () => {
  for (const path of ['/docs', '/llms.txt', '/openapi.json', '/problems/not_found'])
    expect([path, (await send('POST', path)).status]).toEqual([path, 405]);
  expect((await send('OPTIONS', '/docs')).status).toBe(204);
});

test.for([
  ['/api/tools/dns-check', '/api/tools/dns-check/{domain}'],
  ['/api/tools', '/api/tools/redirect-check?url='],
  ['/api/me/', 'none ends in a slash'],
] as const)('nothing at %s: the answer names %s', async ([path, form]) => {
  expect((await get(path)).body['detail']).toContain(form);
});

test('a token without its scheme is told so instead of being taken for none', async () => {
  const refused = await get('/api/me', { authorization: 'dtk_abc' });
  expect(refused).toMatchObject({ status: 401, body: { code: 'invalid_token' } });
  expect(refused.body['detail']).toContain('Authorization: Bearer dtk_');
});

test('a check dearer than the whole limit is refused without telling anybody to wait', async () => {
  const refused = await get('/api/tools/domain-health/a.test');
  expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited', policy: 'scans' } });
  expect(refused.body['detail']).toContain('costs 5 scans, more than your limit of 4');
  expect(refused.headers['retry-after']).toBeUndefined();
});

test('a run of ours that could not end is a report that the description knows', async () => {
  const spec = findSpec('redirect-check');
  if (!spec) throw new Error('there is no redirect-check');
  const target = 'http://broken-off.test/';
  const report = makeFailedReport(
    {
      check: spec.name,
      target: { url: target },
      rules: spec.rules,
      rulesVersion: spec.rulesVersion,
      reportId: randomId(),
      checkedAtMs: Date.now(),
      durationMs: 20_000,
      freshForS: 300,
      keepForS: 3600,
    },
    'The run hit its limit of 20 s.',
  );
  const jobKey = openJobKeys(service.lab.config())(spec, target, {}, undefined);
  const keys = { reportId: report.reportId ?? '', jobId: randomId(), jobKey, isAnonymous: true };
  await service.backend.reportStore.insert(report, keys);
  expect(await get(redirectPath(target))).toMatchObject({ status: 200, body: { state: 'failed' } });
  const { findings } = (await get('/api/findings')).body as unknown as { findings: { code: string }[] };
  expect(findings.map(({ code }) => code)).toContain('check-failed');
});
