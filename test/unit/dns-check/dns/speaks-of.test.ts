import { expect, test } from 'vitest';
import { neighbourOf } from '../../../../worker/checks/dns-check/dns/dnssec/neighbour.ts';
import { hashName } from '../../../../worker/checks/dns-check/dns/dnssec/nsec3-hash.ts';
import { speakingOf } from '../../../../worker/checks/dns-check/dns/dnssec/speaks-of.ts';
import type { DnsRecord } from '../../../../worker/probes/dns/port.ts';

const nsec = (name: string, nextName: string, types: readonly string[]): DnsRecord => ({
  name,
  type: 'NSEC',
  ttl: 60,
  data: { nextName, types },
});
const nsec3 = (hash: string, nextHash: string, flags = 0): DnsRecord => ({
  name: `${hash}.a.test`,
  type: 'NSEC3',
  ttl: 60,
  data: { algorithm: 1, flags, iterations: 0, salt: '', nextHash, types: ['A'] },
});
const apex = ['NS', 'SOA', 'MX', 'RRSIG', 'NSEC'];
const hash = hashName(['_dmarc', 'a', 'test'], { iterations: 0, salt: '' });
const before = `${hash.slice(0, 4)}${'0'.repeat(28)}`;
const after = `${hash.slice(0, 4)}${'v'.repeat(28)}`;
const dmarc = { name: '_dmarc.a.test', type: 'TXT' };

test.for([
  { name: 'an NSEC over the name', records: [nsec('a.test', 'mail.a.test', apex)], said: 'name' },
  { name: 'an NSEC that follows itself', records: [nsec('a.test', 'a.test', apex)], said: 'name' },
  {
    name: 'an NSEC of the name, without the type',
    records: [nsec('_dmarc.a.test', 'b.a.test', ['A'])],
    said: 'type',
  },
  { name: 'an NSEC of the name', records: [nsec('_dmarc.a.test', 'b.a.test', ['TXT'])], said: undefined },
  {
    name: 'an NSEC of the name, an alias',
    records: [nsec('_dmarc.a.test', 'b.a.test', ['CNAME'])],
    said: undefined,
  },
  // RFC 9824 §3, RFC 4470 §3: each made for one question.
  {
    name: 'a compact denial',
    records: [nsec('_dmarc.a.test', '\\000._dmarc.a.test', ['A'])],
    said: undefined,
  },
  {
    name: 'a white lie beside the name',
    records: [nsec('_dmarc-1~.a.test', '_dmarc-2!.a.test', ['RRSIG'])],
    said: undefined,
  },
  // RFC 6840 §5.2.
  {
    name: 'a delegation above the name',
    records: [nsec('a.test', 'b.test', ['NS', 'NSEC'])],
    said: undefined,
  },
  {
    name: 'a DNAME above the name',
    records: [nsec('a.test', 'b.test', ['SOA', 'NS', 'DNAME'])],
    said: undefined,
  },
  { name: 'an NSEC3 over the hash', records: [nsec3(before, after)], said: 'name' },
  { name: 'an NSEC3 that opts out (RFC 5155 §6)', records: [nsec3(before, after, 1)], said: undefined },
  { name: 'an NSEC3 of the hash, without the type', records: [nsec3(hash, after)], said: 'type' },
  { name: 'an NSEC3 made around one hash', records: [nsec3(hash, `${hash.slice(0, -1)}v`)], said: undefined },
])('$name: $said', ({ records, said }) => {
  expect(speakingOf(records, 'a.test')(dmarc)).toBe(said);
});

test('a neighbour by hash stands where the name would stand in a chain of some hundred', () => {
  const hashing = { iterations: 0, salt: '' };
  const number = (name: string) =>
    Number.parseInt(hashName(name.split('.'), hashing).slice(0, 10), 32) / 32 ** 10;
  const distances = Array.from({ length: 50 }, () =>
    Math.abs(number(neighbourOf('_dmarc.a.test', hashing)) - number('_dmarc.a.test')),
  );
  expect(distances.toSorted((a, b) => a - b)[40]).toBeLessThan(1 / 100);
});

test('a neighbour by name comes right behind it, and is a name that can be asked', () => {
  expect(neighbourOf('_dmarc.a.test', undefined)).toMatch(/^_dmarc-[0-9a-f]{16}\.a\.test$/);
  expect(neighbourOf(`${'x'.repeat(63)}.a.test`, undefined).split('.')[0]?.length).toBeLessThanOrEqual(63);
});
