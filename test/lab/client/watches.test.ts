import { afterAll, expect, test } from 'vitest';
import { makeToken } from '#shared/stores/tokens/make-token';
import { type Delivery, openDiagnostics, type WatchedTarget } from '../../../client/diagnostics.ts';
import { openService } from '../../api/kit.ts';
import { openFaultyProxy, reset } from './faulty-proxy.ts';

let received = 0;
const sites = {
  'https://hook.test': (
    { url }: { readonly url?: string | undefined },
    response: { writeHead(status: number): { end(): void } },
  ) => {
    // The targets are at the same host, and are checked at once.
    if (url === '/in') received += 1;
    response.writeHead(204).end();
  },
};
const service = await openService({ sites, settings: { RATE_LIMIT: 'off' } });
const proxy = await openFaultyProxy(service.port);
afterAll(async () => {
  await proxy.stop();
  await service.close();
});
const scopes = ['tools', 'reports:read', 'watch'] as const;
const made = makeToken({ name: 'watches', scopes: [...scopes], limits: {}, expiresAt: null }, Date.now());
await service.backend.tokenStore.insert(made.token);
const { watches } = openDiagnostics({ server: proxy.url, token: made.text });
const soon = { timeout: 60_000, interval: 100 };

test(
  'a watch from its beginning to its end, over a connection that breaks',
  { timeout: 120_000 },
  async () => {
    proxy.inject(reset);
    const watch = await watches.create({
      check: 'redirect-check',
      targets: ['https://hook.test/b', 'https://hook.test/a'],
      everySeconds: 86_400,
      label: 'both',
      notify: { webhook: { url: 'https://hook.test/in' } },
    });
    const { watchId } = watch;
    expect(watch).toMatchObject({ targetCount: 2, label: 'both', paused: false });
    expect(watch.webhookSecret).toMatch(/^whsec_/);
    const all = await Array.fromAsync(watches.list());
    expect(all.map((one) => [one.watchId, one.webhookSecret])).toEqual([[watchId, undefined]]);
    const targets: WatchedTarget[] = await Array.fromAsync(watches.targets(watchId));
    expect(targets.map(({ target }) => target)).toEqual(['https://hook.test/a', 'https://hook.test/b']);
    const deliveries = (): Promise<Delivery[]> => Array.fromAsync(watches.deliveries(watchId));
    await expect
      .poll(async () => (await deliveries()).map(({ state }) => state), soon)
      .toEqual(['delivered']);
    const sent = await watches.test(watchId);
    expect(sent).toMatchObject({ type: 'watch.test', channel: 'webhook' });
    await expect.poll(() => received, soon).toBe(2);
    expect((await watches.replay(watchId, sent.deliveryId)).deliveryId).toBe(sent.deliveryId);
    await expect.poll(() => received, soon).toBe(3);
    const secret = await watches.secret(watchId);
    expect(secret).toMatch(/^whsec_/);
    expect(secret).not.toBe(watch.webhookSecret);
    const links = await watches.links();
    const read = async (path: string) => (await fetch(new URL(path, proxy.url))).status;
    expect(await Promise.all([read(links.feed), read(links.calendar)])).toEqual([200, 200]);
    const drawn = await watches.links();
    expect(await Promise.all([read(links.feed), read(drawn.feed)])).toEqual([401, 200]);
    const paused = await watches.update(watchId, { paused: true, label: null });
    expect(paused).toMatchObject({ paused: true, pausedReason: 'owner', label: null, nextAt: null });
    expect((await watches.get(watchId)).paused).toBe(true);
    await watches.delete(watchId);
    await expect(watches.get(watchId)).rejects.toMatchObject({ code: 'watch_not_found', status: 404 });
  },
);

test('a secret is drawn once: a lost answer is no reason to draw another', async () => {
  const before = proxy.seen.length;
  proxy.inject(reset);
  await expect(watches.secret('0'.repeat(32))).rejects.toMatchObject({ name: 'ServerUnreachable' });
  expect(proxy.seen.length - before).toBe(1);
});
