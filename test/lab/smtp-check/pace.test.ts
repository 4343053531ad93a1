import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Pace } from '#shared/ports/pace';
import { mailPerHour } from '../../../worker/probes/pace-turns.ts';
import { type MailWorld, openMailWorld } from './world.ts';

let world: MailWorld | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

const mx = (...names: string[]) => ({
  MX: names.map((exchange, at) => ({ preference: at, exchange })),
});

/** So many domains that name the hosts of one provider. */
function customersOf(names: readonly string[], count: number) {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`c${at}.test`, mx(...names)]));
}

describe('a provider', () => {
  const names = ['mx1.big.test', 'mx2.big.test', 'mx3.big.test'];
  const zone = {
    ...customersOf(names, 100),
    ...Object.fromEntries(names.map((name, at) => [name, { A: [`127.0.0.${61 + at}`] }])),
  };

  test('is asked as often for a hundred domains as for one', async () => {
    world = await openMailWorld(zone);
    const cert = await world.authority.issue(names);
    const servers = [
      await world.serve(61, { tls: cert }),
      await world.serve(62, { tls: cert }),
      await world.serve(63, { tls: cert }),
    ];
    const { check } = world;
    const all = await Promise.all(Array.from({ length: 100 }, (_, at) => check(`c${at}.test`)));
    expect(new Set(all.map(({ report }) => report.score))).toEqual(new Set([100]));
    expect(servers.map((server) => server.connections())).toEqual([2, 2, 2]);
    const made = all.reduce((sum, { evidence }) => sum + evidence.connections, 0);
    expect(made).toBe(6);
  });

  test('is asked anew for those who want it fresh, but not within ten minutes', async () => {
    world = await openMailWorld(zone);
    const cert = await world.authority.issue(names);
    const server = await world.serve(61, { tls: cert });
    const first = await world.check('c1.test');
    const again = await world.check('c2.test', { since: Date.now(), orFresh: false });
    expect(server.connections()).toBe(2);
    expect(again.addresses[0]?.['checkedAt']).toBe(first.addresses[0]?.['checkedAt']);
  });

  const minute = 60_000;
  test.for([
    { after: 9, isFresh: true, connections: 2 },
    { after: 11, isFresh: true, connections: 4 },
    { after: 11, isFresh: false, connections: 2 },
    { after: 59, isFresh: false, connections: 2 },
    { after: 61, isFresh: false, connections: 4 },
  ])('after $after minutes, fresh: $isFresh, it has had $connections connections', async (row) => {
    world = await openMailWorld(zone);
    const cert = await world.authority.issue(names);
    const server = await world.serve(61, { tls: cert });
    const first = await world.check('c1.test');
    // Only the wall clock: sockets, timers and deadlines go on.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + row.after * minute });
    try {
      const again = await world.check('c2.test', { since: Date.now(), orFresh: !row.isFresh });
      expect(server.connections()).toBe(row.connections);
      const times = [first, again].map(({ addresses }) => addresses[0]?.['checkedAt']);
      expect(times[0] === times[1]).toBe(row.connections === 2);
    } finally {
      vi.useRealTimers();
    }
  });
});

test('a run makes at most twelve connections to hosts of others, and forty to the hosts of its own domain', async () => {
  const names = Array.from({ length: 8 }, (_, at) => `mx${at}.own.test`);
  const addresses = (at: number) => Array.from({ length: 6 }, (_, one) => `127.0.0.${71 + at * 6 + one}`);
  const zone = {
    'other.test': mx(...names),
    'own.test': mx(...names),
    ...Object.fromEntries(names.map((name, at) => [name, { A: addresses(at) }])),
  };
  world = await openMailWorld(zone);
  const cert = await world.authority.issue(names);
  for (let at = 0; at < 48; at += 1) await world.serve(71 + at, { tls: cert });
  const foreign = await world.check('other.test');
  expect(foreign.evidence.connections).toBe(12);
  expect(foreign.evidence.hosts.length).toBe(5);
  expect(foreign.evidence.hostsLeftOut).toBe(3);
  expect(foreign.broken).toEqual([]);
  const own = await world.checkAnew('own.test');
  // Four addresses of each of five hosts, and one more connection a host for old versions.
  expect(own.evidence.connections).toBe(25);
});

