import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readRegisteredDomain } from '../../../worker/probes/rdap/read-domain.ts';
import { runsOf } from '../../kit/property-runs.ts';
import { registryAnswer } from './answers.ts';

const read = (more: object, domain = 'a.test') =>
  readRegisteredDomain(JSON.stringify(registryAnswer(domain, more)), domain);
const event = (eventAction: string, eventDate: unknown) => ({ events: [{ eventAction, eventDate }] });

test('an answer of a large registry', () => {
  expect(read({})).toEqual({
    expiresAt: '2028-09-14T04:00:00.000Z',
    registeredAt: '1997-09-15T04:00:00.000Z',
    registrar: 'Example Registrar Inc.',
    statuses: ['clientDeleteProhibited', 'clientTransferProhibited', 'clientUpdateProhibited'],
    nameServers: ['ns1.a.test', 'ns2.a.test'],
    ds: [],
    isSigned: false,
  });
});

test('nothing of persons, addresses and notices survives', () => {
  expect(JSON.stringify(read({}))).not.toContain('canary');
});

const cases: { name: string; more: object; seen: object }[] = [
  { name: 'no date', more: { events: [] }, seen: { expiresAt: null, registeredAt: null } },
  { name: 'no events at all', more: { events: undefined }, seen: { expiresAt: null } },
  {
    name: 'the date of the registrar, which differs',
    more: {
      events: [
        { eventAction: 'registrar expiration', eventDate: '2027-01-01T00:00:00Z' },
        { eventAction: 'expiration', eventDate: '2028-01-01T00:00:00Z' },
      ],
    },
    seen: { expiresAt: '2028-01-01T00:00:00.000Z' },
  },
  {
    name: 'a date alone',
    more: event('expiration', '2027-03-01'),
    seen: { expiresAt: '2027-03-01T00:00:00.000Z' },
  },
  {
    name: 'a time without a zone',
    more: event('expiration', '2027-03-01 12:30:00'),
    seen: { expiresAt: '2027-03-01T12:30:00.000Z' },
  },
  {
    name: 'a time with fractions and an offset',
    more: event('expiration', '2027-03-01T12:30:00.123456+01:00'),
    seen: { expiresAt: '2027-03-01T11:30:00.000Z' },
  },
  {
    name: 'a time that stands for none',
    more: event('expiration', '9999-12-31T23:59:59Z'),
    seen: { expiresAt: null },
  },
  {
    name: 'a day that no month has',
    more: event('expiration', '2027-13-40T00:00:00Z'),
    seen: { expiresAt: null },
  },
  {
    name: 'a date in words',
    more: event('expiration', 'next year'),
    seen: { expiresAt: null, expiresUnread: 'next year' },
  },
  {
    name: 'a day that may be a month',
    more: event('expiration', '03/07/2027'),
    seen: { expiresAt: null, expiresUnread: '03/07/2027' },
  },
  ...[
    ['2027/07/03', '2027-07-03T00:00:00.000Z'],
    ['2027.07.03', '2027-07-03T00:00:00.000Z'],
    ['20270703', '2027-07-03T00:00:00.000Z'],
    ['2027-07-03T00:00:00+08', '2027-07-02T16:00:00.000Z'],
    ['2027-07-03 12:00:00 +0530', '2027-07-03T06:30:00.000Z'],
    ['2027-07-03 12:00:00 (UTC+8)', '2027-07-03T04:00:00.000Z'],
    ['2027-07-03T12:00:00-03:30', '2027-07-03T15:30:00.000Z'],
    ['2027-07-03 12:00 UTC', '2027-07-03T12:00:00.000Z'],
    ['3-Jul-2027', '2027-07-03T00:00:00.000Z'],
    ['03 July 2027', '2027-07-03T00:00:00.000Z'],
  ].map(([written = '', expiresAt]) => ({
    name: `the date ${written}`,
    more: event('expiration', written),
    seen: { expiresAt },
  })),
  ...['Record expires', 'expiration date', 'Expiry', 'paid-till', 'domain_expires'].map((action) => ({
    name: `the event ${action}`,
    more: event(action, '2027-07-03'),
    seen: { expiresAt: '2027-07-03T00:00:00.000Z' },
  })),
  {
    name: 'name servers that are named in Unicode alone',
    more: { nameservers: [{ unicodeName: 'ns1.bücher.test.' }, { ldhName: 'NS2.a.test' }] },
    seen: { nameServers: ['ns1.xn--bcher-kva.test', 'ns2.a.test'] },
  },
  {
    name: 'a name server without a name',
    more: { nameservers: [{ handle: 'X-1' }, { ldhName: 'ns2.a.test' }] },
    seen: { nameServers: ['ns2.a.test'], nameServersUnread: true },
  },
  {
    name: 'statuses of RFC 8056 and of servers that write them otherwise',
    more: {
      status: [
        'active',
        'pending delete',
        'redemption period',
        'serverHold',
        'auto renew period',
        'associated',
        7,
        '',
        'x'.repeat(500),
      ],
    },
    seen: {
      statuses: ['ok', 'pendingDelete', 'redemptionPeriod', 'serverHold', 'autoRenewPeriod', 'linked'],
    },
  },
  {
    name: 'DS records, also with digests in capitals and numbers as text',
    more: {
      secureDNS: {
        delegationSigned: true,
        dsData: [
          { keyTag: 2371, algorithm: 13, digestType: 2, digest: 'C988EC42 3E3880EB' },
          { keyTag: '20326', algorithm: '8', digestType: '2', digest: 'ab' },
          { keyTag: -1, algorithm: 13, digestType: 2, digest: 'ab' },
          { keyTag: 1, algorithm: 13, digestType: 2, digest: 'no hex' },
        ],
      },
    },
    seen: {
      isSigned: true,
      ds: [
        { keyTag: 2371, algorithm: 13, digestType: 2, digest: 'c988ec423e3880eb' },
        { keyTag: 20326, algorithm: 8, digestType: 2, digest: 'ab' },
      ],
    },
  },
  {
    name: 'a registrar without a card',
    more: { entities: [{ roles: ['registrar'], handle: 'REG-7' }] },
    seen: { registrar: 'REG-7' },
  },
  {
    name: 'no registrar',
    more: { entities: [{ roles: ['technical'], handle: 'x' }] },
    seen: { registrar: null },
  },
  { name: 'no secureDNS', more: { secureDNS: undefined }, seen: { isSigned: null, ds: [] } },
  {
    name: 'name servers that are none',
    more: { nameservers: [{ ldhName: 'a b' }, { ldhName: 'Ns.Example.' }, null, 'ns'] },
    seen: { nameServers: ['ns.example'] },
  },
];
test.for(cases)('$name', ({ more, seen }) => {
  expect(read(more)).toMatchObject(seen);
});

