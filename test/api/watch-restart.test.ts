import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { makeToken } from '#shared/stores/tokens/make-token';
import { openService } from './kit.ts';

const folder = mkdtempSync(join(tmpdir(), 'diag-'));
afterAll(() => rmSync(folder, { recursive: true }));
const soon = { timeout: 45_000, interval: 100 };

test('a watch goes on after a restart, from its own turns', { timeout: 120_000 }, async () => {
  const settings = { DATA_DIR: folder, WATCH_MIN_SECONDS: '1', RATE_LIMIT: 'off' };
  const { text, token } = makeToken(
    { name: 'test', scopes: ['tools', 'watch'], limits: {}, expiresAt: null },
    Date.now(),
  );
  // The first process makes the watch, and ends before its first turn could be taken.
  const first = await openService({ settings, withWorker: false });
  await first.backend.tokenStore.insert(token);
  const made = await fetch(`http://127.0.0.1:${first.port}/api/watches`, {
    method: 'POST',
    headers: { authorization: `Bearer ${text}`, 'content-type': 'application/json' },
    body: JSON.stringify({ check: 'dns-check', targets: ['gone.test'], everySeconds: 1 }),
  });
  const { watchId } = (await made.json()) as { watchId: string };
  await first.close();
  const checked = async () => {
    const service = await openService({ settings });
    const before = (await service.backend.watches.listTargets(watchId, { limit: 1 }))[0];
    const now = async () => (await service.backend.watches.listTargets(watchId, { limit: 1 }))[0];
    await vi.waitFor(async () => expect((await now())?.checkedAt).not.toBe(before?.checkedAt), soon);
    await service.close();
    return before?.checkedAt;
  };
  // Each process goes on where the one before it ended.
  expect([await checked(), typeof (await checked())]).toEqual([null, 'number']);
});

test('a watch goes on when a clock that was hours ahead is set back', { timeout: 120_000 }, async () => {
  const service = await openService({ settings: { WATCH_MIN_SECONDS: '1', RATE_LIMIT: 'off' } });
  const realNow = Date.now;
  try {
    const wish = { name: 'test', scopes: ['tools' as const, 'watch' as const], limits: {}, expiresAt: null };
    const { text, token } = makeToken(wish, Date.now());
    await service.backend.tokenStore.insert(token);
    const made = await fetch(`http://127.0.0.1:${service.port}/api/watches`, {
      method: 'POST',
      headers: { authorization: `Bearer ${text}`, 'content-type': 'application/json' },
      body: JSON.stringify({ check: 'dns-check', targets: ['gone.test'], everySeconds: 4 }),
    });
    const { watchId } = (await made.json()) as { watchId: string };
    const checkedAt = async () =>
      (await service.backend.watches.listTargets(watchId, { limit: 1 }))[0]?.checkedAt ?? 0;
    await vi.waitFor(async () => expect(await checkedAt()).toBeGreaterThan(0), soon);
    Date.now = () => realNow() + 3 * 3_600_000;
    await vi.waitFor(async () => expect(await checkedAt()).toBeGreaterThan(realNow() + 3_600_000), soon);
    Date.now = realNow;
    const back = realNow();
    const isRecent = async () => {
      const at = await checkedAt();
      return at > back && at <= Date.now();
    };
    await vi.waitFor(async () => expect(await isRecent()).toBe(true), soon);
  } finally {
    Date.now = realNow;
    await service.close();
  }
});
