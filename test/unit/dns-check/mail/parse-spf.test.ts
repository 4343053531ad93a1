import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expandDomain } from '../../../../worker/checks/dns-check/mail/spf/expand-domain.ts';
import { parseDomainSpec } from '../../../../worker/checks/dns-check/mail/spf/parse-domain-spec.ts';
import {
  isSpf,
  parseSpf,
  printSpf,
  type Spf,
} from '../../../../worker/checks/dns-check/mail/spf/parse-spf.ts';
import { mergeSpf } from '../../../../worker/checks/dns-check/mail/spf/republish.ts';
import { countCpu } from '../../../kit/cpu-time.ts';
import { runsOf } from '../../../kit/property-runs.ts';
import { spfRecord } from './arbitrary.ts';

/** The offsets of the faults, from 1 as people count. */
function positions(text: string): number[] {
  return parseSpf(text).faults.map(({ at }) => at + 1);
}

function read(text: string): Spf {
  const spf = parseSpf(text);
  if (!('terms' in spf)) throw new Error(`not SPF: ${text}`);
  return spf;
}

describe('records that are good to the letter', () => {
  test.for([
    // RFC 7208 §3, §4.6.1, §5, §6, appendix A
    ['v=spf1 +mx a:colo.example.com/28 -all'],
    ['v=spf1 a -all'],
    ['v=spf1 a:example.org -all'],
    ['v=spf1 mx -all'],
    ['v=spf1 mx:example.org -all'],
    ['v=spf1 mx mx:example.org -all'],
    ['v=spf1 mx/30 mx:example.org/30 -all'],
    ['v=spf1 ptr -all'],
    ['v=spf1 ip4:192.0.2.128/28 -all'],
    ['v=spf1 include:example.com include:example.net -all'],
    ['v=spf1 ip4:192.0.2.128/28 -all exp=explain._spf.%{d}'],
    ['v=spf1 mx:example.com -all exp=exp._spf.example.com'],
    ['v=spf1 redirect=_spf.example.com'],
    ['v=spf1 exists:%{ir}.%{l1r+-}._spf.%{d} -all'],
    ['v=spf1 -include:ip4._spf.%{d} -include:ptr._spf.%{d} +all'],
    ['v=spf1 exists:%{l1r+}.%{d}'],
    // letter case, many spaces, a space at the end, nothing but the version
    ['V=SPF1 Include:A.test  -ALL '],
    ['v=spf1'],
    // both prefix lengths, none, zero
    ['v=spf1 a/24//64 mx//0 a:a.test/0 a:a.test//128'],
    ['v=spf1 ip6:2001:db8::/32 ip6:::1 ip6:::ffff:192.0.2.1/96 ip4:0.0.0.0/0'],
    // unknown modifiers may say anything that is a macro-string, also nothing
    ['v=spf1 moo.cow-far_out=man:dog/cat default= x=%{s}%%%_%- -all'],
    ['v=spf1 include:_spf.a.test a:a-b.x-1 a:%{d} exists:a.%{i}%% a:%{d}.a.test.'],
    ['v=spf1 a:%{d1r./}/24'],
  ])('%s', ([text = '']) => {
    expect(parseSpf(text).faults).toEqual([]);
  });
});