test('what is no answer about the domain is told as a clause', () => {
  expect(read({ ldhName: 'b.test' })).toBe('the registry answered about another name');
  expect(read({ objectClassName: 'entity' })).toBe('the registry answered with something else than a domain');
  for (const text of ['', '<html>', '[]', '7', 'null', '{'])
    expect(readRegisteredDomain(text, 'a.test')).toBe('the registry did not answer with JSON');
});

test('any JSON is read without a throw, and gives bounded fields', () => {
  fc.assert(
    fc.property(fc.object({ maxDepth: 4 }), (object) => {
      const found = readRegisteredDomain(JSON.stringify({ objectClassName: 'domain', ...object }), 'a.test');
      expect(JSON.stringify(found).length).toBeLessThan(20_000);
    }),
    { numRuns: runsOf(1000) },
  );
});

test('deep and wide answers of 256 kB take no long turn, and their fields are bounded', () => {
  const size = 262_000;
  const wide = (field: string, one: string) =>
    `{"objectClassName":"domain","${field}":[${Array.from({ length: Math.floor(size / (one.length + 1)) }, () => one).join(',')}]}`;
  const answers = [
    `${'['.repeat(size / 2)}${']'.repeat(size / 2)}`,
    `${'{"a":'.repeat(size / 6)}1${'}'.repeat(size / 6)}`,
    wide('events', '{"eventAction":"expiration"}'),
    wide('nameservers', '{"ldhName":"a.b"}'),
    wide('status', '"ok"'),
    wide('entities', '{}'),
    `{${Array.from({ length: 20_000 }, (_, index) => `"k${index}":{}`).join(',')}}`,
  ];
  for (const answer of answers) {
    const before = process.threadCpuUsage();
    const found = readRegisteredDomain(answer, 'a.test');
    const { user, system } = process.threadCpuUsage(before);
    expect(JSON.stringify(found).length).toBeLessThan(20_000);
    expect((user + system) / 1000).toBeLessThan(100);
  }
});
