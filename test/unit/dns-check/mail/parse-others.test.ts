import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { reverseNameOf } from '../../../../worker/checks/dns-check/mail/address.ts';
import { parseBimi } from '../../../../worker/checks/dns-check/mail/bimi/parse-bimi.ts';
import {
  measureDkimKey,
  parseDkimKey,
} from '../../../../worker/checks/dns-check/mail/dkim/parse-dkim-key.ts';
import { parseTagList } from '../../../../worker/checks/dns-check/mail/text/tag-list.ts';
import { parseTlsRpt } from '../../../../worker/checks/dns-check/mail/transport/facts.ts';
import { clip } from '../../../../worker/mail/fault.ts';
import { allowsMx, parseStsPolicy } from '../../../../worker/mail/parse-sts-policy.ts';
import { parseStsRecord } from '../../../../worker/mail/parse-sts-record.ts';
import { findWrongLength, whyUnusable } from '../../../../worker/mail/parse-tlsa.ts';
import keys from '../../../fixtures/dns-check/mail/dkim-keys.json' with { type: 'json' };
import { runsOf } from '../../../kit/property-runs.ts';

/** The first fault as [position, problem], or what was read. */
function firstFault(parsed: object): unknown {
  if (!('faults' in parsed) || !Array.isArray(parsed.faults)) return 'good';
  const [fault] = parsed.faults as { at: number; problem: string }[];
  return [(fault?.at ?? 0) + 1, fault?.problem];
}

describe('DKIM keys (RFC 6376 §3.6.1)', () => {
  test.for([
    [`v=DKIM1; k=rsa; p=${keys.rsa2048}`, 'good'],
    [`p=${keys.rsa1024}`, 'good'],
    ['v=DKIM1; p=', 'good'],
    [`k=ed25519; p=${keys.ed25519}; x=unknown`, 'good'],
    ['v=DKIM1; k=rsa', [15, 'the tag p, the key, is missing']],
    ['k=rsa; v=DKIM1; p=x', [8, 'v must come first']],
    ['v=DKIM2; p=x', [1, '"DKIM2" is not the version DKIM1']],
    ['v=dkim1; p=x', [1, '"dkim1" is not the version DKIM1']],
    ['v=DKIM1; p=x; p=y', [15, 'the tag p is in the record more than once']],
    ['v=DKIM1 p=x', [1, '"DKIM1 p=x" is not the version DKIM1']],
  ] as const)('%s', ([text, fault]) => {
    expect(firstFault(parseDkimKey(text))).toEqual(fault);
  });

  test.for([
    ['rsa', keys.rsa512, { bits: 512 }],
    ['rsa', keys.rsa1024, { bits: 1024 }],
    ['rsa', keys.rsa2048, { bits: 2048 }],
    ['rsa', keys.rsa2048pkcs1, { bits: 2048 }],
    ['rsa', keys.rsa2048.slice(0, 100), { problem: 'is not an RSA public key' }],
    ['rsa', 'a!b', { problem: 'is not base64' }],
    ['ed25519', keys.ed25519, { bits: 256 }],
    ['ed25519', keys.rsa512, { problem: 'has 94 bytes, an ed25519 key has 32' }],
  ] as const)('a key of %s is measured', ([keyType, key, strength]) => {
    const bare = { text: '', isTesting: false, hashes: [], services: [] };
    expect(measureDkimKey({ ...bare, keyType, key })).toEqual(strength);
  });
});

describe('MTA-STS records (RFC 8461 §3.1)', () => {
  test.for([
    ['v=STSv1; id=20160831085700Z;', 'good'],
    ['v=STSv1;id=1', 'good'],
    ['v=STSv1 ; a_b-c.d=x ; id=a', 'good'],
    ['v=STSv1', [1, 'a record begins with v=STSv1;']],
    ['v=stsv1; id=1', [1, 'a record begins with v=STSv1;']],
    ['v=STSv1;', [9, 'the field id is missing']],
    ['v=STSv1; id=2016-08-31', [17, '"2016-08-31" is not an id, which is 1 to 32 letters and digits']],
    [
      `v=STSv1; id=${'1'.repeat(33)}`,
      [45, `"${'1'.repeat(33)}" is not an id, which is 1 to 32 letters and digits`],
    ],
    ['v=STSv1;; id=1', [9, 'there is nothing between two semicolons']],
    ['v=STSv1; id', [10, 'a field is a name, an equals sign and a value']],
    ['v=STSv1; id=', [13, 'a value is one visible ASCII character or more']],
  ] as const)('%s', ([text, fault]) => {
    expect(firstFault(parseStsRecord(text))).toEqual(fault);
  });
});

