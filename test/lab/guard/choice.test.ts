import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseCidr } from '#shared/targets/classify-address';
import { openAddressSlots } from '../../../worker/probes/address-slots.ts';
import { chooseAddresses, findAddresses, openGuard } from '../../../worker/probes/guard.ts';
import { openHttpProbe } from '../../../worker/probes/http/open.ts';
import { httpLimits } from '../../../worker/probes/http/settings.ts';
import { openTlsProbe, tlsLimits } from '../../../worker/probes/tls/open.ts';

// One port on three addresses: which of them is reached is what these tests are about.
const servers: Server[] = [];
let port = 0;
const addresses = ['127.0.0.1', '127.0.0.2', '::1'];
beforeAll(async () => {
  for (const address of addresses) {
    const server = createServer((_request, response) => response.end(address));
    await new Promise<void>((resolve) => server.listen(port, address, resolve));
    port = (server.address() as AddressInfo).port;
    servers.push(server);
  }
});
afterAll(() => Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve)))));

function open() {
  const policy = {
    addresses: { allow: [parseCidr('127.0.0.0/8'), parseCidr('::1')], deny: [] },
    allowedSuffixes: ['test'],
    ports: [[1, 65_535] as const],
  };
  const resolve = async (host: string) => (host === 'four.test' ? addresses.slice(0, 2) : addresses);
  const slots = openAddressSlots(8);
  const guard = {
    policy,
    resolve,
    portMap: new Map(),
    slots,
    charge: async () => undefined,
    connectTimeoutMs: 1000,
  };
  const dial = openGuard(guard);
  const { signal } = new AbortController();
  return {
    http: openHttpProbe(
      {
        dial,
        chooseAddresses: (host, choice) => chooseAddresses(host, guard, choice),
        chargeReuse: async () => undefined,
        whyPortal: async () => undefined,
        clock: () => null,
        slots,
        policy,
        userAgent: 'test',
        limits: httpLimits,
      },
      signal,
    ),
    tls: openTlsProbe(dial, (host) => findAddresses(host, guard), tlsLimits, signal),
  };
}

test('each judged address of a host can be dialled by itself, and no other', async () => {
  const { tls } = open();
  const read = async (address: string) => {
    const seen = await tls.exchange({
      host: 'a.test',
      port,
      address,
      send: Buffer.from('GET / HTTP/1.0\r\n\r\n'),
      isComplete: () => false,
      limitBytes: 1000,
      timeoutMs: 2000,
    });
    return seen.kind === 'received' ? Buffer.from(seen.bytes).toString().split('\r\n\r\n')[1] : seen.code;
  };
  expect(await tls.addresses('a.test')).toEqual(addresses);
  expect(await Promise.all(addresses.map(read))).toEqual(addresses);
  expect(await read('127.0.0.3')).toBe('name-not-found');
});

test('a request over one family reaches that family alone, and its connection serves no other', async () => {
  const { http } = open();
  const get = async (host: string, family?: 4 | 6) => {
    const url = `http://${host}:${port}/`;
    const answer = await http.ask({ url, bodyLimitBytes: 100, ...(family ? { family } : {}) });
    return answer.kind === 'response' ? answer.body.text : answer.reason;
  };
  expect(await get('a.test', 6)).toBe('::1');
  expect(await get('a.test', 4)).toBe('127.0.0.1');
  expect(await get('a.test', 6)).toBe('::1');
  expect(await get('four.test', 6)).toBe('the name has no IPv6 address');
  http.close();
});
