import fc from 'fast-check';
import { expect, test } from 'vitest';
import { classifyAddress } from '#shared/targets/classify-address';
import { parseDomain, parseHttpUrl, type TargetPolicy } from '#shared/targets/parse-target';

const policy: TargetPolicy = {
  addresses: { allow: [], deny: [] },
  allowedSuffixes: [],
  ports: [[1, 65_535]],
};
const octet = fc.nat(255);
const octets = fc.tuple(octet, octet, octet, octet);
type Octets = [number, number, number, number];

const number = ([a, b, c, d]: Octets) => ((a * 256 + b) * 256 + c) * 256 + d;
const spellings: readonly ((octets: Octets) => string)[] = [
  (parts) => parts.join('.'),
  (parts) => parts.map((part) => `0${part.toString(8)}`).join('.'),
  (parts) => parts.map((part) => `0x${part.toString(16)}`).join('.'),
  (parts) => String(number(parts)),
  (parts) => `0x${number(parts).toString(16)}`,
  (parts) => `0${number(parts).toString(8)}`,
  ([a, ...rest]) => `${a}.${number([0, ...rest])}`,
  ([a, b, c, d]) => `${a}.${b}.${c * 256 + d}`,
  (parts) => `${parts.join('.')}.`,
  (parts) => parts.join('.').replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
  (parts) => parts.join('。'),
  (parts) => parts.join('.').replace(/\d/g, (digit) => `%3${digit}`),
];
const hex = (a: number, b: number) => (a * 256 + b).toString(16);
const embeddings: readonly ((octets: Octets) => string)[] = [
  ([a, b, c, d]) => `[::ffff:${hex(a, b)}:${hex(c, d)}]`,
  (parts) => `[::ffff:${parts.join('.')}]`,
  ([a, b, c, d]) => `[::${hex(a, b)}:${hex(c, d)}]`,
  ([a, b, c, d]) => `[64:ff9b::${hex(a, b)}:${hex(c, d)}]`,
  ([a, b, c, d]) => `[2002:${hex(a, b)}:${hex(c, d)}::1]`,
  ([a, b, c, d]) => `[::ffff:0:${hex(a, b)}:${hex(c, d)}]`,
];

const kindOf = (host: string) => {
  const parsed = parseHttpUrl(`http://${host}/`, policy);
  return parsed.ok ? 'good' : parsed.fault.kind;
};

test('every spelling of an IPv4 address gets the verdict of the address', () => {
  fc.assert(
    fc.property(octets, fc.constantFrom(...spellings), (parts, spell) => {
      const verdict = classifyAddress(parts.join('.'), policy.addresses).kind;
      expect(kindOf(spell(parts))).toBe(verdict === 'public' ? 'good' : 'refused');
    }),
    { numRuns: 5000 },
  );
});

test('an IPv4 address inside an IPv6 one is refused, whichever it is', () => {
  fc.assert(
    fc.property(octets, fc.constantFrom(...embeddings), (parts, embed) => {
      expect(kindOf(embed(parts))).toBe('refused');
    }),
    { numRuns: 2000 },
  );
});

test('an address below no allocated block is refused: only 2000::/3 can be public', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(0xffff), { minLength: 8, maxLength: 8 }), (groups) => {
      const verdict = classifyAddress(groups.map((group) => group.toString(16)).join(':'), policy.addresses);
      expect(verdict.kind === 'refused' || (groups[0] ?? 0) >> 13 === 1).toBe(true);
    }),
    { numRuns: 5000 },
  );
});

test('no text makes the readers throw, and what a reader gives it reads again as the same', () => {
  const anything = fc.oneof(
    fc.string(),
    fc.string({ unit: 'binary' }),
    fc.webUrl(),
    fc.domain(),
    fc.ipV6(),
    fc.ipV4(),
  );
  fc.assert(
    fc.property(anything, (text) => {
      const url = parseHttpUrl(text, policy);
      expect(url.ok ? parseHttpUrl(url.value.href, policy) : url).toEqual(url);
      const domain = parseDomain(text, policy);
      expect(domain.ok ? parseDomain(domain.value, policy) : domain).toEqual(domain);
    }),
    { numRuns: 5000 },
  );
});
