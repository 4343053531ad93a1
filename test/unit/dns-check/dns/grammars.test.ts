import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from '#shared/model/verdict';
import { parseCaaIssue } from '../../../../worker/checks/dns-check/dns/caa/parse-caa-issue.ts';
import { prefixOf } from '../../../../worker/checks/dns-check/dns/ns/delegation.ts';
import { parseServiceBinding } from '../../../../worker/checks/dns-check/dns/records/parse-service-binding.ts';
import { parseMailboxName } from '../../../../worker/checks/dns-check/dns/soa/parse-mailbox-name.ts';
import { ancestorsOf, isInZone, nameToWire, parseName, printName } from '../../../../worker/dns/name.ts';

const broken = { malformed: expect.any(String) };

describe('names', () => {
  const rows: readonly { text: string; labels: readonly string[] | null }[] = [
    { text: '', labels: [] },
    { text: 'example.test', labels: ['example', 'test'] },
    { text: 'first\\.last.example.test', labels: ['first.last', 'example', 'test'] },
    { text: 'a\\032b.test', labels: ['a b', 'test'] },
    { text: 'a\\\\b.test', labels: ['a\\b', 'test'] },
    { text: 'a\\255.test', labels: ['a\u00ff', 'test'] },
    { text: `${'a'.repeat(63)}.test`, labels: ['a'.repeat(63), 'test'] },
    { text: `${'a'.repeat(64)}.test`, labels: null },
    { text: 'a..test', labels: null },
    { text: '.test', labels: null },
    { text: 'test.', labels: null },
    { text: 'a\\', labels: null },
    { text: 'a\\256.test', labels: null },
    { text: 'sno☃.test', labels: null },
    { text: Array.from({ length: 64 }, () => 'abc').join('.'), labels: null },
    {
      text: Array.from({ length: 63 }, () => 'abc').join('.'),
      labels: Array.from({ length: 63 }, () => 'abc'),
    },
  ];
  test.for(rows)('"$text"', ({ text, labels }) => {
    expect(parseName(text)).toEqual(labels === null ? broken : { labels });
  });

  test('a name travels as length and octets, in lower case (RFC 1035 §3.1)', () => {
    expect(nameToWire({ labels: ['Ab', 'test'] }).toString('latin1')).toBe('\u0002ab\u0004test\u0000');
    expect(nameToWire({ labels: [] })).toEqual(Buffer.of(0));
  });

  test('ancestors are counted by labels, not by dots', () => {
    expect(ancestorsOf('a.b.test')).toEqual(['b.test', 'test', '']);
    expect(ancestorsOf('a\\.b.test')).toEqual(['test', '']);
    expect(ancestorsOf('')).toEqual([]);
    expect(ancestorsOf('a..b')).toEqual([]);
  });

  test('a zone holds itself and what is below it', () => {
    expect(isInZone('good.test', 'good.test')).toBe(true);
    expect(isInZone('ns.good.test', 'good.test')).toBe(true);
    expect(isInZone('notgood.test', 'good.test')).toBe(false);
    expect(isInZone('ns\\.good.test', 'good.test')).toBe(false);
    expect(isInZone('anything', '')).toBe(true);
  });

  test('no text makes the parser throw, and what it prints it parses', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.string({ unit: fc.constantFrom('a', '.', '\\', '0', '9', '\u00e9') }),
        ),
        (text) => {
          const name = parseName(text);
          fc.pre(!('malformed' in name));
          expect(parseName(printName(name))).toEqual(name);
          expect(nameToWire(name).length).toBeLessThanOrEqual(255);
        },
      ),
    );
  });
});

describe('CAA values (RFC 8659 §4.2)', () => {
  const rows: readonly { text: string; issuer?: string | null; parameters?: readonly [string, string][] }[] =
    [
      { text: 'ca1.example.net', issuer: 'ca1.example.net' },
      { text: 'CA1.Example.net', issuer: 'ca1.example.net' },
      {
        text: 'ca1.example.net; account=230123',
        issuer: 'ca1.example.net',
        parameters: [['account', '230123']],
      },
      { text: ';', issuer: null },
      { text: '', issuer: null },
      { text: ' ; ', issuer: null },
      { text: '\tca1.example.net ;', issuer: 'ca1.example.net' },
      {
        text: 'ca.example; a=1; b=',
        issuer: 'ca.example',
        parameters: [
          ['a', '1'],
          ['b', ''],
        ],
      },
      { text: '; policy=ev', issuer: null, parameters: [['policy', 'ev']] },
      { text: '%%%%%' },
      { text: 'ca example' },
      { text: 'ca..example' },
      { text: '-ca.example' },
      { text: 'ca-.example' },
      { text: 'ca_.example' },
      { text: 'https://ca.example' },
      { text: 'ca.example; account' },
      { text: 'ca.example; =1' },
      { text: 'ca.example; a=1;' },
      { text: 'ca.example;; a=1' },
      { text: 'ca.example; a=b c' },
      { text: 'ca.example; a=\u00e9' },
    ];
  test.for(rows)('“$text”', ({ text, issuer, parameters = [] }) => {
    expect(parseCaaIssue(text)).toEqual(
      issuer === undefined ? broken : { issuer, parameters: new Map(parameters) },
    );
  });

  test('no text makes the parser throw, and what it prints it parses', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.string({ unit: fc.constantFrom('a', '.', ';', '=', ' ', '-') }),
        ),
        (text) => {
          const issue = parseCaaIssue(text);
          fc.pre(!('malformed' in issue));
          const pieces = [...issue.parameters].map(([tag, value]) => `${tag}=${value}`);
          expect(parseCaaIssue([issue.issuer ?? '', ...pieces].join('; '))).toEqual(issue);
        },
      ),
    );
  });

  test('a parameter called __proto__ is a malformed one, and a long value is read in line time', () => {
    expect(parseCaaIssue('ca.example; __proto__=1')).toHaveProperty('malformed');
    expect(parseCaaIssue(`${' '.repeat(200_000)}x y`)).toHaveProperty('malformed');
  });
});

