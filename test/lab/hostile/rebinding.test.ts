import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterAll, expect, test } from 'vitest';
import { recordTypes } from '../../kit/record-types.ts';
import { openLab } from '../kit/lab.ts';
import { openHostileDns, type Reply, type WireRecord, wireName } from './dns-servers.ts';
import { startWatchedService } from './watched-service.ts';

// The one address that the policy lets through. All others of this machine are watched at the same port.
const allowed = '127.0.0.2';
const ownAddresses = Object.values(networkInterfaces()).flatMap((all = []) =>
  all.filter(({ scopeid = 0 }) => scopeid === 0).map(({ address }) => address),
);
const reached: string[] = [];
const servers: Server[] = [];

const site = createHttpServer((request, response) => {
  const to = /^\/to\/([\w.-]+)/.exec(request.url ?? '')?.[1];
  if (to === undefined) response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>hello');
  else response.writeHead(302, { location: `http://${to}:${port}/` }).end();
});
await once(site.listen(0, allowed), 'listening');
const { port } = site.address() as AddressInfo;
for (const address of new Set(['127.0.0.1', '::1', ...ownAddresses])) {
  const trap = createServer((socket) => {
    reached.push(`${address} after ${asked.at(-1) ?? ''}`);
    socket.destroy();
  });
  await once(trap.listen(port, address), 'listening');
  servers.push(trap);
}

/** Octets of an address record. */
function record(address: string): WireRecord {
  if (!address.includes(':'))
    return { type: recordTypes.A, data: Buffer.from(address.split('.').map(Number)) };
  const [head = [], tail] = address.split('::').map((half) => half.split(':').filter(Boolean));
  const groups = tail
    ? [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail]
    : [...head];
  return {
    type: recordTypes.AAAA,
    data: Buffer.from(groups.map((group) => group.padStart(4, '0')).join(''), 'hex'),
  };
}

const forbidden: { readonly [label: string]: string } = {
  loopback: '127.0.0.1',
  loopback6: '::1',
  metadata: '169.254.169.254',
  own: ownAddresses.find((address) => !address.includes(':') && !address.startsWith('127.')) ?? '127.0.0.3',
  zero: '0.0.0.0',
  private: '10.0.0.1',
  mapped: '::ffff:7f00:1',
  compatible: '::7f00:1',
  nat64: '64:ff9b::7f00:1',
  sixtofour: '2002:7f00:1::1',
  teredo: '2001:0:7f00:1::1',
  unique: 'fd00::2',
};

const asked: string[] = [];
const seen = new Map<string, number>();
const answer = (records: readonly WireRecord[], type: number): Reply => ({
  records: records.filter((one) => one.type === type || one.type === recordTypes.CNAME),
});

/**
 * first-then-X.test: the allowed address, and X from the second question on; TTL 0 would not be kept either.
 * both-X.test: the allowed address and X in one answer. alias-X.test: an alias of a name that leads to X. only-X.test: X alone.
 */
const rebind = ({ name, type }: { readonly name: string; readonly type: number }): Reply => {
  asked.push(name);
  const [, manner, label = ''] = /(first|both|alias|only)-(\w+)\.test$/.exec(name) ?? [];
  const address = forbidden[label];
  if (address === undefined) return answer([record(allowed)], type);
  const times = (seen.get(`${name} ${type}`) ?? 0) + 1;
  seen.set(`${name} ${type}`, times);
  if (manner === 'first') return answer([record(times === 1 ? allowed : address)], type);
  if (manner === 'both') return answer([record(allowed), record(address)], type);
  if (manner === 'only') return answer([record(address)], type);
  const target = `only-${label}.test`;
  return answer(
    [
      { type: recordTypes.CNAME, data: wireName(target) },
      { ...record(address), owner: wireName(target) },
    ],
    type,
  );
};

const lab = await openLab({});
const dns = await openHostileDns({ test: rebind });
const service = await startWatchedService(
  lab.settings({
    ...dns.settings,
    TARGET_ALLOW_CIDRS: `${allowed}/32`,
    TARGET_PORTS: `80,443,${port}`,
    FRESH_SECONDS: '0',
  }),
);
afterAll(() =>
  Promise.all([
    service.close(),
    dns.close(),
    lab.close(),
    ...[site, ...servers].map((server) => new Promise((resolve) => server.close(resolve))),
  ]),
);

const manners = ['first', 'both', 'alias', 'only'] as const;
/** Every check that opens connections, of the name itself and of a site that sends its visitors there. */
function pathsOf(name: string): readonly string[] {
  const url = (text: string) => encodeURIComponent(text);
  return ['redirect-check', 'security-header-check'].flatMap((tool) => [
    `/api/tools/${tool}?url=${url(`http://${name}:${port}/`)}`,
    `/api/tools/${tool}?url=${url(`http://site.test:${port}/to/${name}`)}`,
    `/api/tools/${tool}?url=${url(`https://${name}:${port}/`)}`,
  ]);
}

// With every address allowed, 26 of these 48 names reach one of the traps; the other addresses are on no machine.
test.for(Object.keys(forbidden))(
  'a name that leads to the address called %s takes no check to a place that is not allowed',
  { timeout: 60_000 },
  async (label) => {
    const names = manners.map((manner) => `${manner}-${label}.test`);
    const paths = names.flatMap((name) => [
      ...pathsOf(name),
      `/api/tools/ssl-check/${name}?port=${port}`,
      `/api/tools/dns-check/${name}`,
    ]);
    // Twice: the second run meets the second answer.
    for (let round = 0; round < 2; round += 1) {
      const statuses = await Promise.all(paths.map((path) => service.statusOf(path)));
      expect(statuses.filter((status) => status !== 200)).toEqual([]);
    }
    expect(reached).toEqual([]);
    expect(names.filter((name) => !asked.includes(name))).toEqual([]);
  },
);
