import { expect, test } from 'vitest';
import { rules } from '#shared/catalogue/dns-check/rules';
import { listVerdicts } from '#shared/model/finding';
import { parseCidr } from '#shared/targets/classify-address';
import { assessDnsCheck } from '../../../worker/checks/dns-check/assess.ts';
import { gatherDnsCheck } from '../../../worker/checks/dns-check/gather.ts';
import { judgeRecordName } from '../../../worker/dns/judge-record-name.ts';
import type { DnsProbe } from '../../../worker/probes/dns/port.ts';
import { probesOf } from './run-check.ts';
import { worldWith } from './usual-worlds.ts';
import { openWorld } from './world.ts';

const strict = { addresses: { allow: [], deny: [] }, allowedSuffixes: [] };

const names: readonly { name: string; why: string | undefined }[] = [
  { name: 'mail.example.com', why: undefined },
  { name: '_25._tcp.mail.example.com', why: undefined },
  { name: 'good.example.org._report._dmarc.example.com', why: undefined },
  { name: 'target.com', why: undefined },
  { name: '_dmarc.com', why: undefined },
  { name: '', why: undefined },
  { name: 'db.corp.internal', why: 'is a special-use name' },
  { name: 'DB.Corp.Internal', why: 'is a special-use name' },
  { name: 'db.corp.internal.', why: 'is a special-use name' },
  { name: 'db.corp.intern\\097l', why: 'is a special-use name' },
  { name: '_spf.corp.internal', why: 'is a special-use name' },
  { name: '_25._tcp.mail.corp', why: 'is a special-use name' },
  { name: '(odd).name.local', why: 'is a special-use name' },
  { name: 'xn--a.internal', why: 'is a special-use name' },
  { name: 'localhost', why: 'is a single label' },
  { name: '_dmarc.localhost', why: 'is a single label' },
  { name: 'mailhost', why: 'is a single label' },
  { name: '_spf', why: 'is a single label' },
  { name: 'x.home.arpa', why: 'is a special-use name' },
  { name: '5.2.1.10.in-addr.arpa', why: 'belongs to an address that is not public' },
  { name: '10.in-addr.arpa', why: 'belongs to an address that is not public' },
  { name: '8.8.8.8.in-addr.arpa', why: undefined },
  { name: `1${'.0'.repeat(31)}.ip6.arpa`, why: 'belongs to an address that is not public' },
  { name: `b.1${'.0'.repeat(22)}.0.5.4.1.0.0.a.2.ip6.arpa`, why: undefined },
];
test.for(names)('"$name": $why', ({ name, why }) => {
  expect(judgeRecordName(name, 'target.com', strict)?.why).toBe(why);
});

test('the operator’s suffixes and addresses are let through, and no others', () => {
  const policy = {
    addresses: { allow: [parseCidr('10.0.0.0/8')], deny: [] },
    allowedSuffixes: ['lab.internal'],
  };
  const judge = (name: string) => judgeRecordName(name, 'target.com', policy);
  expect(judge('db.lab.internal')).toBeUndefined();
  expect(judge('1.0.0.10.in-addr.arpa')).toBeUndefined();
  expect(judge('db.corp.internal')?.why).toBe('is a special-use name');
  expect(judge('1.0.168.192.in-addr.arpa')?.kind).toBe('address');
});

// Each record that can name a host, with the name in it and how the report calls the record.
const places: readonly { line: string; name?: string; record: string }[] = [
  { line: '@ 3600 MX 5 db.corp.internal', record: 'MX of good.test' },
  { line: '@ 3600 NS db.corp.internal', record: 'NS of good.test' },
  { line: 'www.good.test 3600 CNAME db.corp.internal', record: 'CNAME of www.good.test' },
  { line: '@ 3600 TXT v=spf1 include:db.corp.internal -all', record: 'TXT of good.test' },
  { line: '@ 3600 TXT v=spf1 a:db.corp.internal -all', record: 'TXT of good.test' },
  {
    line: '_dmarc.good.test 3600 TXT v=DMARC1; p=none; rua=mailto:x@db.corp.internal',
    record: 'TXT of _dmarc.good.test',
  },
  { line: '_mta-sts.good.test 3600 CNAME db.corp.internal', record: 'CNAME of _mta-sts.good.test' },
  { line: 'default._bimi.good.test 3600 CNAME db.corp.internal', record: 'CNAME of default._bimi.good.test' },
  { line: '@ 3600 MX 5 mailhost', name: 'mailhost', record: 'MX of good.test' },
  { line: '@ 3600 MX 5 localhost', name: 'localhost', record: 'MX of good.test' },
];
test.for(places)('$line: no question leaves, and the report names the record alone', async (place) => {
  const { line, name = 'db.corp.internal', record } = place;
  const owner = line.startsWith('@') ? `@ 3600 ${line.split(' ')[2]}` : line.split(' ').slice(0, 2).join(' ');
  // The resolver of a private network knows the name; nothing that it says may be seen.
  const secrets = {
    'corp.internal': [
      'db.corp.internal 60 A 10.66.77.88',
      'db.corp.internal 60 TXT v=spf1 ip4:10.66.0.0/16 include:secret.corp.internal -all',
      'db.corp.internal 60 MX 1 secret.corp.internal',
    ],
    '10.in-addr.arpa': ['88.77.66.10.in-addr.arpa 60 PTR secret.corp.internal'],
    mailhost: ['mailhost 60 A 10.66.77.88'],
    localhost: ['localhost 60 A 10.66.77.88'],
  };
  const world = worldWith({ signed: false, without: [owner], add: [line] }, secrets);
  const { probe } = openWorld(world);
  const sent: string[] = [];
  const dns: DnsProbe = {
    ask: (question, options) => {
      sent.push(question.name);
      return probe.ask(question, options);
    },
  };
  const evidence = await gatherDnsCheck({
    target: 'good.test',
    options: { ip: '192.0.2.1' },
    probes: probesOf(dns),
    progress: () => undefined,
  });
  expect(sent.filter((asked) => /(internal|localhost|mailhost)$/.test(asked))).toEqual([]);
  expect(JSON.stringify(evidence)).not.toMatch(/10\.66|secret/);
  const { verdicts } = assessDnsCheck(evidence);
  const [finding] = listVerdicts(rules, verdicts).findings.filter(
    ({ code }) => code === 'record-name-not-public',
  );
  expect(finding?.evidence).toContainEqual({ name, why: expect.any(String), record });
});

test('an address behind an alias that is cut is not seen, even of a name server', async () => {
  const world = worldWith(
    { signed: false, add: ['a.good.test 60 CNAME db.corp.internal', '@ 3600 MX 7 a.good.test'] },
    { 'corp.internal': ['db.corp.internal 60 A 10.66.77.88'] },
  );
  const evidence = await gatherDnsCheck({
    target: 'good.test',
    options: {},
    probes: probesOf(openWorld(world).probe),
    progress: () => undefined,
  });
  expect(JSON.stringify(evidence)).not.toContain('10.66');
  expect(evidence.heldBack?.refused).toEqual([
    { name: 'db.corp.internal', why: 'is a special-use name', record: 'CNAME of a.good.test' },
  ]);
});
