import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Logger } from '#shared/telemetry/logger';
import { openWorker } from '../../worker/start/open.ts';
import { openService } from './kit.ts';

const quiet: Logger = {
  error: () => undefined,
  warn: () => undefined,
  info: () => undefined,
  debug: () => undefined,
};
const path = '/api/tools/pagespeed-check?url=http%3A%2F%2Fa.test%2F';

test('without a worker for page loads they are a 503 at once, and the other tools work', async () => {
  const service = await openService({
    sites: { 'http://a.test': (_request, response) => response.end('x') },
  });
  const start = performance.now();
  const refused = await service.get(path);
  expect(refused).toMatchObject({ status: 503, body: { code: 'browser_unavailable' } });
  expect(refused.body['detail']).toContain('all other checks start as usual');
  expect(refused.headers['retry-after']).toBeDefined();
  // The scans that it would have cost are given back, and the answer says so already.
  const { limits } = (await service.get('/api/me')).body as { limits?: { scans?: { remaining?: number } } };
  expect(refused.headers['ratelimit']).toContain(`"scans";r=${limits?.scans?.remaining};`);
  expect(limits?.scans?.remaining).toBe(60);
  // Not after the wait of a page load, which is 55 s.
  expect(performance.now() - start).toBeLessThan(20_000);
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
    sites: { 'http://a.test': (_request, response) => response.end('x') },
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

test('a browser that hangs at first serves page loads once it works, and /readyz says so', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'diag-'));
  chmodSync(folder, 0o777);
  const browser = join(folder, 'chrome');
  const answers = `sed -zuE 's/.*"id":([0-9]+).*/{"id":\\1,"result":{"targetId":"t","sessionId":"s"}}/' <&3 >&4`;
  const hangs = `#!/bin/sh\ncd ${folder}\nif [ -e mended ]; then exec ${answers}; fi\nexec sleep 60\n`;
  writeFileSync(browser, hangs, { mode: 0o755 });
  const settings = { WORKER_QUEUES: 'network,browser', BROWSER_PATH: browser };
  const service = await openService({ settings, withWorker: false });
  const worker = openWorker({
    config: service.lab.config(settings),
    backend: service.backend,
    log: quiet,
    browserTries: { startMs: 300, againMs: 50 },
  });
  const ask = async () => {
    const { status, body } = await service.get(`${path}&wait=0`);
    return body['code'] ?? status;
  };
  await expect
    .poll(() => worker.readiness())
    .toMatchObject({ browser: expect.stringContaining('did not answer') });
  expect(await ask()).toBe('browser_unavailable');
  writeFileSync(join(folder, 'mended'), '');
  await expect.poll(() => worker.readiness()).toEqual({ browser: true, announced: true });
  expect(await ask()).toBe(202);
  await worker.close(0);
  await service.close();
  rmSync(folder, { recursive: true });
});
