import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { catalogue } from '#shared/catalogue/registry';
import { findCheck } from '../../../worker/checks/registry.ts';
import { prepareProbesOf } from '../../../worker/start/probe-settings.ts';
import { openLab } from '../kit/lab.ts';
import { openTrap } from '../kit/trap.ts';

const lab = await openLab({
  sites: {
    'http://a.test': (_request, response) => response.writeHead(301, { location: 'https://a.test/' }).end(),
    'https://a.test': (_request, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<p>hello'),
  },
  zone: {
    'a.test': {
      A: ['127.0.0.1'],
      NS: ['ns.a.test'],
      MX: [{ preference: 10, exchange: 'mx.a.test' }],
      TXT: ['v=spf1 include:b.test -all'],
    },
    'ns.a.test': { A: ['127.0.0.1'] },
    'mx.a.test': { A: ['127.0.0.1'] },
    'b.test': { TXT: ['v=spf1 -all'] },
  },
});
const [, dnsPort = ''] = lab.dns.address.split(':');
const probes = prepareProbesOf(lab.config({ NAMESERVER_PORT: dnsPort }));
afterAll(async () => {
  probes.close();
  await lab.close();
});

// The lab answers from this process too; what it sends back is not ours.
const isLab = (stack: string) => /\/test\/lab\/kit\/(?:dns-server|web-servers)/.test(stack);

test.for(catalogue.filter(({ queue }) => queue === 'network'))(
  '$name opens nothing but through the probes',
  async ({ name, targetKind }) => {
    const check = await findCheck(name);
    const trap = openTrap();
    const opened = probes.open(AbortSignal.timeout(20_000));
    const evidence = await check?.gather({
      target: targetKind === 'url' ? 'https://a.test/' : 'a.test',
      options: {},
      probes: opened,
      progress: () => undefined,
    });
    opened.close();
    trap.close();
    const ours = trap.caught.filter(({ stack }) => !isLab(stack));
    expect(ours.length).toBeGreaterThan(0);
    expect(
      ours
        .filter(({ stack }) => !stack.includes('/worker/probes/'))
        .map(({ what, stack }) => `${what}\n${stack}`),
    ).toEqual([]);
    expect(check?.assess(evidence ?? null).verdicts).toBeDefined();
  },
);

test('what is refused opens no socket: addresses in every spelling, ports, schemes', async () => {
  const octet = fc.nat(255);
  const refused = fc.oneof(
    fc
      .tuple(
        fc.constantFrom('10', '127', '169.254', '192.168', '172.16', '100.64', '0', '224', '240'),
        octet,
        octet,
        octet,
      )
      .map(([net, a, b, c]) => [...net.split('.'), a, b, c].slice(0, 4).join('.')),
    fc.tuple(octet, octet).map(([a, b]) => `[::ffff:${((127 << 8) | a).toString(16)}:${b.toString(16)}]`),
    fc.constantFrom(
      'localhost',
      'x.internal',
      '[::1]',
      '[fe80::1]',
      '2130706434',
      '0x7f.2',
      '0177.0.0.2',
      'router',
      'a.onion',
    ),
  );
  const trap = openTrap();
  const opened = probes.open(AbortSignal.timeout(20_000));
  await fc.assert(
    fc.asyncProperty(fc.constantFrom('http', 'https'), refused, async (scheme, host) => {
      fc.pre(host !== '127.0.0.1');
      const answer = await opened.http.ask({ url: `${scheme}://${host}/`, bodyLimitBytes: 100 });
      expect(answer).toMatchObject({ kind: 'failure', code: 'target-not-allowed' });
      const handshake = await opened.tls
        .handshake({ host: host.replace(/^\[|\]$/g, ''), port: 443, servername: null, lingerMs: 0 })
        .catch(() => ({ kind: 'failure' }));
      expect(handshake.kind).toBe('failure');
    }),
    { numRuns: 500 },
  );
  opened.close();
  trap.close();
  expect(
    trap.caught.filter(({ what, stack }) => what === 'tcp' && !isLab(stack)).map(({ stack }) => stack),
  ).toEqual([]);
});

test('a name server on a private address is not asked', async () => {
  const trap = openTrap();
  const opened = probes.open(AbortSignal.timeout(20_000));
  for (const server of [
    '10.0.0.1',
    '127.0.0.2',
    '::1',
    'fe80::1',
    '169.254.169.254',
    '0x7f.1',
    'localhost',
  ]) {
    expect(await opened.dns.ask({ name: 'a.test', type: 'A' }, { server })).toMatchObject({
      kind: 'failure',
      code: 'target-address-not-allowed',
    });
  }
  trap.close();
  expect(trap.caught.filter(({ stack }) => !isLab(stack))).toEqual([]);
});

test('a port that the operator does not let targets name is not dialled, whichever probe is asked', async () => {
  let connections = 0;
  const listener = createServer((socket) => {
    connections += 1;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  const opened = probes.open(AbortSignal.timeout(20_000));
  const refused = { kind: 'failure', code: 'target-not-allowed' };
  const host = 'a.test';
  const handshake = opened.tls.handshake({ host, port, servername: host, lingerMs: 0 });
  expect(await handshake).toMatchObject(refused);
  const exchange = { send: new Uint8Array(1), isComplete: () => true, limitBytes: 1, timeoutMs: 1000 };
  expect(await opened.tls.exchange({ host, port, ...exchange })).toMatchObject(refused);
  const answer = await opened.http.ask({ url: `http://${host}:${port}/`, bodyLimitBytes: 0 });
  expect(answer).toMatchObject(refused);
  expect(connections).toBe(0);
  opened.close();
  listener.close();
});