describe('the exact place of an error', () => {
  test.for([
    ['v=spf1 mx ipv4:192.0.2.1 -all', [11], '"ipv4" is not a mechanism; ip4 is meant'],
    ['v=spf1 ip4:192.0.2.256 -all', [12], '"192.0.2.256" is not an IPv4 address'],
    ['v=spf1 ip4:192.0.02.1 -all', [12], '"192.0.02.1" is not an IPv4 address'],
    ['v=spf1 ip4:192.0.2.1/33 -all', [21], 'a prefix length of ip4 is 0 to 32'],
    ['v=spf1 ip4:192.0.2.0/024', [21], 'a prefix length of ip4 is 0 to 32'],
    ['v=spf1 ip4:2001:db8::1 -all', [12], '"2001:db8::1" is an IPv6 address; ip6 is meant'],
    ['v=spf1 ip6:192.0.2.1 -all', [12], '"192.0.2.1" is an IPv4 address; ip4 is meant'],
    ['v=spf1 ip6:2001:db8::1::2', [12], '"2001:db8::1::2" is not an IPv6 address'],
    ['v=spf1 ip6:fe80::1%eth0', [12], '"fe80::1%eth0" is not an IPv6 address'],
    ['v=spf1 ip4 -all', [11], 'ip4 needs a colon and an address'],
    ['v=spf1 include -all', [15], 'include needs a colon and a domain name'],
    ['v=spf1 include: -all', [16], 'a domain name is missing'],
    ['v=spf1 include:example -all', [16], 'a domain name needs a dot before its last label'],
    ['v=spf1 include:a.b.c-', [20], '"c-" is not a top-level label'],
    ['v=spf1 a:192.0.2.1 -all', [18], '"192.0.2.1" is an address; ip4: is meant'],
    ['v=spf1 include:5.9.10.12 -all', [23], '"5.9.10.12" is an address; ip4: is meant'],
    ['v=spf1 include:5.9.10.0/24 -all', [23], '"5.9.10.0/24" is an address; ip4: is meant'],
    ['v=spf1 include:2001:db8::1 -all', [16], '"2001:db8::1" is an address; ip6: is meant'],
    ['v=spf1 redirect=5.9.10.12', [24], '"5.9.10.12" is an address; ip4: is meant'],
    ['v=spf1 a/33', [9], 'an IPv4 prefix length is 0 to 32'],
    ['v=spf1 a//129', [9], 'an IPv6 prefix length is 0 to 128'],
    ['v=spf1 a/', [9], 'a prefix length is a slash and a number'],
    ['v=spf1 all. -all', [8], '"all." is not a mechanism'],
    ['v=spf1 -all:x', [12], 'nothing may follow all'],
    ['v=spf1 ptr/24', [11], 'a prefix length cannot stand here'],
    ['v=spf1 --all', [9], '"-all" is not a mechanism'],
    ['v=spf1 - all', [9], 'a mechanism is missing'],
    ['v=spf1 1x=y', [8], '"1x" is not a modifier’s name'],
    ['v=spf1 a$b=y', [9], '"a$b" is not a modifier’s name'],
    ['v=spf1 redirect=a.test redirect=b.test', [24], 'redirect is in the record more than once'],
    ['v=spf1 exp=a.test mx exp=a.test', [22], 'exp is in the record more than once'],
    ['v=spf1 redirect:a.test', [8], '"redirect" is not a mechanism; redirect= is meant'],
    ['v=spf1 exists:%{x}.a.test', [15], '"x" is not a macro letter'],
    ['v=spf1 exists:%{c}.a.test', [15], 'the macro letter "c" stands only in explanations'],
    ['v=spf1 exists:a.%{d0}', [17], 'the macro keeps no part'],
    ['v=spf1 exists:a.%{d!}', [17], '"!" is not a delimiter of a macro'],
    ['v=spf1 exists:a.%{d', [17], 'the macro has no closing }'],
    ['v=spf1 exists:a.%(d)', [17], 'after % must come {, %, _ or -'],
    ['v=spf1 include:a.tést', [19], 'a character that is not visible ASCII'],
    ['v=spf1\tmx -all', [1], 'a record begins with v=spf1 and a space'],
    ['v=spf1 mx\t-all', [8], '"mx\t-all" is not a mechanism'],
    ['v=spf10 mx', [1], 'a record begins with v=spf1 and a space'],
  ] as const)('%s', ([text, at, problem]) => {
    expect(positions(text)).toEqual(at);
    expect(parseSpf(text).faults[0]?.problem).toBe(problem);
  });

  test('all errors are told at once, in their order, and the good terms are still read', () => {
    const spf = read('v=spf1 ip4:1.2.3 mx includ:a.test -all');
    expect(spf.faults.map(({ at, term }) => [at + 1, term])).toEqual([
      [12, 'ip4:1.2.3'],
      [21, 'includ:a.test'],
    ]);
    expect(spf.terms.map(({ text }) => text)).toEqual(['mx', '-all']);
  });
});