describe('MTA-STS policies (RFC 8461 §3.2)', () => {
  const example =
    'version: STSv1\r\nmode: enforce\r\nmx: mail.example.com\r\nmx: *.example.net\r\nmx: backupmx.example.com\r\nmax_age: 604800\r\n';

  test('the example of the standard is read', () => {
    expect(parseStsPolicy(example)).toEqual({
      mode: 'enforce',
      mx: ['mail.example.com', '*.example.net', 'backupmx.example.com'],
      maxAge: 604_800,
    });
  });

  test.for([
    ['', { line: 1, problem: 'version is missing' }],
    ['version: STSv2\n', { line: 1, problem: 'version is "STSv2", not STSv1' }],
    ['version: STSv1\n', { line: 1, problem: 'mode is missing' }],
    [
      'version: STSv1\nmode: Enforce\n',
      { line: 2, problem: 'mode is "Enforce", not enforce, testing or none' },
    ],
    ['version: STSv1\nmode: none\n', { line: 2, problem: 'max_age is missing' }],
    [
      'version: STSv1\nmode: none\nmax_age: 1d\n',
      { line: 3, problem: 'max_age is "1d", not seconds from 0 to 31557600' },
    ],
    [
      'version: STSv1\nmode: none\nmax_age: 31557601\n',
      { line: 3, problem: 'max_age is "31557601", not seconds from 0 to 31557600' },
    ],
    ['version: STSv1\nmode: enforce\nmax_age: 1\n', { line: 3, problem: 'mx is missing' }],
    [
      'version: STSv1\nmode: enforce\nmx: *\nmax_age: 1\n',
      { line: 3, problem: 'mx is "*", not a host name, or *. and a domain' },
    ],
    [
      'version: STSv1\nmode: enforce\nmx: a.*.test\nmax_age: 1',
      { line: 3, problem: 'mx is "a.*.test", not a host name, or *. and a domain' },
    ],
  ] as const)('%j', ([text, fault]) => {
    expect(parseStsPolicy(text)).toEqual({ fault });
  });

  test('of repeated fields the first counts, unknown ones are skipped', () => {
    const text = 'version: STSv1\nmode: none\nmode: enforce\nmax_age: 5\nx: y\n\n__proto__: 1\n';
    expect(parseStsPolicy(text)).toEqual({ mode: 'none', mx: [], maxAge: 5 });
  });

  // RFC 8461 §4.1
  test.for([
    ['mail.example.com', true],
    ['MAIL.example.com', true],
    ['mail.example.net', true],
    ['example.net', false],
    ['a.mail.example.net', false],
    ['other.example.com', false],
  ] as const)('%s is allowed: %s', ([host, isAllowed]) => {
    const policy = parseStsPolicy(example);
    expect('mode' in policy && allowsMx(policy, host)).toBe(isAllowed);
  });
});

describe('TLS reporting (RFC 8460 §3.1)', () => {
  test.for([
    ['v=TLSRPTv1;rua=mailto:reports@example.com', 'good'],
    ['v=TLSRPTv1; rua=https://reporting.example.com/v1/tlsrpt', 'good'],
    ['v=TLSRPTv1; rua=mailto:a@example.com,https://example.com/x;', 'good'],
    ['v=TLSRPTv1; rua=mailto:a@example.com, mailto:b@example.com', 'good'],
    ['v=TLSRPTv1;', [12, 'the field rua is missing']],
    ['v=TLSRPTv1; rua=reports@example.com', [17, 'an address begins with mailto: or https:']],
    ['v=TLSRPTv1; rua=http://example.com/', [17, 'an address begins with mailto: or https:']],
    ['v=TLSRPTv2; rua=mailto:a@example.com', [1, 'a record begins with v=TLSRPTv1;']],
  ] as const)('%s', ([text, fault]) => {
    expect(firstFault(parseTlsRpt(text))).toEqual(fault);
  });
});

