import { expect, test } from 'vitest';
import { readConfig } from '#shared/settings/config';
import type { ProbeFactory } from '../../../worker/probes/open.ts';
import { noRdap } from '../../../worker/probes/rdap/open.ts';
import { withoutTransfers } from '../../../worker/start/probe-settings.ts';
import { goodWorld } from './good-world.ts';
import { probesOf } from './run-check.ts';
import { openWorld } from './world.ts';

test('transfers are off until the operator switches them on', () => {
  const read = (given: Record<string, string>) => readConfig(given).PROBE_AXFR;
  expect([read({}), read({ PROBE_AXFR: 'on' }), read({ PROBE_AXFR: 'off' })]).toEqual([false, true, false]);
});

const nothing = () => Promise.reject(new Error('nothing is sent'));

test('probes without transfers still ask', async () => {
  const { probe } = openWorld(goodWorld({ transfers: true }));
  const factory: ProbeFactory = {
    open: () => ({
      ...probesOf(probe),
      rdap: noRdap,
      sendVerified: nothing,
      spent: () => [],
      missing: () => [],
      untried: () => [],
      clock: () => null,
      close: () => undefined,
    }),
    close: () => undefined,
  };
  const { dns } = withoutTransfers(factory).open(new AbortController().signal);
  const question = { name: 'good.test', type: 'SOA' };
  expect(['transfer' in probe, 'transfer' in dns]).toEqual([true, false]);
  expect(await dns.ask(question)).toEqual(await probe.ask(question));
});
