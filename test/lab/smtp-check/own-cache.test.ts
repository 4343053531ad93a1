import { afterAll, expect, test } from 'vitest';
import { makeToken } from '#shared/stores/tokens/make-token';
import { openService, type Service } from '../../api/kit.ts';
import { openMailWorld } from './world.ts';

const world = await openMailWorld({
  'a.test': { MX: [{ preference: 1, exchange: 'mx.a.test' }] },
  'mx.a.test': { A: ['127.0.0.47'] },
});
const server = await world.serve(47, { tls: await world.authority.issue(['mx.a.test']) });
const settings = { ...world.settings, AUTH_MODE: 'token', RATE_LIMIT: 'off', WORKER_QUEUES: 'network' };
const services: Service[] = [];
afterAll(async () => {
  await Promise.all(services.map(async (service) => service.close()));
  await world.close();
});

/** What accounts of a service learn, one after the other: when the host was seen. */
async function timesTold(more: Readonly<Record<string, string>>): Promise<readonly unknown[]> {
  const service = await openService({ settings: { ...settings, ...more } });
  services.push(service);
  const times: unknown[] = [];
  for (const fresh of ['', '&fresh=1']) {
    const { text, token } = makeToken(
      { name: 'test', scopes: ['tools'], limits: {}, expiresAt: null },
      Date.now(),
    );
    await service.backend.tokenStore.insert(token);
    const { status, body } = await service.get(`/api/tools/smtp-check/a.test?wait=55${fresh}`, {
      authorization: `Bearer ${text}`,
    });
    expect(status).toBe(200);
    const { hosts } = body as unknown as {
      hosts: readonly { addresses: readonly { checkedAt: unknown }[] }[];
    };
    times.push(hosts[0]?.addresses[0]?.checkedAt);
  }
  return times;
}

test('accounts that share no cache share what was seen of a mail host, and are not told when', async () => {
  expect(await timesTold({ ACCOUNT_CACHE: 'own' })).toEqual([null, null]);
  expect(server.connections()).toBe(2);
});

test('others are told', async () => {
  expect(await timesTold({ ACCOUNT_CACHE: 'shared' })).toEqual([
    expect.stringMatching(/Z$/),
    expect.stringMatching(/Z$/),
  ]);
});
