import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { afterAll, beforeEach, expect, test } from 'vitest';
import type { Json } from '#shared/model/verdict';
import { dnsCheck } from '../../../worker/checks/dns-check/index.ts';
import { judge } from '../../../worker/run/judge.ts';
import { gatherLocally } from '../../../worker/start/run-local.ts';
import { recordTypes } from '../../kit/record-types.ts';
import { openLab } from '../kit/lab.ts';
import { openHostileDns, type Reply, serverAddresses, wireName } from './dns-servers.ts';
import { hostileZones } from './zones.ts';

// KeyTrap (CVE-2023-50387): keys of one tag times signatures that name it. NXNS (CVE-2020-12662): a delegation to names that somebody else has to
// look up. What our validator computes, and what the victim's servers get, is counted.

const counted = { verifications: 0 };
const { verify } = crypto;
crypto.verify = ((...given: Parameters<typeof verify>) => {
  counted.verifications += 1;
  return verify(...given);
}) as typeof verify;
syncBuiltinESMExports();

const victimServers = 500;
const nothing: Reply = { records: [] };
const ipv4 = (address: string) => Buffer.from(address.split('.').map(Number));
const dns = await openHostileDns(
  {
    'trap.test': hostileZones['trap.test'] ?? (() => nothing),
    // As many names of the victim's as a message holds, and none of them has an address.
    'nxns.test': ({ name, type }) => {
      if (name !== 'nxns.test' || type !== recordTypes.NS) return nothing;
      return {
        records: Array.from({ length: victimServers }, (_, at) => ({
          type,
          data: wireName(`n${at}.victim.test`),
        })),
      };
    },
    // The same with names that all lead to servers of the victim's.
    'nxns-glued.test': ({ name, type }) => {
      if (name !== 'nxns-glued.test' || type !== recordTypes.NS) return nothing;
      return {
        records: Array.from({ length: victimServers }, (_, at) => ({
          type,
          data: wireName(`g${at}.victim.test`),
        })),
      };
    },
  },
  ({ name, type }) => {
    const [, number] = /^g(\d+)\.victim\.test$/.exec(name) ?? [];
    if (number === undefined || type !== recordTypes.A) return { records: [], rcode: number ? 0 : 3 };
    const address = serverAddresses[Number(number) % serverAddresses.length] ?? '';
    return { records: [{ type, data: ipv4(address) }] };
  },
);
const lab = await openLab({});
afterAll(() => Promise.all([dns.close(), lab.close()]));
beforeEach(() => {
  counted.verifications = 0;
});

const config = lab.config({ ...dns.settings, TARGET_ALLOW_CIDRS: '127.0.0.0/8' });
const gather = (domain: string) => gatherLocally(dnsCheck, { target: domain, options: {} }, config);
const sum = (counts: ReadonlyMap<string, number>) => [...counts.values()].reduce((all, one) => all + one, 0);

test('of keys of one tag and signatures that name it, so many pairs are computed and no more', async () => {
  let most = 0;
  // The answers are large: in some runs the bytes that a run may read end before keys and signatures were both there.
  for (let run = 0; run < 10 && most === 0; run += 1) {
    const file = await gather('trap.test');
    counted.verifications = 0;
    const start = process.threadCpuUsage();
    const report = judge(dnsCheck, file);
    const { user, system } = process.threadCpuUsage(start);
    process.stdout.write(
      `KeyTrap: ${counted.verifications} verifications, ${Math.round((user + system) / 1000)} ms of CPU\n`,
    );
    most = counted.verifications;
    expect(report.state).not.toBe('failed');
  }
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThanOrEqual(verificationsMost);
});

/** Ten sets of records at the domain and two at each of its servers, with six signatures by four keys each. */
const verificationsMost = 300;

test.for(['nxns.test', 'nxns-glued.test'])(
  'a delegation of %s to 500 names of a victim makes no more packets than its budget',
  async (domain) => {
    const before = { names: dns.names.length, packets: sum(dns.packets), connections: sum(dns.connections) };
    const file = await gather(domain);
    const asked = dns.names.slice(before.names).filter((name) => name.endsWith('.victim.test'));
    const packets = sum(dns.packets) - before.packets;
    process.stdout.write(
      `${domain}: ${asked.length} questions about the victim, ${packets} packets to its servers\n`,
    );
    expect(asked.length).toBeLessThanOrEqual(60);
    expect(packets).toBeLessThanOrEqual(100);
    expect(sum(dns.connections) - before.connections).toBeLessThanOrEqual(30);
    expect(judge(dnsCheck, file as typeof file & { readonly evidence: Json }).state).not.toBe('failed');
  },
);
