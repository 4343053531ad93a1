import { expect, test } from 'vitest';
import { allowanceLimits } from '../../../worker/checks/ssl-check/gather/allowance.ts';
import {
  firstOfFamilies,
  lookAtOthers,
  spread,
} from '../../../worker/checks/ssl-check/gather/gather-endpoints.ts';
import type { HandshakeRequest, TlsProbe } from '../../../worker/probes/tls/port.ts';
import { connected } from './evidence-of.ts';
import { readClientHello } from './read-client-hello.ts';
import { speaks } from './speaks.ts';

const target = { host: 'a.test', port: 443 };
const ipv4 = Array.from({ length: 10 }, (_, index) => `192.0.2.${index + 1}`);
const ipv6 = Array.from({ length: 3 }, (_, index) => `2001:db8::${index + 1}`);

/** Looks at these addresses; every connection is noted. */
async function look(addresses: readonly string[], spentMs = 0, isSilent = false) {
  const asked: (string | undefined)[] = [];
  const speak = speaks([0xc02b], [], []);
  const handshake = async ({ address = '' }: HandshakeRequest) => {
    asked.push(address);
    const { maxEarlyDataBytes: _, ...rest } = connected({ address });
    return isSilent
      ? ({ kind: 'failure', code: 'tls-timeout', opensslCode: null, reason: 'late', address } as const)
      : { ...rest, session: 'secret', isResumed: false, renegotiation: null };
  };
  const probe: TlsProbe = {
    addresses: async () => addresses,
    connections: () => 0,
    handshake,
    exchange: async ({ send, address = '' }) => {
      asked.push(address);
      const reply = speak(readClientHello(send));
      const bytes = typeof reply === 'string' ? new Uint8Array(0) : reply;
      return { kind: 'received', bytes, ended: 'complete', address, ms: 1 };
    },
  };
  return { ...(await lookAtOthers(probe, target, { limits: allowanceLimits, spentMs, addresses })), asked };
}

test('an address is asked for a handshake and for old versions, and the session is not kept', async () => {
  const { endpoints, connections, asked } = await look(['192.0.2.2', '2001:db8::1']);
  expect(asked.toSorted()).toEqual(['192.0.2.2', '192.0.2.2', '2001:db8::1', '2001:db8::1']);
  expect(connections).toBe(4);
  expect(endpoints).toMatchObject([
    { address: '192.0.2.2', oldVersions: [{ version: 'TLSv1.1', end: { alert: 70 } }] },
    { address: '2001:db8::1' },
  ]);
  expect(JSON.stringify(endpoints)).not.toContain('secret');
});

test('of many addresses eight get a short look, of both families, and the others one handshake', async () => {
  const { asked, endpoints } = await look([...ipv4, ...ipv6]);
  const short = endpoints.filter(({ isBrief }) => isBrief !== true).map(({ address }) => address);
  expect(short).toHaveLength(8);
  expect(short.filter((address) => address.includes(':'))).toEqual(ipv6);
  expect(new Set(asked)).toEqual(new Set([...ipv4, ...ipv6]));
  const brief = endpoints.filter(({ isBrief }) => isBrief === true);
  expect(brief).toHaveLength(ipv4.length + ipv6.length - 8);
  for (const { address } of brief) expect(asked.filter((one) => one === address)).toHaveLength(1);
});

test('of very many addresses those that are left out are listed', async () => {
  const many = Array.from({ length: 50 }, (_, index) => `192.0.2.${index + 1}`);
  const { asked, endpoints } = await look(many);
  expect(new Set(asked).size).toBe(30);
  expect(endpoints).toHaveLength(50);
  expect(endpoints.at(-1)).toMatchObject({
    handshake: { code: 'budget-spent', reason: 'the name has more addresses than are looked at' },
  });
});

test('the first of each family comes first', () => {
  expect(firstOfFamilies([...ipv4, ...ipv6])).toEqual(['192.0.2.1', '2001:db8::1']);
  expect(spread([...ipv4.slice(0, 2), ...ipv6.slice(0, 1)])).toEqual([
    '192.0.2.1',
    '2001:db8::1',
    '192.0.2.2',
  ]);
});

test('an address that is silent once is asked no more', async () => {
  const { asked } = await look(['192.0.2.2'], 0, true);
  expect(asked).toEqual(['192.0.2.2']);
});

test('no handshake begins that could not end within the run', async () => {
  const { endpoints, asked } = await look(['192.0.2.2'], 12_001);
  expect(asked).toEqual([]);
  expect(endpoints).toMatchObject([{ handshake: { code: 'budget-spent' } }]);
});
