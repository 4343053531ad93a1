import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Dmarc,
  isDmarc,
  parseDmarc,
  policiesOf,
  printDmarc,
} from '../../../../worker/checks/dns-check/mail/dmarc/parse-dmarc.ts';
import { parseReportUris } from '../../../../worker/checks/dns-check/mail/dmarc/parse-report-uris.ts';
import { walkNames } from '../../../../worker/checks/dns-check/mail/dmarc/walk-tree.ts';
import { dmarcRecord } from './arbitrary.ts';

function read(text: string): Dmarc {
  const dmarc = parseDmarc(text);
  if (!('tags' in dmarc)) throw new Error(`not DMARC: ${text}`);
  return dmarc;
}

describe('records of RFC 9989 appendix B', () => {
  test.for([
    ['v=DMARC1; p=none; rua=mailto:dmarc-feedback@example.com', { p: 'none' }],
    [
      'v=DMARC1; p=none; rua=mailto:dmarc-feedback@example.com; ruf=mailto:auth-reports@example.com',
      { p: 'none' },
    ],
    [
      'v=DMARC1; p=none; rua=mailto:dmarc-feedback@example.com; ruf=mailto:auth-reports@thirdparty.example.net',
      { p: 'none' },
    ],
    [
      'v=DMARC1; p=quarantine; rua=mailto:dmarc-feedback@example.com,mailto:tld-test@thirdparty.example.net; t=y',
      { p: 'quarantine' },
    ],
    [
      'v=DMARC1; p=reject; rua=mailto:dmarc-feedback@example.com,mailto:tld-test@thirdparty.example.net',
      { p: 'reject' },
    ],
    [
      'v=DMARC1;p=reject;sp=none;np=quarantine;fo=1:d:s;ruf=mailto:a@example.com;',
      { p: 'reject', sp: 'none', np: 'quarantine' },
    ],
    ['V = DMARC1 ; p = Reject ; adkim = S ; psd = n ', { p: 'reject' }],
  ] as const)('%s', ([text, policies]) => {
    const dmarc = read(text);
    expect(dmarc.faults).toEqual([]);
    expect(dmarc.rua.every(({ problem }) => problem === null)).toBe(true);
    expect(policiesOf(dmarc)).toEqual(policies);
  });
});

describe('what is wrong, and where', () => {
  test.for([
    ['v=DMARC1; p=rejects', [[13, '"rejects" is not a value of p, which is none, quarantine or reject']]],
    ['v=DMARC1; reject', [[11, 'a tag needs an equals sign']]],
    ['v=DMARC1;; p=none', [[10, 'there is nothing between two semicolons']]],
    ['v=DMARC1; =none; p=none', [[11, '"" is not a tag’s name']]],
    ['v=DMARC1; p p=none; p=none', [[12, '"p p" is not a tag’s name']]],
    ['v=DMARC1; p=none; adkim=x', [[25, '"x" is not a value of adkim, which is r or s']]],
    [
      'v=DMARC1; p=none; fo=0:1',
      [[22, '"0:1" is not a value of fo, which is 0 or 1, d and s, each once, with colons between']],
    ],
    [
      'v=DMARC1; p=none; fo=d:d',
      [[22, '"d:d" is not a value of fo, which is 0 or 1, d and s, each once, with colons between']],
    ],
    ['v=DMARC1; p=none; t=yes', [[21, '"yes" is not a value of t, which is y or n']]],
    ['v=DMARC1; p=nöne', [[14, 'a character that is not visible ASCII']]],
    [' v=DMARC1; p=none', []],
  ] as const)('%s', ([text, faults]) => {
    expect(read(text).faults.map(({ at, problem }) => [at + 1, problem])).toEqual(faults);
  });

  test('a repeated tag is told with both places', () => {
    const [repeated] = read('v=DMARC1; p=none; p=reject').repeated;
    expect([repeated?.first.at, repeated?.second.at]).toEqual([10, 18]);
  });

  test('tag names keep their case, so P is not p (RFC 6376 §3.2)', () => {
    const dmarc = read('v=DMARC1; P=reject');
    expect(dmarc.unknown.map(({ name }) => name)).toEqual(['P']);
    expect(dmarc.p).toBeUndefined();
  });

  test('tags that only name what every object has are unknown tags like others', () => {
    const dmarc = read('v=DMARC1; p=none; constructor=1; toString=2');
    expect(dmarc.unknown.map(({ name }) => name)).toEqual(['constructor', 'toString']);
  });

  test('what the standard has dropped is told', () => {
    const dmarc = read('v=DMARC1; p=none; pct=50; rf=afrf; ri=3600; rua=mailto:a@a.example!10m');
    expect(dmarc.historic.map(({ tag }) => tag)).toEqual(['pct=50', 'rf=afrf', 'ri=3600', '!10m']);
    expect(dmarc.faults).toEqual([]);
  });
});