describe('the pace of an address, over all names', () => {
  const count = 20;
  const zone = Object.fromEntries(
    Array.from({ length: count }, (_, at) => [
      [`t${at}.test`, mx(`mx.t${at}.test`)] as const,
      [`mx.t${at}.test`, { A: ['127.0.0.120'] }] as const,
    ]).flat(),
  );

  test('is charged for the hour and for the second, by the address alone', async () => {
    const orders: string[] = [];
    const rates = new Map<string, object>();
    const pace: Pace = {
      take: async ({ key, rate }) => {
        orders.push(key);
        rates.set(key, rate);
        return orders.filter((one) => one === key).length > 3 ? null : 0;
      },
      close: async () => undefined,
    };
    world = await openMailWorld(zone, { pace });
    const server = await world.serve(120, { extensions: ['SIZE 1'] });
    const seen = [];
    for (let at = 0; at < 6; at += 1) seen.push(await world.check(`t${at}.test`));
    expect(new Set(orders.filter((key) => key.startsWith('mail')))).toEqual(
      new Set(['mail connections an hour 127.0.0.120', 'mail connections 127.0.0.120']),
    );
    expect(rates.get('mail connections 127.0.0.120')).toEqual({ perSecond: 1, burst: 6 });
    expect(server.connections()).toBe(3);
    // What was not let through was not made, and is not counted.
    expect(seen.map(({ evidence }) => evidence.connections)).toEqual([1, 1, 1, 0, 0, 0]);
    expect(seen.at(-1)?.addresses[0]).toMatchObject({
      state: 'unknown',
      startTls: 'unknown',
      reason: 'other checks have asked 127.0.0.120 as often as we allow for now',
    });
    expect(seen.at(-1)?.broken).toEqual([]);
  });

  test('lets no more than sixty through in an hour', async () => {
    const { perSecond, burst } = mailPerHour;
    expect(burst + perSecond * 3600).toBeLessThanOrEqual(60);
  });
});

describe('port 25 that is closed here', () => {
  const zone = {
    'quiet.test': mx('mx.quiet.test'),
    'mx.quiet.test': { A: ['127.0.0.130'] },
    'control.test': { A: ['127.0.0.131'] },
    'loud.test': mx('mx.loud.test'),
    'mx.loud.test': { A: ['127.0.0.132'] },
  };

  test('is told where the control host is silent too', async () => {
    world = await openMailWorld(zone, { settings: { SMTP_CONTROL_HOST: 'control.test' } });
    const { addresses, broken, notTested } = await world.check('quiet.test');
    expect(addresses[0]).toMatchObject({ state: 'blocked-here' });
    expect(broken).toEqual([]);
    expect(notTested.get('mail-host-unreachable')).toBe(
      'mx.quiet.test: the network of this service lets no connection to port 25 out',
    );
  });

  test('is not blamed where the control host answers', async () => {
    world = await openMailWorld(zone, { settings: { SMTP_CONTROL_HOST: 'control.test' } });
    await world.serve(131, {});
    const { addresses, broken } = await world.check('quiet.test');
    expect(addresses[0]).toMatchObject({ state: 'refused' });
    expect(broken).toEqual(['mail-host-unreachable']);
  });

  test('is told where a host that answered is silent now', async () => {
    let now = 0;
    world = await openMailWorld(zone, { now: () => now });
    const server = await world.serve(132, { extensions: [] });
    await world.check('loud.test');
    await server.close();
    now = 120_000;
    expect((await world.check('quiet.test')).addresses[0]).toMatchObject({ state: 'blocked-here' });
    now = 2 * 86_400_000;
    expect((await world.check('quiet.test')).addresses[0]).toMatchObject({ state: 'refused' });
  });

  test('without either it is only silence', async () => {
    world = await openMailWorld(zone);
    expect((await world.check('quiet.test')).evidence.port).toBe('unknown');
  });
});
