import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  parseConnect,
  parseGreeting,
  socksReplies,
  writeGreeting,
  writeReply,
} from '../../../worker/probes/browser/socks-grammar.ts';

const name = (host: string, port = 80) => [
  5,
  1,
  0,
  3,
  host.length,
  ...Buffer.from(host),
  port >> 8,
  port & 255,
];

test.for([
  { name: 'one method, none needed', bytes: [5, 1, 0], parsed: { value: true, used: 3 } },
  { name: 'none needed among others', bytes: [5, 2, 2, 0], parsed: { value: true, used: 4 } },
  { name: 'only a password', bytes: [5, 1, 2], parsed: { value: false, used: 3 } },
  { name: 'no method at all', bytes: [5, 0], parsed: { value: false, used: 2 } },
  { name: 'half of it', bytes: [5, 2, 0], parsed: 'more' },
  { name: 'nothing yet', bytes: [], parsed: 'more' },
  { name: 'SOCKS4', bytes: [4, 1, 0, 80], parsed: 'malformed' },
  { name: 'HTTP', bytes: [...Buffer.from('GET / HTTP/1.1')], parsed: 'malformed' },
])('a greeting: $name', ({ bytes, parsed }) => {
  expect(parseGreeting(Uint8Array.from(bytes))).toEqual(parsed);
});

test.for([
  { name: 'a name', bytes: name('a.test', 443), parsed: { value: { host: 'a.test', port: 443 }, used: 13 } },
  {
    name: 'bytes behind it are left',
    bytes: [...name('a.test'), 1, 2],
    parsed: { value: { host: 'a.test', port: 80 }, used: 13 },
  },
  {
    name: 'IPv4',
    bytes: [5, 1, 0, 1, 127, 0, 0, 1, 0, 80],
    parsed: { value: { host: '127.0.0.1', port: 80 }, used: 10 },
  },
  {
    name: 'IPv6',
    bytes: [5, 1, 0, 4, 0x20, 0x01, 0x0d, 0xb8, ...Array.from({ length: 11 }, () => 0), 1, 1, 0xbb],
    parsed: { value: { host: '[2001:db8:0:0:0:0:0:1]', port: 443 }, used: 22 },
  },
  {
    name: 'IPv6 sent as a name',
    bytes: name('::1'),
    parsed: { value: { host: '[::1]', port: 80 }, used: 10 },
  },
  { name: 'half of a name', bytes: name('a.test').slice(0, 8), parsed: 'more' },
  { name: 'an empty name', bytes: [5, 1, 0, 3, 0, 0, 80], parsed: 'malformed' },
  { name: 'BIND', bytes: [5, 2, 0, 1, 127, 0, 0, 1, 0, 80], parsed: 'malformed' },
  { name: 'UDP ASSOCIATE', bytes: [5, 3, 0, 1, 127, 0, 0, 1, 0, 80], parsed: 'malformed' },
  {
    name: 'a kind of address that does not exist',
    bytes: [5, 1, 0, 9, 127, 0, 0, 1, 0, 80],
    parsed: 'malformed',
  },
  { name: 'a name with a slash', bytes: name('a.test/x'), parsed: 'malformed' },
  { name: 'a name with user information', bytes: name('a@b.test'), parsed: 'malformed' },
  { name: 'a name with a port', bytes: name('b.test:81'), parsed: 'malformed' },
  { name: 'a name with a line break', bytes: name('a\nb'), parsed: 'malformed' },
])('a request: $name', ({ bytes, parsed }) => {
  expect(parseConnect(Uint8Array.from(bytes))).toEqual(parsed);
});

test('answers are those of RFC 1928 §3 and §6', () => {
  expect([...writeGreeting(true)]).toEqual([5, 0]);
  expect([...writeGreeting(false)]).toEqual([5, 255]);
  expect([...writeReply(socksReplies.notAllowed)]).toEqual([5, 2, 0, 1, 0, 0, 0, 0, 0, 0]);
});

test('bytes of any kind never throw, and never use more than there is', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.boolean(), (bytes, likely) => {
      const given = likely ? Uint8Array.from([5, 1, 0, ...bytes]) : bytes;
      const used = [parseGreeting(given), parseConnect(given)].map((parsed) =>
        typeof parsed === 'object' ? parsed.used : 0,
      );
      expect(Math.max(...used)).toBeLessThanOrEqual(given.length);
    }),
  );
});

test('a request that is cut anywhere is waited for', () => {
  fc.assert(
    fc.property(fc.domain(), fc.integer({ min: 0, max: 65_535 }), (host, port) => {
      const bytes = Uint8Array.from(name(host, port));
      expect(parseConnect(bytes)).toEqual({ value: { host, port }, used: bytes.length });
      for (let end = 0; end < bytes.length; end += 1)
        expect(parseConnect(bytes.subarray(0, end))).toBe('more');
    }),
    { numRuns: 30 },
  );
});