describe('HTTPS records (RFC 9460)', () => {
  const service = (params: Json): Json => ({ priority: 1, target: '', params });
  const rows: readonly { name: string; value: Json; good: boolean }[] = [
    { name: 'a service', value: service({ alpn: ['h2'] }), good: true },
    { name: 'an alias', value: { priority: 0, target: 'a.test', params: {} }, good: true },
    {
      name: 'a mandatory key that is there',
      value: service({ mandatory: ['alpn'], alpn: ['h2'] }),
      good: true,
    },
    {
      name: 'a mandatory key that is not there',
      value: service({ mandatory: ['port'], alpn: ['h2'] }),
      good: false,
    },
    { name: 'mandatory itself as mandatory', value: service({ mandatory: ['mandatory'] }), good: false },
    {
      name: 'a mandatory key twice',
      value: service({ mandatory: ['alpn', 'alpn'], alpn: ['h2'] }),
      good: false,
    },
    { name: 'an empty mandatory', value: service({ mandatory: [] }), good: false },
    { name: 'mandatory of another kind', value: service({ mandatory: 'alpn' }), good: false },
    { name: 'no-default-alpn without alpn', value: service({ 'no-default-alpn': true }), good: false },
    {
      name: 'no-default-alpn with alpn',
      value: service({ 'no-default-alpn': true, alpn: ['h2'] }),
      good: true,
    },
    {
      name: 'faults of an alias, whose parameters are ignored',
      value: { priority: 0, target: 'a.test', params: { mandatory: ['port'] } },
      good: true,
    },
    { name: 'what the decoder refused', value: { malformed: '', rdata: '00' }, good: false },
    { name: 'a list', value: [], good: false },
    { name: 'a text', value: 'x', good: false },
    { name: 'no target', value: { priority: 1, params: {} }, good: false },
  ];
  test.for(rows)('$name: $good', ({ value, good }) => {
    expect('malformed' in parseServiceBinding(value)).toBe(!good);
  });

  test('no value makes the parser throw', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(parseServiceBinding(value as Json)).toBeTypeOf('object');
      }),
    );
  });
});

describe('RNAME (RFC 1035 §8)', () => {
  const rows: readonly { rname: string; mail: string | null }[] = [
    { rname: 'hostmaster.example.test', mail: 'hostmaster@example.test' },
    { rname: 'first\\.last.example.test', mail: 'first.last@example.test' },
    { rname: 'root', mail: null },
    { rname: 'root.localhost', mail: null },
    { rname: '', mail: null },
    { rname: 'hostmaster@example.test', mail: null },
    { rname: 'a\\032b.example.test', mail: null },
    { rname: 'hostmaster.exa\\032mple.test', mail: null },
    { rname: 'hostmaster.-example.test', mail: null },
    { rname: 'admin.192.0.2.1', mail: null },
  ];
  test.for(rows)('$rname is $mail', ({ rname, mail }) => {
    const mailbox = parseMailboxName(rname);
    expect('malformed' in mailbox ? null : `${mailbox.local}@${mailbox.domain}`).toBe(mail);
  });

  test('no text makes the parser throw', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(parseMailboxName(text)).toBeTypeOf('object');
      }),
    );
  });
});

const prefixes: readonly { address: string; prefix: string | undefined }[] = [
  { address: '192.0.2.77', prefix: '192.0.2.0/24' },
  { address: '2001:db8:1:2::3', prefix: '2001:db8:1::/48' },
  { address: 'fe80::1%eth0', prefix: undefined },
  { address: 'ns.example', prefix: undefined },
  { address: '', prefix: undefined },
];
test.for(prefixes)('the network of $address is $prefix', ({ address, prefix }) => {
  expect(prefixOf(address)).toBe(prefix);
});
