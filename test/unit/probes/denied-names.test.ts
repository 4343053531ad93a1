import { expect, test } from 'vitest';
import type { DeniedNames } from '#shared/targets/denied-names';
import { isAtOrBelow } from '#shared/targets/denied-names';
import type { TargetPolicy } from '#shared/targets/parse-target';
import { openDeniedServers } from '../../../worker/probes/dns/denied-servers.ts';
import type { DnsAnswer, DnsProbe, DnsRecord } from '../../../worker/probes/dns/port.ts';
import { findAddresses } from '../../../worker/probes/guard.ts';
import { openResolve } from '../../../worker/probes/resolve.ts';
import { dnsReply } from '../../kit/dns-reply.ts';

const names = new Set(['denied.example']);
const denied: DeniedNames = {
  covers: (host) => isAtOrBelow(host, names),
  revision: () => 0,
  isEmpty: () => false,
};
const policy: TargetPolicy = { addresses: { allow: [], deny: [] }, allowedSuffixes: [], ports: [], denied };

const record = (name: string, type: string, data: string): DnsRecord => ({ name, type, ttl: 60, data });
const answer = (name: string, answers: readonly DnsRecord[], additional: readonly DnsRecord[] = []) =>
  dnsReply({ name, type: 'A' }, { answers, additional });
const probe = (records: readonly DnsRecord[]): DnsProbe => ({
  ask: async ({ name, type }) => answer(name, type === 'A' ? records : []),
});

const resolved = (host: string, records: readonly DnsRecord[]) =>
  findAddresses(host, { resolve: openResolve(probe(records), denied), policy }).catch(
    (error: { code: string }) => error.code,
  );

test('the door of every connection refuses a name on the list, in every spelling, without asking the DNS', async () => {
  for (const host of ['denied.example', 'www.denied.example', 'WWW.Denied.Example.'])
    expect(await resolved(host, [record(host, 'A', '9.9.9.9')])).toBe('target-not-allowed');
});

test('an alias of one is refused, and one that only looks alike is not', async () => {
  const chain = (to: string) => [record('www.good.example', 'CNAME', to), record(to, 'A', '9.9.9.9')];
  expect(await resolved('www.good.example', chain('cdn.denied.example'))).toBe('target-not-allowed');
  expect(await resolved('www.good.example', chain('notdenied.example'))).toEqual(['9.9.9.9']);
});

const listen = async (names: DeniedNames | undefined, answers: readonly DnsAnswer[]) => {
  const servers = openDeniedServers(names);
  for (const each of answers)
    await servers.ask({ question: each.question, server: undefined }, async () => each);
  return servers;
};

test('a name server of a name on the list is known by the addresses that answers gave it, and never asked', async () => {
  const servers = await listen(denied, [
    answer('ns.denied.example', [record('ns.denied.example', 'A', '9.9.9.1')]),
    answer('ns.good.example', [record('ns.good.example', 'A', '9.9.9.2')]),
    // Glue that came along.
    answer('good.example', [], [record('ns2.denied.example', 'AAAA', '2620:fe::3')]),
    answer('ns3.good.example', [
      record('ns3.good.example', 'CNAME', 'ns.denied.example'),
      record('ns.denied.example', 'A', '9.9.9.4'),
    ]),
  ]);
  const asked: string[] = [];
  for (const server of ['9.9.9.1', '9.9.9.2', '2620:fe::3', '9.9.9.4']) {
    const question = { name: 'good.example', type: 'SOA' };
    const given = await servers.ask({ question, server }, async () => {
      asked.push(server);
      return answer('good.example', []);
    });
    expect([server, given.kind]).toEqual([server, server === '9.9.9.2' ? 'answer' : 'failure']);
  }
  expect(asked).toEqual(['9.9.9.2']);
});

test('without a list nothing is denied', async () => {
  const servers = await listen(undefined, [
    answer('ns.denied.example', [record('ns.denied.example', 'A', '9.9.9.1')]),
  ]);
  expect(servers.has('9.9.9.1')).toBe(false);
  const { denied: _, ...open } = policy;
  const resolve = openResolve(probe([record('denied.example', 'A', '9.9.9.9')]));
  expect(await findAddresses('denied.example', { resolve, policy: open })).toEqual(['9.9.9.9']);
});