describe('BIMI records', () => {
  test.for([
    ['v=BIMI1; l=https://a.test/logo.svg; a=https://a.test/mark.pem', 'good'],
    ['v=BIMI1; l=;', 'good'],
    ['v=BIMI1; a=https://a.test/x.pem', 'good'],
    ['v=BIMI1', [1, 'the tag l, the address of the logo, is missing']],
    ['v=BIMI1; l=http://a.test/logo.svg', [12, '"http://a.test/logo.svg" is not an https address']],
    ['v=BIMI1; l=logo.svg', [12, '"logo.svg" is not an https address']],
    ['v=BIMI2; l=', [1, 'a record begins with v=BIMI1']],
  ] as const)('%s', ([text, fault]) => {
    expect(firstFault(parseBimi(text))).toEqual(fault);
  });
});

describe('TLSA records (RFC 6698, RFC 7672)', () => {
  const record = (usage: number, selector: number, matchingType: number, octets: number) => ({
    usage,
    selector,
    matchingType,
    certificate: 'ab'.repeat(octets),
  });
  test.for([
    [record(3, 1, 1, 32), null, null],
    [record(2, 0, 2, 64), null, null],
    [record(3, 1, 1, 31), null, { octets: 31, expected: 32 }],
    [record(3, 1, 2, 32), null, { octets: 32, expected: 64 }],
    [record(1, 1, 1, 32), 'the usages 0 and 1 are not used for mail (it has 1)', null],
    [record(4, 1, 1, 32), 'the usage 4 is not known here (table of 2025-12-31)', null],
    [record(3, 2, 1, 32), 'the selector 2 is not known here (table of 2025-12-31)', null],
    [record(3, 1, 3, 32), 'the matching type 3 is not known here (table of 2025-12-31)', null],
    [record(3, 0, 0, 32), 'it holds neither a certificate nor a key', null],
  ] as const)('%j', ([tlsa, why, length]) => {
    expect([whyUnusable(tlsa), findWrongLength(tlsa)]).toEqual([why, length]);
  });
});

test('an address has the name its PTR record is at', () => {
  expect(['192.0.2.1', '2001:db8::1', 'x'].map(reverseNameOf)).toEqual([
    '1.2.0.192.in-addr.arpa',
    '1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa',
    null,
  ]);
});

test('no parser throws, whatever the text', () => {
  const piece = fc.constantFrom(
    'v=',
    'STSv1',
    'TLSRPTv1',
    'BIMI1',
    'DKIM1',
    ';',
    '=',
    ' ',
    'id',
    'rua',
    'p',
    'l',
    'a',
    'mailto:',
    'https://',
    '@',
    'é',
    '\n',
    'version: ',
    'mx: ',
    '*.',
    'max_age: ',
    '9'.repeat(12),
    '__proto__',
  );
  const text = fc.oneof(
    fc.array(piece, { maxLength: 12 }).map((parts) => parts.join('')),
    fc.string({ unit: 'binary' }),
  );
  const parsers = [
    parseTagList,
    parseDkimKey,
    parseStsRecord,
    parseStsPolicy,
    parseTlsRpt,
    parseBimi,
    reverseNameOf,
  ];
  fc.assert(
    fc.property(text, (value) => {
      expect(() => parsers.map((parse) => parse(value))).not.toThrow();
    }),
    { numRuns: runsOf(5000) },
  );
});

test.for([
  ['a curly quote is shown as it was written', Buffer.from('“v=spf1').toString('latin1'), '“v=spf1'],
  ['text that is no UTF-8 stays as it is', 'caf\u00e9', 'caf\u00e9'],
  ['text that was read before stays as it is', '“café', '“café'],
  ['it is cut after it was read', Buffer.from('éé').toString('latin1').repeat(3), 'ééé…'],
] as const)('%s', ([, octets, shown]) => {
  expect(clip(octets, shown.length)).toBe(shown);
});
