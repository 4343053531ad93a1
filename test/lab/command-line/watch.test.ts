import { afterAll, expect, test } from 'vitest';
import { makeToken } from '#shared/stores/tokens/make-token';
import { openService } from '../../api/kit.ts';
import { diag } from './kit.ts';

const sites = {
  'https://hook.test': (_request: unknown, response: { writeHead(status: number): { end(): void } }) =>
    response.writeHead(204).end(),
};
const service = await openService({ sites, settings: { RATE_LIMIT: 'off' } });
afterAll(() => service.close());
const wish = { name: 'watches', scopes: ['tools', 'reports:read', 'watch'] as const };
const made = makeToken({ ...wish, scopes: [...wish.scopes], limits: {}, expiresAt: null }, Date.now());
await service.backend.tokenStore.insert(made.token);
const environment = { DIAG_SERVER: `http://127.0.0.1:${service.port}`, DIAG_TOKEN: made.text };

const watch = (...args: readonly string[]) => diag(['watch', ...args], { environment });
async function json<T>(...args: readonly string[]): Promise<T> {
  const { code, stdout, stderr } = await watch(...args, '-o', 'json');
  expect([args[0], code, stderr]).toEqual([args[0], 0, '']);
  return JSON.parse(stdout) as T;
}
type Shown = { readonly watchId: string; readonly webhookSecret?: string; readonly paused: boolean };
type Sent = { readonly deliveryId: string; readonly state: string };

test('a watch is made, read, paused, resumed, tested and deleted', { timeout: 180_000 }, async () => {
  const wishes = '--every 1h --label ours --webhook https://hook.test/in --min-severity high';
  const more = '--days-before 14,3 --option parts=dns,mail';
  const args = `create domain-health https://host1.test/ host2.test ${wishes} ${more}`;
  const created = await json<Shown>(...args.split(' '));
  const { watchId } = created;
  expect(created).toMatchObject({
    targetCount: 2,
    everySeconds: 3600,
    label: 'ours',
    options: { parts: ['dns', 'mail'] },
    notify: { webhook: { url: 'https://hook.test/in' }, minSeverity: 'high', daysBefore: [14, 3] },
  });
  expect(created.webhookSecret).toMatch(/^whsec_/);
  expect(await json<Shown[]>('list')).toMatchObject([{ watchId }]);
  expect((await watch('list')).stdout).toContain('2 targets every 3600 s  ours');
  const { targets } = await json<{ targets: { target: string }[] }>('show', watchId);
  expect(targets.map(({ target }) => target)).toEqual(['host1.test', 'host2.test']);
  expect((await watch('show', watchId)).stdout.trim().split('\n')).toHaveLength(3);
  expect((await json<Shown>('pause', watchId)).paused).toBe(true);
  expect((await json<Shown>('resume', watchId)).paused).toBe(false);
  const { deliveryId } = await json<Sent>('test', watchId);
  const stateOf = async () =>
    (await json<Sent[]>('deliveries', watchId)).find((one) => one.deliveryId === deliveryId);
  await expect.poll(stateOf, { timeout: 60_000 }).toMatchObject({ state: 'delivered' });
  expect((await json<Sent>('replay', watchId, deliveryId)).deliveryId).toBe(deliveryId);
  expect((await watch('delete', watchId)).code).toBe(0);
  expect((await watch('show', watchId)).code).toBe(2);
});

test('what is no watch is told in a line, with exit status 2', { timeout: 60_000 }, async () => {
  for (const args of [
    ['create', 'nosuch', 'host1.test', '--every', '1h'],
    ['create', 'dns-check', 'host1.test', '--every', 'often'],
    ['create', 'dns-check', '--every', '1h'],
    ['create', 'dns-check', 'host1.test', '--every', '1s'],
  ]) {
    const { code, stdout, stderr } = await watch(...args);
    expect([args, code, stdout, stderr.trim().split('\n').length]).toEqual([args, 2, '', 1]);
  }
});