test('the version comes first and is exactly DMARC1 (RFC 9989 §4.7)', () => {
  const texts = [
    'v=DMARC1',
    'v=DMARC1;',
    'v = DMARC1 ; p=none',
    'v=dmarc1',
    'v=DMARC11',
    'p=none; v=DMARC1',
    'v=DMARC1 p=none',
    '',
  ];
  expect(texts.map(isDmarc)).toEqual([true, true, true, false, false, false, false, false]);
});

describe('which policy counts (RFC 9989 §4.10.1)', () => {
  test.for([
    ['v=DMARC1; rua=mailto:a@a.example', { p: 'none' }],
    ['v=DMARC1', null],
    ['v=DMARC1; p=foo', null],
    ['v=DMARC1; p=foo; rua=mailto:a@a.example', { p: 'none' }],
    ['v=DMARC1; p=reject; sp=foo; rua=mailto:a@a.example', { p: 'none' }],
    ['v=DMARC1; p=reject; np=foo', null],
    ['v=DMARC1; p=foo; rua=a@a.example', null],
    ['v=DMARC1; p=reject', { p: 'reject' }],
  ] as const)('%s', ([text, policies]) => {
    expect(policiesOf(read(text))).toEqual(policies);
  });
});

describe('report addresses', () => {
  test.for([
    ['mailto:a@b.example', 'b.example', null],
    ['MAILTO:a@B.Example', 'b.example', null],
    ['mailto:a+b@c.example?subject=x', 'c.example', null],
    ['a@b.example', null, 'lacks mailto: before the address'],
    ['mailto:b.example', null, 'is not a mail address'],
    ['mailto:a@b', null, 'is not a mail address'],
    ['mailto:a@b..example', null, 'is not a mail address'],
    ['mailto:a b@c.example', null, 'has a character that must be percent-encoded'],
    [
      'https://c.example/x',
      'c.example',
      'is not a mailto: address, the only kind that receivers must support',
    ],
    ['', null, 'is empty'],
    ['x', null, 'is not a URI'],
  ] as const)('%s', ([text, host, problem]) => {
    const [uri] = parseReportUris(text, 0);
    expect([uri?.host, uri?.problem]).toEqual([host, problem]);
  });

  test('each address has its place in the record', () => {
    expect(parseReportUris('mailto:a@a.example , mailto:b@b.example', 20).map(({ at }) => at)).toEqual([
      20, 41,
    ]);
  });
});

describe('the names of a tree walk (RFC 9989 §4.10)', () => {
  test('thirteen labels give eight names, as in the standard', () => {
    expect(walkNames('a.b.c.d.e.f.g.h.i.j.mail.example.com')).toEqual([
      'a.b.c.d.e.f.g.h.i.j.mail.example.com',
      'g.h.i.j.mail.example.com',
      'h.i.j.mail.example.com',
      'i.j.mail.example.com',
      'j.mail.example.com',
      'mail.example.com',
      'example.com',
      'com',
    ]);
  });

  test.for([
    ['com', 1],
    ['example.com', 2],
    ['a.b.c.d.e.example.com', 7],
    ['a.b.c.d.e.f.example.com', 8],
    ['a.b.c.d.e.f.g.example.com', 8],
  ] as const)('%s has %i', ([domain, count]) => {
    expect(walkNames(domain)).toHaveLength(count);
  });
});

describe('any text', () => {
  test('never throws, and every fault lies inside of it', () => {
    fc.assert(
      fc.property(fc.oneof(dmarcRecord, fc.string(), fc.string({ unit: 'binary' })), (text) => {
        for (const { at } of parseDmarc(text).faults) expect(at).toBeLessThanOrEqual(text.length);
      }),
      { numRuns: 3000 },
    );
  });

  test('what it prints it parses', () => {
    fc.assert(
      fc.property(dmarcRecord, (text) => {
        const dmarc = parseDmarc(text);
        if (!('tags' in dmarc)) return;
        const again = read(printDmarc([{ name: 'v', value: 'DMARC1' }, ...dmarc.tags.slice(1)]));
        expect(again.tags.map(({ name, value }) => [name, value]).slice(1)).toEqual(
          dmarc.tags.map(({ name, value }) => [name, value]).slice(1),
        );
      }),
      { numRuns: 2000 },
    );
  });
});
