import { expect, test } from 'vitest';
import { allowanceLimits, openAllowance } from '../../../worker/checks/ssl-check/gather/allowance.ts';
import { gatherEndpoints } from '../../../worker/checks/ssl-check/gather/gather-endpoints.ts';
import { openLanes } from '../../../worker/checks/ssl-check/gather/lanes.ts';
import type { TlsProbe } from '../../../worker/probes/tls/port.ts';
import { connected } from './evidence-of.ts';

const target = { host: 'a.test', port: 443 };
const ipv4 = Array.from({ length: 10 }, (_, index) => `192.0.2.${index + 1}`);
const ipv6 = Array.from({ length: 3 }, (_, index) => `2001:db8::${index + 1}`);

/** Looks at a name with these addresses, of which the first was seen, so many ms after the start. */
async function look(addresses: readonly string[], nowMs = 0) {
  let now = 0;
  const allowance = openAllowance(allowanceLimits, () => now);
  now = nowMs;
  const asked: (string | undefined)[] = [];
  const probe: Pick<TlsProbe, 'addresses' | 'handshake'> = {
    addresses: async () => addresses,
    handshake: async ({ address = '' }) => {
      asked.push(address);
      const { maxEarlyDataBytes: _, ...rest } = connected({ address });
      return { ...rest, session: 'secret' };
    },
  };
  const more = { lanes: openLanes(4), allowance, seen: addresses.slice(0, 1) };
  return { endpoints: await gatherEndpoints(probe, target, more), asked };
}

test('each other address is asked once, and the session is not kept', async () => {
  const { endpoints, asked } = await look(['192.0.2.1', '192.0.2.2', '2001:db8::1']);
  expect(asked).toEqual(['192.0.2.2', '2001:db8::1']);
  expect(endpoints).toMatchObject([{ address: '192.0.2.2' }, { address: '2001:db8::1' }]);
  expect(JSON.stringify(endpoints)).not.toContain('secret');
});

test('of many addresses eight are asked, of both families', async () => {
  const { asked } = await look([...ipv4, ...ipv6]);
  expect(asked).toHaveLength(8);
  expect(asked.filter((address) => address?.includes(':'))).toEqual(ipv6);
});

test('no handshake begins that could not end within the run', async () => {
  const { endpoints, asked } = await look(['192.0.2.1', '192.0.2.2'], 12_001);
  expect(asked).toEqual([]);
  expect(endpoints).toEqual([]);
});
