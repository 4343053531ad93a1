import { decode, encode } from 'dns-packet';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readMessage, writeQuery } from '../../../worker/probes/dns/message.ts';
import { type KnownNames, readName, writeName } from '../../../worker/probes/dns/name.ts';
import { decodeRdata } from '../../../worker/probes/dns/rdata.ts';

const cursorOver = (message: Buffer) => ({ message, names: new Map(), at: 0, end: message.length });

const flags = { recursionDesired: true, checkingDisabled: false, dnssecOk: true, edns: true };

test.for([
  ['', '00'],
  ['a.test', '01610474657374' + '00'],
  ['A.TEST', '01610474657374' + '00'],
  ['a\\.b.test', '03612e620474657374' + '00'],
  ['\\000.test', '01000474657374' + '00'],
])('the name %j is %s on the wire, and reads back', ([name = '', hex = '']) => {
  expect(writeName(name)?.toString('hex')).toBe(hex);
  expect(readName(Buffer.from(hex, 'hex'), 0).name).toBe(name.toLowerCase());
});

test.for([['a..test'], [`${'a'.repeat(64)}.test`], [`${'a.'.repeat(130)}test`], ['.']])(
  '%j is no name',
  ([name = '']) => {
    expect(writeName(name)).toBeUndefined();
  },
);

test.for([
  ['c000', 'a pointer to itself'],
  ['0161c000', 'a pointer forwards and back'],
  ['c001', 'a pointer to its own second octet'],
  ['40', 'an unknown label type'],
  ['05616263', 'a label past the end'],
])('%s, %s, is refused and never followed for ever', ([hex = '']) => {
  expect(() => readName(Buffer.from(hex, 'hex'), hex.startsWith('0161') ? 2 : 0)).toThrow(RangeError);
});

/** A chain of pointers: name 0 is "a", each further one only points to the one before. */
const pointers = (count: number): Buffer => {
  const chain = Buffer.alloc(3 + 2 * count);
  chain.write('016100', 'hex');
  for (let index = 0; index < count; index += 1)
    chain.writeUInt16BE(0xc000 | (index === 0 ? 0 : 1 + 2 * index), 3 + 2 * index);
  return chain;
};

test('a name may follow 126 pointers and no more', () => {
  expect(readName(pointers(127), 3 + 2 * 125).name).toBe('a');
  expect(() => readName(pointers(127), 3 + 2 * 126)).toThrow('more than 126 pointers');
});

test('a chain of pointers is followed once in a message, however many names lead into it', () => {
  const known: KnownNames = new Map();
  for (let index = 0; index < 4000; index += 1) readName(pointers(4000), 3 + 2 * index, known);
  // One entry a place that was pointed to: no place was read a second time.
  expect(known.size).toBe(4000);
});

test('a message of 500 records reads, one of 501 is refused', () => {
  expect(readMessage(messageOf(500), true).answers).toHaveLength(500);
  expect(() => readMessage(messageOf(501), true)).toThrow(RangeError);
});

/** Records whose data are two pointers to one name of 255 octets, as an SOA has them. */
function soasOf(records: number): Buffer {
  const header = Buffer.from('0001818000010000' + '00000000', 'hex');
  header.writeUInt16BE(records, 6);
  const label = Buffer.concat([Buffer.from([61]), Buffer.alloc(61)]);
  const question = Buffer.concat([label, label, label, label, Buffer.from('0000060001', 'hex')]);
  const record = Buffer.from(`c00c0006000100000000${'0018'}c00cc00c${'00'.repeat(20)}`, 'hex');
  return Buffer.concat([header, question, ...Array.from({ length: records }, () => record)]);
}

test('a message whose names unfold to more than 128 KiB is refused', () => {
  expect(soasOf(300).length).toBeLessThan(12_000);
  expect(readMessage(soasOf(80), true).answers).toHaveLength(80);
  expect(() => readMessage(soasOf(300), true)).toThrow('unfold to too much');
});

function messageOf(records: number): Buffer {
  const header = Buffer.from('00018180' + '0000' + '0000' + '0000' + '0000', 'hex');
  header.writeUInt16BE(records, 6);
  const record = Buffer.from('00' + '0001' + '0001' + '00000000' + '0004' + 'c0000201', 'hex');
  return Buffer.concat([header, ...Array.from({ length: records }, () => record)]);
}

test('a type bit map of all types is malformed: no node of a zone has them', () => {
  const window = (number: number) => Buffer.concat([Buffer.from([number, 32]), Buffer.alloc(32, 0xff)]);
  const rdata = Buffer.concat([
    Buffer.from([0]),
    ...Array.from({ length: 256 }, (_, index) => window(index)),
  ]);
  expect(decodeRdata('NSEC', cursorOver(rdata)).data).toMatchObject({
    malformed: 'the type bit map names more than 1000 types',
  });
});

