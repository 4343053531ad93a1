import { afterEach, expect, test } from 'vitest';
import { readConfig } from '#shared/settings/config';
import { lookAtMail } from '../../../cli/look-at-mail.ts';
import { type MailWorld, openMailWorld } from './world.ts';

let world: MailWorld | undefined;
afterEach(async () => world?.close());

const zone = {
  'probe.lab.test': { A: ['127.0.0.141'] },
  'control.test': { A: ['127.0.0.142'] },
  '141.0.0.127.in-addr.arpa': { PTR: ['probe.lab.test'] },
};
const settings = { SMTP_CONTROL_HOST: 'control.test' };

test('a name that leads to its address and back, and a port that is open', async () => {
  world = await openMailWorld(zone, { settings });
  await world.serve(142, {});
  expect(await lookAtMail(readConfig(world.settings), 30_000)).toEqual({
    faults: [],
    unknown: [],
    port: 'open',
  });
});

test('a PTR of another name, and a port that is closed', async () => {
  world = await openMailWorld(
    { ...zone, '141.0.0.127.in-addr.arpa': { PTR: ['vps7.host.test'] } },
    { settings },
  );
  expect(await lookAtMail(readConfig(world.settings), 30_000)).toEqual({
    faults: [
      "the PTR of 127.0.0.141 is vps7.host.test, not probe.lab.test; set it to probe.lab.test where you got the address (reverse DNS in your provider's panel)",
    ],
    unknown: [],
    port: 'blocked',
  });
});

test('a name without an address, and nobody who must answer', async () => {
  world = await openMailWorld({});
  expect(await lookAtMail(readConfig(world.settings), 30_000)).toEqual({
    faults: [
      'probe.lab.test has no address; in its zone, add an A record of the address that others see this machine at',
    ],
    unknown: [],
    port: 'unknown',
  });
});

test('an address without a PTR is told how to get one', async () => {
  world = await openMailWorld({ 'probe.lab.test': { A: ['127.0.0.141'] } });
  const { faults, unknown } = await lookAtMail(readConfig(world.settings), 30_000);
  expect(faults).toEqual([expect.stringMatching(/^127\.0\.0\.141 has no PTR; set it to probe\.lab\.test/)]);
  expect(unknown).toEqual([]);
});

test('a resolver that does not answer proves nothing of the name', async () => {
  world = await openMailWorld(zone);
  const config = readConfig({ ...world.settings, DNS_SERVERS: '127.0.0.99:9' });
  const { faults, unknown } = await lookAtMail(config, 60_000);
  expect(faults).toEqual([]);
  expect(unknown[0]).toMatch(/^the A records of probe\.lab\.test could not be looked up: /);
}, 90_000);
