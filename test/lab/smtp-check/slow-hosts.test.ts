import { afterAll, expect, test } from 'vitest';
import { smtpLimits } from '../../../worker/probes/smtp/talk.ts';
import { openMailWorld } from './world.ts';

const hosts = Array.from({ length: 5 }, (_, at) => `mx${at}.slow.test`);
const addressesOf = (at: number) => Array.from({ length: 4 }, (_, one) => 200 + at * 4 + one);
const world = await openMailWorld(
  {
    'slow.test': { MX: hosts.map((exchange, preference) => ({ preference, exchange })) },
    ...Object.fromEntries(
      hosts.map((name, at) => [name, { A: addressesOf(at).map((last) => `127.0.0.${last}`) }]),
    ),
  },
  { limits: smtpLimits },
);
afterAll(() => world.close());

test('twenty addresses that take all the time of a run leave a report in time', async () => {
  const servers = await Promise.all(
    hosts.flatMap((_, at) => addressesOf(at)).map((last) => world.serve(last, {})),
  );
  // Each reply comes just before we would give up waiting: greeting and EHLO in time, the handshake as well, and nothing is left for a second talk.
  servers[0]?.serve({ tls: await world.authority.issue(hosts), delayMs: 7000 });
  for (const server of servers.slice(1, 10)) server.serve({ greeting: null });
  for (const server of servers.slice(10)) server.serve({ inPlace: () => undefined, delayMs: 7000 });
  // It throws where the run's own limit ends it.
  const { evidence, broken, report } = await world.checkAnew('slow.test');
  expect(broken).not.toContain('starttls-missing');
  expect(evidence.connections).toBeLessThanOrEqual(40);
  expect(report.state).toBe('partial');
  const states = evidence.hosts.flatMap(({ addresses }) => addresses.map(({ first }) => first.kind));
  expect(states.length).toBe(20);
}, 150_000);