test('what another codec writes reads as it was meant', () => {
  const bytes = encode({
    type: 'response',
    id: 7,
    flags: 0x8180,
    questions: [{ type: 'MX', name: 'a.test' }],
    answers: [
      { type: 'MX', name: 'a.test', ttl: 60, data: { preference: 10, exchange: 'mx.a.test' } },
      { type: 'TXT', name: 'a.test', ttl: 60, data: ['v=spf1 ', '-all'] },
      {
        type: 'SOA',
        name: 'a.test',
        ttl: 60,
        data: {
          mname: 'ns.a.test',
          rname: 'host.a.test',
          serial: 1,
          refresh: 2,
          retry: 3,
          expire: 4,
          minimum: 5,
        },
      },
      { type: 'CAA', name: 'a.test', ttl: 60, data: { flags: 128, tag: 'issue', value: 'ca.test' } },
      {
        type: 'DS',
        name: 'a.test',
        ttl: 60,
        data: { keyTag: 1, algorithm: 13, digestType: 2, digest: Buffer.from('aabb', 'hex') },
      },
      { type: 'AAAA', name: 'a.test', ttl: 60, data: '2001:db8::1' },
    ],
  });
  const { answers, rcode, question } = readMessage(bytes, true);
  expect([rcode, question]).toEqual(['NOERROR', { name: 'a.test', type: 'MX' }]);
  expect(answers.map(({ type, data }) => [type, data])).toEqual([
    ['MX', { preference: 10, exchange: 'mx.a.test' }],
    ['TXT', { strings: ['v=spf1 ', '-all'], text: 'v=spf1 -all' }],
    [
      'SOA',
      { mname: 'ns.a.test', rname: 'host.a.test', serial: 1, refresh: 2, retry: 3, expire: 4, minimum: 5 },
    ],
    ['CAA', { flags: 128, tag: 'issue', value: 'ca.test' }],
    ['DS', { keyTag: 1, algorithm: 13, digestType: 2, digest: 'aabb' }],
    ['AAAA', '2001:db8::1'],
  ]);
});

test('an HTTPS record (RFC 9460) reads with its parameters; one with keys out of order is malformed', () => {
  const good = Buffer.from('000100' + '0001000602683202683300030002' + '01bb', 'hex');
  expect(decodeRdata('HTTPS', cursorOver(good)).data).toEqual({
    priority: 1,
    target: '',
    params: { alpn: ['h2', 'h3'], port: 443 },
  });
  const bad = Buffer.from('000100' + '0003000201bb' + '0001000302683200'.slice(0, 14), 'hex');
  expect(decodeRdata('HTTPS', cursorOver(bad)).data).toMatchObject({
    malformed: expect.any(String) as string,
  });
});

test('one record that breaks its format spoils no other', () => {
  const bytes = Buffer.from(
    encode({
      type: 'response',
      id: 1,
      flags: 0x8180,
      questions: [{ type: 'A', name: 'a.test' }],
      answers: [
        { type: 'A', name: 'a.test', ttl: 1, data: '192.0.2.1' },
        { type: 'A', name: 'a.test', ttl: 1, data: '192.0.2.2' },
      ],
    }),
  ); // prettier-ignore
  // The first address gets a type whose layout it does not fit.
  const at = bytes.indexOf(Buffer.from('00010001', 'hex'), bytes.indexOf(Buffer.from('00010001', 'hex')) + 4);
  bytes.writeUInt16BE(6, at);
  const { answers } = readMessage(bytes, false);
  expect(answers.map(({ data }) => data)).toEqual([
    { malformed: expect.any(String) as string, rdata: 'c0000201' },
    '192.0.2.2',
  ]);
});

const runs = 20_000;
test(`${runs} mutated messages: never anything but a message or RangeError`, () => {
  const query = writeQuery(1, { name: 'a.test', type: 'A' }, flags) ?? Buffer.alloc(0);
  const base = Buffer.from(
    encode({
      type: 'response',
      id: 1,
      flags: 0x8180,
      questions: [{ type: 'A', name: 'a.test' }],
      answers: [
        { type: 'MX', name: 'a.test', ttl: 60, data: { preference: 10, exchange: 'mx.a.test' } },
        {
          type: 'RRSIG',
          name: 'a.test',
          ttl: 60,
          data: {
            typeCovered: 'A',
            algorithm: 13,
            labels: 2,
            originalTTL: 60,
            expiration: 1,
            inception: 1,
            keyTag: 1,
            signersName: 'a.test',
            signature: Buffer.alloc(64),
          },
        },
        { type: 'NSEC', name: 'a.test', ttl: 60, data: { nextDomain: 'b.test', rrtypes: ['A', 'MX'] } },
      ],
    }),
  ); // prettier-ignore
  let read = 0;
  let others = 0;
  fc.assert(
    fc.property(
      fc.constantFrom(base, query),
      fc.array(fc.tuple(fc.nat(255), fc.nat(255)), { minLength: 1, maxLength: 8 }),
      fc.nat(300),
      (message, changes, cut) => {
        const bytes = Buffer.from(message);
        for (const [at, value] of changes) bytes[at % bytes.length] = value;
        try {
          readMessage(bytes.subarray(0, Math.max(0, bytes.length - (cut > 250 ? cut - 250 : 0))), true);
          read += 1;
        } catch (error) {
          others += error instanceof RangeError ? 0 : 1;
        }
      },
    ),
    { numRuns: runs },
  );
  expect(read).toBeGreaterThan(1000);
  expect(others).toBe(0);
});

test('a query asks with EDNS of its version, or without any', () => {
  const sent = (more: object) => {
    const query = writeQuery(7, { name: 'a.test', type: 'A' }, { ...flags, ...more });
    return decode(Buffer.from(query ?? [])).additionals;
  };
  expect(sent({ edns: false })).toEqual([]);
  expect(sent({})).toMatchObject([{ type: 'OPT', ednsVersion: 0, flag_do: true, options: [] }]);
  expect(sent({ ednsVersion: 1, dnssecOk: false })).toMatchObject([{ ednsVersion: 1, flag_do: false }]);
  expect(sent({ unknownOption: true })).toMatchObject([{ options: [expect.any(Object)] }]);
});