test('the version is exactly v=spf1, then a space or nothing (RFC 7208 §4.5)', () => {
  expect(
    [
      'v=spf1',
      'V=SPF1 a',
      'v=spf1 ',
      'v=spf1a',
      'v=spf10',
      ' v=spf1 a',
      'spf1 a',
      'v=spf1\ta',
      '',
      'v=spf2 a',
    ].map(isSpf),
  ).toEqual([true, true, true, false, false, false, false, false, false, false]);
});

describe('macros that need no message', () => {
  // RFC 7208 §7.4: the sender is strong-bad@email.example.com
  test.for([
    ['%{o}.test', 'email.example.com.test'],
    ['%{d4}.test', 'email.example.com.test'],
    ['%{d3}.test', 'email.example.com.test'],
    ['%{d2}.test', 'example.com.test'],
    ['%{d1}.test', 'com.test'],
    ['%{dr}.test', 'com.example.email.test'],
    ['%{d2r}.test', 'example.email.test'],
    ['A.%{D}.Test.', 'a.email.example.com.test'],
    ['%%%_.a.test', '%\\032.a.test'],
    ['%{i}.a.test', null],
    ['%{l}.a.test', null],
  ] as const)('%s', ([text, name]) => {
    const spec = parseDomainSpec(text, 0);
    expect('tokens' in spec && expandDomain(spec, { d: 'email.example.com', o: 'email.example.com' })).toBe(
      name,
    );
  });

  test('a name beyond 253 characters loses labels from the left (RFC 7208 §7.3)', () => {
    const spec = parseDomainSpec(`${'x.'.repeat(120)}%{d}`, 0);
    const name = 'tokens' in spec ? expandDomain(spec, { d: 'email.example.com', o: '' }) : null;
    expect(name?.length).toBeLessThanOrEqual(253);
    expect(name?.endsWith('x.email.example.com')).toBe(true);
  });
});

describe('any text', () => {
  test('never throws, and every fault lies inside of it', () => {
    fc.assert(
      fc.property(fc.oneof(spfRecord, fc.string(), fc.string({ unit: 'binary' })), (text) => {
        for (const { at } of parseSpf(text).faults) {
          expect(at).toBeGreaterThanOrEqual(0);
          expect(at).toBeLessThanOrEqual(text.length);
        }
      }),
      { numRuns: 3000 },
    );
  });

  test('what it prints it parses', () => {
    fc.assert(
      fc.property(spfRecord, (text) => {
        const spf = parseSpf(text);
        if (!('terms' in spf)) return;
        const again = read(printSpf(spf.terms));
        expect(again.terms.map((term) => term.text)).toEqual(spf.terms.map((term) => term.text));
      }),
      { numRuns: 2000 },
    );
  });

  test('records merged are one good record that has an end', () => {
    fc.assert(
      fc.property(fc.array(spfRecord.filter(isSpf), { minLength: 2, maxLength: 3 }), (records) => {
        const merged = mergeSpf(records);
        if (merged === null) return;
        const { faults, terms } = read(merged);
        expect(faults).toEqual([]);
        expect(terms.at(-1)?.name).toBe('all');
      }),
      { numRuns: runsOf(5000) },
    );
  });

  test('64 kB of hostile text is read to its end', () => {
    const spentMs = countCpu();
    for (const word of [
      '%{',
      'a:%{d}',
      'include:a.',
      '/',
      '//1',
      'x=%{s}',
      '%',
      'ip6:::',
      'ip4:1.1.1.1/',
      ' ',
    ])
      parseSpf(`v=spf1 ${word.repeat(Math.floor(65_000 / word.length))}`);
    expect(spentMs()).toBeLessThan(8000);
  });
});
