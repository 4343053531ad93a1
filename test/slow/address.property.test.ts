import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { expect, test } from 'vitest';
import { cidrOf, contains, readAddress, writeAddress, writeCidr } from '#shared/targets/address';
import { parseCidr } from '#shared/targets/classify-address';

/** What ipaddr.js reads of the forms that we accept: "127.1", "010.0.0.1" and zone ids are none of them. */
function readByIpaddr(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
  // It reads the IPv4-compatible form (RFC 4291 §2.5.5.1) as the mapped one.
  const known = text.replace(/^::(?=\d+\.\d+\.\d+\.\d+$)/, '0::');
  return text.includes('%') || !ipaddr.IPv6.isValid(known) ? undefined : ipaddr.IPv6.parse(known);
}

const tell = (text: string) => {
  const address = readAddress(text);
  return address && writeAddress(address);
};

// Zeros in a row are what the short forms are about.
const group = fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, fc.nat(0xffff), fc.nat(15));
const groups = fc.array(group, { minLength: 8, maxLength: 8 });
const hex = (numbers: readonly number[]) => numbers.map((number) => number.toString(16)).join(':');
const spelled = fc.oneof(
  fc.ipV4(),
  fc.ipV4Extended(),
  fc.ipV6(),
  groups.map(hex),
  groups.map((all) => hex(all).toUpperCase()),
  groups.map((all) => all.map((each) => each.toString(16).padStart(4, '0')).join(':')),
  groups.map((all) => hex(all).replace(/(^|:)0(:0)+(:|$)/, '::')),
  fc.tuple(groups, fc.ipV4()).map(([all, tail]) => `${hex(all.slice(2))}:${tail}`),
  fc.tuple(fc.array(group, { maxLength: 5 }), fc.ipV4()).map(([all, tail]) => `${hex(all)}::${tail}`),
);
const pieces = fc.constantFrom(
  ':',
  '::',
  '.',
  '0',
  '00',
  '1',
  'ff',
  'FFFF',
  '10000',
  '255',
  '256',
  '1.2.3.4',
  '%1',
  ' ',
);
const broken = fc.oneof(
  fc.array(pieces, { maxLength: 12 }).map((all) => all.join('')),
  fc.string(),
  fc
    .tuple(spelled, pieces, fc.nat(40))
    .map(([text, piece, at]) => text.slice(0, at) + piece + text.slice(at)),
);

test('every spelling of an address is read and written as ipaddr.js does', () => {
  fc.assert(
    fc.property(spelled, (text) => {
      expect(tell(text)).toBe(readByIpaddr(text)?.toString());
    }),
    { numRuns: 20_000 },
  );
});

test('what is no address for ipaddr.js is none for us, and what we read of broken texts it reads as the same', () => {
  fc.assert(
    fc.property(broken, (text) => {
      const ours = tell(text);
      expect([undefined, readByIpaddr(text)?.toString()]).toContain(ours);
    }),
    { numRuns: 20_000 },
  );
});

test('of broken texts that ipaddr.js reads, only groups of more than four digits and octal or hexadecimal parts are none for us', () => {
  fc.assert(
    fc.property(broken, (text) => {
      const isOnlyTheirs = tell(text) === undefined && readByIpaddr(text) !== undefined;
      expect(!isOnlyTheirs || /[0-9a-f]{5}|0x|[:.]0\d+/i.test(text)).toBe(true);
    }),
    { numRuns: 20_000 },
  );
});

test('an address is in a block exactly where ipaddr.js says so', () => {
  const bits = fc.nat(128);
  fc.assert(
    fc.property(spelled, spelled, bits, fc.boolean(), (text, other, length, isBeside) => {
      // Two addresses of nothing in common share no long prefix: every second time one is made of the other.
      const [address, base] = [readAddress(text), readAddress(isBeside ? other : text)];
      const [theirs, theirBase] = [readByIpaddr(text), readByIpaddr(isBeside ? other : text)];
      if (!address || !base || !theirs || !theirBase) return;
      const prefix = Math.min(length, base.length * 32);
      const expected = theirs.kind() === theirBase.kind() && theirs.match(theirBase as never, prefix);
      expect(contains(cidrOf(base, prefix), address)).toBe(expected);
    }),
    { numRuns: 20_000 },
  );
});

test.for(['0.0.0.0/0', '10.0.0.0/8', '192.0.2.1/32', '::/0', '2001:db8::/33', '2001:db8::1/128'])(
  'the block %s is written as it is read',
  (text) => {
    expect(writeCidr(parseCidr(text))).toBe(text);
  },
);
