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
  expect(await lookAtMail(readConfig(world.settings), 30_000)).toEqual({ faults: [], port: 'open' });
});

test('a PTR of another name, and a port that is closed', async () => {
  world = await openMailWorld(
    { ...zone, '141.0.0.127.in-addr.arpa': { PTR: ['vps7.host.test'] } },
    { settings },
  );
  expect(await lookAtMail(readConfig(world.settings), 30_000)).toEqual({
    faults: ['the PTR of 127.0.0.141 is vps7.host.test, not probe.lab.test'],
    port: 'blocked',
  });
});

test('a name without an address, and nobody who must answer', async () => {
  world = await openMailWorld({});
  expect(await lookAtMail(readConfig(world.settings), 30_000)).toEqual({
    faults: ['probe.lab.test has no address'],
    port: 'unknown',
  });
});
