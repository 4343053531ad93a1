import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openService } from './kit.ts';

const path = '/api/tools/pagespeed-check?url=http%3A%2F%2Fa.test%2F';

test('without a worker for page loads they are a 503 at once, and the other tools work', async () => {
  const service = await openService({
    sites: { 'http://a.test': (_request, response) => response.end('x') },
  });
  const start = performance.now();
  const refused = await service.get(path);
  expect(refused).toMatchObject({ status: 503, body: { code: 'queue_unavailable' } });
  expect(refused.headers['retry-after']).toBeDefined();
  // The scans that it would have cost are given back, and the answer says so already.
  const { limits } = (await service.get('/api/me')).body as { limits?: { scans?: { remaining?: number } } };
  expect(refused.headers['ratelimit']).toContain(`"scans";r=${limits?.scans?.remaining};`);
  expect(limits?.scans?.remaining).toBe(60);
  expect(performance.now() - start).toBeLessThan(1000);
  expect((await service.get('/api/tools/redirect-check?url=http%3A%2F%2Fa.test%2F')).status).toBe(200);
  await service.close();
});

test.for([
  ['that is not there', undefined, 'cannot be executed'],
  ['that does not start', '#!/bin/sh\necho no display >&2; exit 1\n', 'did not start'],
  ['without a sandbox', '#!/bin/sh\necho No usable sandbox! >&2; exit 1\n', 'sandbox'],
] as const)('a browser %s is a 503 that names the fix, and a word in the log', async ([, script, reason]) => {
  const folder = mkdtempSync(join(tmpdir(), 'diag-'));
  chmodSync(folder, 0o755); // started as root, the browser runs as somebody else
  const browser = join(folder, 'chrome');
  if (script !== undefined) writeFileSync(browser, script, { mode: 0o755 });
  const service = await openService({
    settings: { WORKER_QUEUES: 'network,browser', BROWSER_PATH: browser, WAIT_SECONDS: '0' },
  });
  await expect
    .poll(async () => (await service.get(`${path}&strategy=desktop`)).body['code'])
    .toBe('browser_unavailable');
  const refused = await service.get(path);
  expect(refused).toMatchObject({ status: 503, body: { code: 'browser_unavailable' } });
  expect(refused.body['detail']).toMatch(/BROWSER_PATH|user namespaces/);
  expect(refused.body['detail']).not.toContain(folder);
  const told = service.log.find(({ message }) => message === 'no browser: pagespeed-check is off');
  expect(told).toMatchObject({ level: 'error', fields: { reason: expect.stringContaining(reason) } });
  await service.close();
  rmSync(folder, { recursive: true });
});
