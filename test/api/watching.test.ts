import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openService, redirectPath, type Service } from './kit.ts';

let service: Service;
beforeAll(async () => {
  service = await openService({
    sites: { 'http://a.test': (_request, response) => response.writeHead(204).end() },
  });
});
afterAll(() => service.close());

/** The fields of the line of a request, once it is written. */
async function lineOf(requestId: string, message = 'request'): Promise<Record<string, unknown>> {
  const find = () =>
    service.log.find(
      (line) => line.message === message && Reflect.get(line.fields, 'requestId') === requestId,
    );
  await vi.waitFor(() => expect(find()).toBeDefined());
  return { ...find()?.fields };
}

test('one id leads from a request to its job and its report, and on to later answers', async () => {
  const { body } = await service.get(redirectPath('http://a.test/1'), { 'x-request-id': 'first' });
  const line = await lineOf('first');
  expect(line).toMatchObject({ reportId: body['reportId'], status: 200 });
  expect(await lineOf('first', 'job done')).toMatchObject({ jobId: line['jobId'], check: 'redirect-check' });

  await service.get(redirectPath('http://a.test/1'), { 'x-request-id': 'lane' });
  expect(await lineOf('lane')).toMatchObject({ route: 'memory', reportId: body['reportId'] });
  await service.get(redirectPath('http://a.test/1'), { 'x-request-id': 'router', prefer: 'wait=1' });
  expect(await lineOf('router')).toMatchObject({ reportId: body['reportId'] });
  await service.get(`/api/jobs/${String(line['jobId'])}`, { 'x-request-id': 'poll' });
  expect(await lineOf('poll')).toMatchObject({ jobId: line['jobId'], status: 303 });
});

test('an API without queue and store can answer while it has a report in memory', async () => {
  const away = { queue: 'Redis does not answer', store: 'MongoDB does not answer' };
  const empty = await openService({ withWorker: false });
  expect(empty.canAnswer(away)).toBe(false);
  expect(empty.canAnswer({ ...away, store: true })).toBe(true);
  await empty.close();
  await service.get(redirectPath('http://a.test/kept'));
  expect(service.canAnswer(away)).toBe(true);
});

test('the line of a refused request has the code of its problem', async () => {
  await service.get('/api/tools/redirect-check', { 'x-request-id': 'bad' });
  expect(await lineOf('bad')).toMatchObject({ status: 400, problem: 'invalid_request' });
});
