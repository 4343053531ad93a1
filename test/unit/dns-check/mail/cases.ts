import { expect } from 'vitest';
import type { MailCode } from '#shared/catalogue/dns-check/mail/rules';
import type { DnsCheckOptions } from '#shared/catalogue/dns-check/options';
import keys from '../../../fixtures/dns-check/mail/dkim-keys.json' with { type: 'json' };
import { bimiFileCases } from './bimi-cases.ts';
import { goodZone, parkedZone } from './good-zone.ts';
import { bodyOf, servfail, timeout, type WebAnswer, type ZoneLiteral } from './zone-literal.ts';

/** One fact: what differs from a good domain, and exactly which rules that breaks. */
export type Case = {
  readonly name: string;
  readonly zone: ZoneLiteral;
  readonly broken: readonly MailCode[];
  /** Among others. */
  readonly notTested?: readonly MailCode[];
  /** Among others: rules of which nothing was seen, so that they neither hold nor are broken. */
  readonly unjudged?: readonly MailCode[];
  readonly isPartial?: boolean;
  readonly options?: Partial<DnsCheckOptions>;
  /** How the policy host answers, where not with the good policy. */
  readonly http?: WebAnswer;
  /** How other addresses answer, where not with the good logo and the good mark. */
  readonly web?: { readonly [url: string]: WebAnswer };
  readonly isSigned?: boolean;
  readonly unsigned?: readonly string[];
  /** Name servers that answer without authority. */
  readonly lame?: readonly string[];
  readonly score?: number | null;
  readonly fields?: object;
  /** The record that one finding gives to paste; undefined where it must give none. */
  readonly record?: readonly [
    MailCode,
    { readonly name: string; readonly type: string; readonly value: string } | undefined,
  ];
};

type Rest = Omit<Case, 'name' | 'zone' | 'broken'>;

/** A good domain but for these records. */
function but(name: string, changes: ZoneLiteral, broken: readonly MailCode[], rest: Rest = {}): Case {
  return { name, zone: { ...goodZone, ...changes }, broken, ...rest };
}

function parkedBut(name: string, changes: ZoneLiteral, broken: readonly MailCode[], rest: Rest = {}): Case {
  return { name, zone: { ...parkedZone, ...changes }, broken, ...rest };
}

/** A good domain with this SPF record on all of its servers. */
function spf(
  name: string,
  record: string | readonly string[],
  broken: readonly MailCode[],
  rest: Rest & { zone?: ZoneLiteral } = {},
): Case {
  const { zone = {}, ...others } = rest;
  const records = {
    'good.test TXT': [record],
    'good.test TXT @192.0.2.53': [record],
    'good.test TXT @192.0.2.54': [record],
  };
  return but(name, { ...records, ...zone }, broken, others);
}

function dmarc(
  name: string,
  record: string,
  broken: readonly MailCode[],
  rest: Rest & { zone?: ZoneLiteral } = {},
): Case {
  const { zone = {}, ...others } = rest;
  return but(name, { '_dmarc.good.test TXT': record, ...zone }, broken, others);
}

function dkim(
  name: string,
  record: string | readonly string[],
  broken: readonly MailCode[],
  rest: Rest = {},
): Case {
  return but(name, { 'default._domainkey.good.test TXT': record }, broken, rest);
}

function sts(
  name: string,
  http: NonNullable<Case['http']>,
  broken: readonly MailCode[],
  rest: Rest = {},
): Case {
  return but(name, {}, broken, { http, ...rest });
}

const policy = (text: string) => ({ body: bodyOf(text) });
const ok = 'v=spf1 mx -all';
const includes = (count: number) =>
  Array.from({ length: count }, (_, index) => `include:i${index}.test`).join(' ');
const includeZone = Object.fromEntries(
  Array.from({ length: 12 }, (_, index) => [`i${index}.test TXT`, `v=spf1 ip4:198.51.100.${index} -all`]),
);
const ruaElsewhere = 'v=DMARC1; p=reject; rua=mailto:x@reports.example';
const mailElsewhere = {
  'reports.example MX': '10 mx1.good.test',
  'reports.example A': '192.0.2.1',
  'reports.example AAAA': '2001:db8::1',
};

/** Two records; what is given to paste instead of them. */
function twoSpf(name: string, records: readonly string[], merged: string | undefined): Case {
  const value = merged === undefined ? undefined : { name: 'good.test', type: 'TXT', value: merged };
  return but(
    name,
    { 'good.test TXT': records, 'good.test TXT @192.0.2.53': null, 'good.test TXT @192.0.2.54': null },
    ['spf-multiple'],
    { record: ['spf-multiple', value] },
  );
}

// A string of 255 octets that ends in the midst of "….ca".
const cutName = [63, 63, 63, 43].map((length) => 'x'.repeat(length)).join('.');
const cutAtLimit = `v=spf1 mx include:${cutName}.c`;

/** Without a word of why: it may be the resolver’s own. */
const plainServfail = { rcode: 'SERVFAIL' } as const;

const inner = { 'inner.test TXT': 'v=spf1 ip4:198.51.100.0/28 -all' };

const spfCases: readonly Case[] = [
  spf('an included record is followed', `v=spf1 mx ${includes(3)} -all`, [], {
    zone: includeZone,
    fields: { spf: { state: 'ok', valid: true, all: '-all', lookups: 4, voidLookups: 0, complete: true } },
  }),
  spf('no space before the last term', 'v=spf1 mx ip4:192.0.2.1-all', ['spf-syntax', 'spf-no-all'], {
    fields: { spf: { state: 'invalid' } },
  }),
  but(
    'no SPF record',
    { 'good.test TXT': null, 'good.test TXT @192.0.2.53': null, 'good.test TXT @192.0.2.54': null },
    ['spf-missing'],
    {
      fields: { spf: { state: 'missing', valid: null, tree: null } },
      // Its own mail hosts may not be all that send.
      record: ['spf-missing', undefined],
    },
  ),
  but(
    'two SPF records',
    {
      'good.test TXT': ['v=spf1 mx -all', 'v=spf1 a ~all'],
      'good.test TXT @192.0.2.53': null,
      'good.test TXT @192.0.2.54': null,
    },
    ['spf-multiple'],
    {
      fields: { spf: { state: 'invalid', valid: false } },
      record: ['spf-multiple', { name: 'good.test', type: 'TXT', value: 'v=spf1 mx a ~all' }],
    },
  ),
  twoSpf('two records that close alike stay closed', ['v=spf1 mx -all', 'v=spf1 a -all'], 'v=spf1 mx a -all'),
  twoSpf(
    'a redirect becomes an include where records are merged, as all would shut it off',
    ['v=spf1 mx redirect=_spf.good.test', 'v=spf1 include:b.test ~all'],
    'v=spf1 mx include:_spf.good.test include:b.test ~all',
  ),
  twoSpf(
    'two records of which one has a slip are not merged by us',
    ['v=spf1 mx ipv4:192.0.2.1 -all', 'v=spf1 a -all'],
    undefined,
  ),
  spf('a space before the version', ' v=spf1 mx -all', ['spf-record-ignored']),
  spf('a semicolon behind the version', 'v=spf1; mx -all', ['spf-record-ignored']),
  spf('a wrong version', 'v=spf2 mx -all', ['spf-record-ignored']),
  spf('a typing slip in a term', 'v=spf1 mx ipv4:192.0.2.1 -all', ['spf-syntax'], {
    fields: {
      spf: { state: 'invalid', valid: false, tree: { faults: [{ position: 11, term: 'ipv4:192.0.2.1' }] } },
    },
  }),
  spf(
    'a slip and no end: no record is given, as it would lack the sender with the slip',
    'v=spf1 mx ipv4:192.0.2.1',
    ['spf-syntax', 'spf-no-all'],
    { record: ['spf-no-all', undefined] },
  ),
  spf('an included record with a slip', 'v=spf1 mx include:bad.test -all', ['spf-include-syntax'], {
    zone: { 'bad.test TXT': 'v=spf1 ip4:1 -all' },
  }),
  spf('eleven lookups', `v=spf1 mx ${includes(10)} -all`, ['spf-too-many-lookups'], {
    zone: includeZone,
    fields: { spf: { lookups: 11, valid: false } },
  }),
  spf('ten lookups are near the limit', `v=spf1 mx ${includes(9)} -all`, ['spf-near-limit'], {
    zone: includeZone,
    fields: { spf: { lookups: 10, valid: true } },
  }),
  spf('nested lookups count', 'v=spf1 mx include:n0.test -all', ['spf-too-many-lookups'], {
    zone: Object.fromEntries(
      Array.from({ length: 11 }, (_, index) => [
        `n${index}.test TXT`,
        index < 10 ? `v=spf1 include:n${index + 1}.test -all` : 'v=spf1 ip4:198.51.100.1 -all',
      ]),
    ),
    fields: { spf: { lookups: 11, complete: false } },
  }),
  spf('three names that do not exist', 'v=spf1 mx a:x1.test a:x2.test a:x3.test -all', [
    'spf-too-many-voids',
    'spf-name-missing',
  ]),
  spf('a name that does not exist', 'v=spf1 mx a:gone.test -all', ['spf-name-missing', 'spf-voids'], {
    record: ['spf-name-missing', { name: 'good.test', type: 'TXT', value: 'v=spf1 mx -all' }],
  }),
  spf('a name that gives no answer', 'v=spf1 mx a:slow.test -all', ['spf-lookup-failed'], {
    zone: { 'slow.test A': timeout, 'slow.test AAAA': timeout },
    notTested: ['spf-name-missing'],
  }),
  spf('an include that lets nobody send', 'v=spf1 mx include:none.test -all', ['spf-include-empty'], {
    zone: { 'none.test TXT': 'v=spf1 include:deep.test ?all', 'deep.test TXT': 'v=spf1 -all' },
    record: ['spf-include-empty', { name: 'good.test', type: 'TXT', value: 'v=spf1 mx -all' }],
  }),
  spf('an include that only a macro lets pass', 'v=spf1 mx include:one.test -all', [], {
    zone: { 'one.test TXT': 'v=spf1 exists:%{i}.one.test -all' },
  }),
  spf(
    'an include that another one contains',
    'v=spf1 mx include:inner.test include:outer.test -all',
    ['spf-include-contained'],
    {
      zone: { ...inner, 'outer.test TXT': 'v=spf1 ip4:198.51.100.2 include:inner.test -all' },
      record: [
        'spf-include-contained',
        { name: 'good.test', type: 'TXT', value: 'v=spf1 mx include:outer.test -all' },
      ],
    },
  ),
  spf(
    'an include that another one contains but for an address',
    'v=spf1 mx include:inner.test include:outer.test -all',
    [],
    { zone: { ...inner, 'outer.test TXT': 'v=spf1 -ip4:198.51.100.1 include:inner.test -all' } },
  ),
  spf(
    'three hosts without IPv6',
    'v=spf1 mx a:mx2.good.test a:ns1.good.test a:ns2.good.test -all',
    ['spf-void-one-family'],
    { fields: { spf: { voidLookups: 0, valid: true } } },
  ),
  spf('an mx term with eleven hosts', 'v=spf1 mx:many.test mx -all', ['spf-mx-limit'], {
    zone: { 'many.test MX': Array.from({ length: 11 }, (_, index) => `10 m${index}.test`) },
  }),
  spf('a record that includes itself', 'v=spf1 mx include:good.test -all', ['spf-loop']),
  spf('an include without a record', 'v=spf1 mx include:gone.test -all', ['spf-include-missing'], {
    record: ['spf-include-missing', { name: 'good.test', type: 'TXT', value: 'v=spf1 mx -all' }],
  }),
  spf('an include of two records', 'v=spf1 mx include:two.test -all', ['spf-include-missing'], {
    zone: { 'two.test TXT': ['v=spf1 -all', 'v=spf1 ~all'] },
  }),
  spf('a redirect without a record', 'v=spf1 mx redirect=gone.test', ['spf-redirect-missing']),
  spf('a redirect that is followed', 'v=spf1 redirect=next.test', [], {
    zone: { 'next.test TXT': 'v=spf1 mx:good.test ~all' },
    fields: { spf: { all: '~all', lookups: 2 } },
  }),
  spf('everybody may send', 'v=spf1 mx +all', ['spf-all-pass'], {
    record: ['spf-all-pass', undefined],
  }),
  spf('everybody may send by an include', 'v=spf1 mx include:open.test -all', ['spf-all-pass'], {
    zone: { 'open.test TXT': 'v=spf1 +all' },
  }),
  spf('everybody may send by an address range', 'v=spf1 mx ip4:0.0.0.0/0 -all', ['spf-all-pass'], {
    record: ['spf-all-pass', undefined],
  }),
  spf('an include that passes all, but is turned to fail', 'v=spf1 mx -include:open.test -all', [], {
    zone: { 'open.test TXT': 'v=spf1 +all' },
  }),
  spf('a neutral end', 'v=spf1 mx ?all', ['spf-all-neutral'], {
    record: ['spf-all-neutral', { name: 'good.test', type: 'TXT', value: 'v=spf1 mx ~all' }],
  }),
  spf('a soft end is no fault', 'v=spf1 mx ~all', []),
  spf('no end', 'v=spf1 mx', ['spf-no-all'], {
    record: ['spf-no-all', { name: 'good.test', type: 'TXT', value: 'v=spf1 mx ~all' }],
  }),
  spf('a very wide range', 'v=spf1 mx ip4:198.51.0.0/15 -all', ['spf-range-too-wide']),
  spf('a very wide range of a host', 'v=spf1 mx/12 -all', ['spf-range-too-wide']),
  spf('a wide range of a provider is the provider’s', 'v=spf1 mx include:big.test -all', [], {
    zone: { 'big.test TXT': 'v=spf1 ip4:198.48.0.0/12 -all' },
  }),
  spf('private addresses', 'v=spf1 mx ip4:10.0.0.0/24 ip6:fd00::1 -all', ['spf-range-private']),
  spf('the same term twice', 'v=spf1 mx mx -all', ['spf-term-repeated'], {
    record: ['spf-term-repeated', { name: 'good.test', type: 'TXT', value: 'v=spf1 mx -all' }],
  }),
  spf('a network inside another', 'v=spf1 mx ip4:192.0.2.7 ip4:192.0.2.0/24 -all', ['spf-term-repeated'], {
    record: [
      'spf-term-repeated',
      { name: 'good.test', type: 'TXT', value: 'v=spf1 mx ip4:192.0.2.0/24 -all' },
    ],
  }),
  spf(
    'a network inside another, with a part of that shut out between them',
    'v=spf1 mx ip4:192.0.2.7 -ip4:192.0.2.0/25 ip4:192.0.2.0/24 -all',
    [],
  ),
  spf('ptr', 'v=spf1 mx ptr -all', ['spf-ptr'], {
    record: ['spf-ptr', { name: 'good.test', type: 'TXT', value: 'v=spf1 mx -all' }],
  }),
  spf('all senders behind all', 'v=spf1 -all mx', ['spf-senders-shut-out', 'spf-mx-not-allowed'], {
    record: ['spf-senders-shut-out', { name: 'good.test', type: 'TXT', value: 'v=spf1 mx -all' }],
    fields: { spf: { lookups: 0 } },
  }),
  spf(
    'all senders behind a soft all',
    'v=spf1 ~all include:_spf.a.test',
    ['spf-senders-soft-failed', 'spf-mx-not-allowed'],
    {
      zone: { '_spf.a.test TXT': 'v=spf1 ip4:192.0.2.0/24 -all' },
      record: [
        'spf-senders-soft-failed',
        { name: 'good.test', type: 'TXT', value: 'v=spf1 include:_spf.a.test ~all' },
      ],
    },
  ),
  spf(
    'a redirect beside all, and nobody else',
    'v=spf1 redirect=_spf.a.test -all',
    ['spf-senders-shut-out', 'spf-mx-not-allowed'],
    {
      zone: { '_spf.a.test TXT': 'v=spf1 ip4:192.0.2.0/24 -all' },
      record: [
        'spf-senders-shut-out',
        { name: 'good.test', type: 'TXT', value: 'v=spf1 redirect=_spf.a.test' },
      ],
    },
  ),
  spf(
    'a redirect beside all that leads to nothing: no record to paste',
    'v=spf1 -all redirect=gone.test',
    ['spf-senders-shut-out', 'spf-mx-not-allowed'],
    { record: ['spf-senders-shut-out', undefined] },
  ),
  spf(
    'a redirect beside all to a record that allows nobody',
    'v=spf1 -all redirect=_spf.a.test',
    ['spf-redirect-ignored', 'spf-mx-not-allowed'],
    { zone: { '_spf.a.test TXT': 'v=spf1 -all' } },
  ),
  spf(
    'a redirect beside all whose record gives no answer',
    'v=spf1 -all redirect=_spf.a.test',
    ['spf-redirect-ignored', 'spf-mx-not-allowed'],
    { zone: { '_spf.a.test TXT': servfail }, notTested: ['spf-senders-shut-out', 'spf-senders-soft-failed'] },
  ),
  but(
    'a tab before the version of DMARC',
    { '_dmarc.good.test TXT': '\tv=DMARC1; p=reject; rua=mailto:reports@good.test' },
    ['dmarc-blank-first'],
    {
      record: [
        'dmarc-blank-first',
        {
          name: '_dmarc.good.test',
          type: 'TXT',
          value: 'v=DMARC1; p=reject; rua=mailto:reports@good.test',
        },
      ],
    },
  ),
  spf('a term behind all, and one before it', 'v=spf1 mx -all ip4:192.0.2.1', ['spf-after-all'], {
    record: ['spf-after-all', { name: 'good.test', type: 'TXT', value: 'v=spf1 mx ip4:192.0.2.1 -all' }],
  }),
  but(
    'senders behind all of a domain without a mail host',
    {
      'good.test MX': null,
      'good.test TXT': ['v=spf1 -all include:_spf.a.test'],
      'good.test TXT @192.0.2.53': ['v=spf1 -all include:_spf.a.test'],
      'good.test TXT @192.0.2.54': ['v=spf1 -all include:_spf.a.test'],
      '_spf.a.test TXT': 'v=spf1 ip4:192.0.2.0/24 -all',
    },
    [
      'dane-missing',
      'mta-sts-mx-mismatch',
      'mx-implicit',
      'ptr-missing',
      'spf-mx-not-allowed',
      'spf-senders-shut-out',
    ],
  ),
  spf('a redirect beside all', 'v=spf1 mx redirect=gone.test -all', ['spf-redirect-ignored'], {
    fields: { spf: { lookups: 1 } },
  }),
  spf('an equals sign instead of a colon', 'v=spf1 mx include=_spf.a.test -all', ['spf-mechanism-equals']),
  spf(
    'an address behind an equals sign',
    'v=spf1 mx ip4=5.9.10.11 IPv6=2001:db8::1 -all',
    ['spf-mechanism-equals'],
    {
      record: [
        'spf-mechanism-equals',
        { name: 'good.test', type: 'TXT', value: 'v=spf1 mx ip4:5.9.10.11 ip6:2001:db8::1 -all' },
      ],
    },
  ),
  spf('the family of an address behind ip=', 'v=spf1 mx ip=2001:db8::1 -all', ['spf-mechanism-equals'], {
    record: [
      'spf-mechanism-equals',
      { name: 'good.test', type: 'TXT', value: 'v=spf1 mx ip6:2001:db8::1 -all' },
    ],
  }),
  spf('modifiers that are registered', 'v=spf1 mx ra=postmaster rp=100 rr=e:f -all', []),
  spf('a modifier that nobody knows', 'v=spf1 mx moo=1 -all', ['spf-modifier-unknown']),
  spf('two lookups that find nothing', 'v=spf1 mx a:gone.test exists:gone2.test -all', [
    'spf-name-missing',
    'spf-voids',
  ]),
  but('a record of the old type', { 'good.test SPF': ok }, ['spf-type99']),
  but('a Sender ID record', { 'good.test TXT': [ok, 'spf2.0/pra mx -all'] }, ['spf-sender-id']),
  spf(
    'strings without a space between',
    ['v=spf1 mx', 'include:a.test -all'],
    ['spf-strings-run-together', 'spf-syntax'],
  ),
  spf('strings split inside a word', ['v=spf1 mx ip4:192.0', '.2.1 -all'], []),
  spf('strings split behind a qualifier', ['v=spf1 mx ~', 'all'], []),
  spf('strings split at 255 octets, where a name happens to go on like a term', [cutAtLimit, 'a -all'], [], {
    zone: { [`${cutName}.ca TXT`]: 'v=spf1 ip4:198.51.100.1 -all' },
  }),
  spf(
    'a long record',
    `v=spf1 mx ${Array.from({ length: 25 }, (_, index) => `ip4:198.51.100.${index + 100}`).join(' ')} -all`,
    ['spf-record-size'],
  ),
  spf('a record of 450 octets with its name', `v=spf1 mx ip4:198.51.100.1 ${'x'.repeat(407)}=y -all`, [
    'spf-record-size',
    'spf-modifier-unknown',
  ]),
  spf('a record of 449 octets with its name', `v=spf1 mx ip4:198.51.100.1 ${'x'.repeat(406)}=y -all`, [
    'spf-modifier-unknown',
  ]),
  but('name servers that differ', { 'good.test TXT @192.0.2.54': 'v=spf1 -all' }, [
    'spf-inconsistent-servers',
  ]),
  spf('mail hosts that may not send', 'v=spf1 ip4:198.51.100.1 -all', ['spf-mx-not-allowed']),
  spf('an include that cannot be seen', 'v=spf1 mx include:slow.test -all', ['spf-lookup-failed'], {
    zone: { 'slow.test TXT': timeout },
    notTested: [
      'spf-too-many-lookups',
      'spf-include-missing',
      'spf-near-limit',
      'spf-too-many-voids',
      'spf-redirect-missing',
      'spf-all-pass',
      'spf-include-syntax',
      'spf-loop',
      'spf-mx-limit',
      'spf-range-too-wide',
      'spf-include-empty',
      'spf-include-contained',
      'spf-name-missing',
    ],
    isPartial: true,
    fields: { spf: { state: 'ok', valid: null, complete: false } },
  }),
  spf('a redirect that cannot be seen', 'v=spf1 mx redirect=slow.test', ['spf-lookup-failed'], {
    zone: { 'slow.test TXT': timeout },
    notTested: ['spf-no-all', 'spf-all-neutral', 'spf-ptr', 'spf-range-private'],
  }),
  spf('a redirect that depends on the message', 'v=spf1 mx redirect=%{i}.a.test', [], {
    notTested: ['spf-no-all', 'spf-all-neutral'],
    isPartial: false,
  }),
  spf('an mx term that cannot be seen', 'v=spf1 mx mx:slow.test -all', ['spf-lookup-failed'], {
    zone: { 'slow.test MX': timeout },
    notTested: ['spf-mx-limit', 'spf-too-many-voids'],
  }),
  spf('an include that depends on the message', 'v=spf1 mx include:%{i}.a.test -all', [], {
    notTested: ['spf-include-missing', 'spf-too-many-lookups'],
    fields: { spf: { lookups: 2, complete: false } },
  }),
  spf('an include named by a macro that is known', 'v=spf1 mx include:_spf.%{d} -all', [], {
    zone: { '_spf.good.test TXT': 'v=spf1 ip4:198.51.100.1 -all' },
    fields: { spf: { lookups: 2, complete: true } },
  }),
  but('the TXT records fail for everybody', { 'good.test TXT': servfail }, ['spf-record-lookup-failed'], {
    notTested: ['spf-missing', 'spf-syntax', 'spf-all-pass'],
    fields: { spf: { state: 'unknown', valid: null } },
    score: 80,
  }),
  but('the TXT records fail for us alone', { 'good.test TXT': plainServfail }, [], {
    notTested: ['spf-record-lookup-failed', 'spf-missing'],
    score: 100,
  }),
  but(
    'the TXT records fail at each of the zone’s servers too',
    {
      'good.test TXT': plainServfail,
      'good.test TXT @192.0.2.53': plainServfail,
      'good.test TXT @192.0.2.54': plainServfail,
    },
    ['spf-record-lookup-failed'],
    { score: 80 },
  ),
  but(
    'the record of an include fails',
    {
      'good.test TXT': 'v=spf1 mx include:lost.test -all',
      'good.test TXT @192.0.2.53': null,
      'good.test TXT @192.0.2.54': null,
      'lost.test TXT': servfail,
    },
    ['spf-lookup-failed'],
  ),
  but(
    'the old type and the name servers cannot be read',
    { 'good.test SPF': timeout, 'good.test TXT @192.0.2.53': timeout },
    [],
    { notTested: ['spf-type99', 'spf-inconsistent-servers'] },
  ),
];

const dmarcCases: readonly Case[] = [
  but('no DMARC record', { '_dmarc.good.test TXT': null }, ['dmarc-missing', 'bimi-without-dmarc'], {
    fields: { dmarc: { state: 'missing', effectivePolicy: null, location: null } },
    record: [
      'dmarc-missing',
      {
        name: '_dmarc.good.test',
        type: 'TXT',
        value: 'v=DMARC1; p=none; rua=mailto:dmarc-reports@good.test',
      },
    ],
  }),
  but(
    'two DMARC records',
    { '_dmarc.good.test TXT': ['v=DMARC1; p=none', 'v=DMARC1; p=reject'] },
    ['dmarc-multiple', 'bimi-without-dmarc'],
    { fields: { dmarc: { state: 'invalid' } } },
  ),
  dmarc('a version in small letters', 'v=dmarc1; p=reject', ['dmarc-record-ignored', 'bimi-without-dmarc']),
  dmarc('the version in second place', 'p=reject; v=DMARC1', ['dmarc-record-ignored', 'bimi-without-dmarc']),
  dmarc('a repeated tag', 'v=DMARC1; p=none; p=reject', ['dmarc-duplicate-tag', 'bimi-without-dmarc']),
  dmarc('a tag that is none', 'v=DMARC1; p=reject; rua=mailto:reports@good.test; adkim=x', ['dmarc-syntax'], {
    fields: { dmarc: { state: 'ok', valid: false, effectivePolicy: 'reject', faults: [{ position: 57 }] } },
  }),
  dmarc(
    'a policy that is none, and no reports',
    'v=DMARC1; p=rejected',
    ['dmarc-no-effect', 'bimi-without-dmarc'],
    {
      fields: { dmarc: { state: 'invalid', policy: null } },
      record: [
        'dmarc-no-effect',
        {
          name: '_dmarc.good.test',
          type: 'TXT',
          value: 'v=DMARC1; p=reject',
        },
      ],
    },
  ),
  dmarc(
    'no policy, but reports',
    'v=DMARC1; rua=mailto:reports@good.test',
    ['dmarc-policy-fallback', 'bimi-without-dmarc'],
    {
      fields: { dmarc: { state: 'invalid', policy: 'none', effectivePolicy: 'none' } },
    },
  ),
  dmarc('a subdomain policy that is none', 'v=DMARC1; p=reject; sp=x; rua=mailto:reports@good.test', [
    'dmarc-policy-fallback',
    'bimi-without-dmarc',
  ]),
  dmarc(
    'a policy that only watches',
    'v=DMARC1; p=none; rua=mailto:reports@good.test',
    ['dmarc-policy-none', 'bimi-without-dmarc'],
    {
      record: [
        'dmarc-policy-none',
        {
          name: '_dmarc.good.test',
          type: 'TXT',
          value: 'v=DMARC1; p=quarantine; rua=mailto:reports@good.test',
        },
      ],
    },
  ),
  dmarc('test mode', 'v=DMARC1; p=reject; t=y; rua=mailto:reports@good.test', ['dmarc-testing'], {
    fields: { dmarc: { policy: 'reject', effectivePolicy: 'quarantine', testing: true } },
    record: [
      'dmarc-testing',
      { name: '_dmarc.good.test', type: 'TXT', value: 'v=DMARC1; p=reject; rua=mailto:reports@good.test' },
    ],
  }),
  dmarc(
    'weaker subdomains',
    'v=DMARC1; p=reject; sp=none; np=reject; rua=mailto:reports@good.test',
    ['dmarc-subdomain-weaker', 'bimi-without-dmarc'],
    {
      fields: { dmarc: { subdomainPolicy: 'none', nonExistentPolicy: 'reject' } },
    },
  ),
  dmarc('weaker subdomains that do not exist', 'v=DMARC1; p=reject; np=none; rua=mailto:reports@good.test', [
    'dmarc-nonexistent-weaker',
  ]),
  dmarc('no reports', 'v=DMARC1; p=reject', ['dmarc-rua-missing'], {
    record: [
      'dmarc-rua-missing',
      {
        name: '_dmarc.good.test',
        type: 'TXT',
        value: 'v=DMARC1; p=reject; rua=mailto:dmarc-reports@good.test',
      },
    ],
  }),
  dmarc('an address without mailto', 'v=DMARC1; p=reject; rua=reports@good.test,mailto:reports@good.test', [
    'dmarc-rua-invalid',
  ]),
  dmarc('no address but one without mailto', 'v=DMARC1; p=reject; rua=reports@good.test', [
    'dmarc-rua-invalid',
  ]),
  dmarc(
    'an https address is not usable, and nobody asks for mail there',
    'v=DMARC1; p=reject; rua=https://reports.example/x,mailto:reports@good.test',
    ['dmarc-rua-invalid'],
  ),
  dmarc('an address abroad whose mail hosts cannot be seen', ruaElsewhere, [], {
    zone: {
      ...mailElsewhere,
      'reports.example MX': timeout,
      'good.test._report._dmarc.reports.example TXT': 'v=DMARC1;',
    },
    notTested: ['dmarc-rua-no-mail'],
  }),
  dmarc(
    'an address that may belong to the organization, which could not be found',
    'v=DMARC1; p=reject; rua=mailto:x@reports.test',
    [],
    {
      zone: { '_dmarc.test TXT': timeout, 'reports.test MX': '10 mx1.good.test' },
      notTested: ['dmarc-rua-unauthorised'],
    },
  ),
  dmarc(
    'an address that cannot belong to the organization, though that could not be found',
    ruaElsewhere,
    ['dmarc-rua-unauthorised'],
    { zone: { ...mailElsewhere, '_dmarc.test TXT': timeout } },
  ),
  dmarc('an address abroad that has not agreed', ruaElsewhere, ['dmarc-rua-unauthorised'], {
    zone: mailElsewhere,
    record: [
      'dmarc-rua-unauthorised',
      { name: 'good.test._report._dmarc.reports.example', type: 'TXT', value: 'v=DMARC1;' },
    ],
  }),
  dmarc('an address abroad that has agreed', ruaElsewhere, [], {
    zone: { ...mailElsewhere, 'good.test._report._dmarc.reports.example TXT': 'v=DMARC1;' },
    fields: { dmarc: { rua: [{ uri: 'mailto:x@reports.example', authorised: true }] } },
  }),
  dmarc('an address abroad that takes all by a wildcard', ruaElsewhere, [], {
    zone: { ...mailElsewhere, '*._report._dmarc.reports.example TXT': 'v=DMARC1' },
  }),
  dmarc('an address abroad that gives no answer', ruaElsewhere, [], {
    zone: { ...mailElsewhere, 'good.test._report._dmarc.reports.example TXT': servfail },
    notTested: ['dmarc-rua-unauthorised'],
  }),
  dmarc('an address in a subdomain needs no agreement', 'v=DMARC1; p=reject; rua=mailto:x@mx1.good.test', []),
  dmarc(
    'an address in a subdomain that is an organization of its own',
    'v=DMARC1; p=reject; rua=mailto:x@mx1.good.test',
    ['dmarc-rua-unauthorised'],
    { zone: { '_dmarc.mx1.good.test TXT': 'v=DMARC1; p=none; psd=n' } },
  ),
  dmarc('an address whose domain is gone', 'v=DMARC1; p=reject; rua=mailto:x@gone.good.test', [
    'dmarc-rua-no-mail',
  ]),
  dmarc(
    'three addresses',
    'v=DMARC1; p=reject; rua=mailto:a@good.test,mailto:b@good.test,mailto:c@good.test',
    ['dmarc-rua-many'],
  ),
  dmarc(
    'tags that the standard has dropped',
    'v=DMARC1; p=reject; pct=50; rua=mailto:reports@good.test!10m',
    ['dmarc-historic-tag'],
  ),
  dmarc('an unknown tag', 'v=DMARC1; p=reject; rua=mailto:reports@good.test; policy=x', [
    'dmarc-unknown-tag',
  ]),
  dmarc('failure options without an address', 'v=DMARC1; p=reject; rua=mailto:reports@good.test; fo=1', [
    'dmarc-fo-ignored',
  ]),
  dmarc(
    'a domain that says it is a public suffix',
    'v=DMARC1; p=reject; rua=mailto:reports@good.test; psd=y',
    ['dmarc-psd-claimed'],
  ),
  dmarc(
    'a subdomain policy below the organization',
    'v=DMARC1; p=reject; sp=none; rua=mailto:reports@good.test',
    ['dmarc-subdomain-tag-ignored'],
    { zone: { '_dmarc.test TXT': 'v=DMARC1; p=reject' } },
  ),
  but(
    'a DMARC record at the domain itself',
    { '_dmarc.good.test TXT': null, 'good.test TXT': [ok, 'v=DMARC1; p=reject'] },
    ['dmarc-missing', 'dmarc-wrong-place', 'bimi-without-dmarc'],
  ),
  but(
    'another record in its place',
    { '_dmarc.good.test TXT': ['v=DMARC1; p=reject; rua=mailto:reports@good.test', 'v=spf1 -all'] },
    ['dmarc-foreign-record'],
  ),
  dmarc(
    'an address for reports in letters beyond ASCII is one fault',
    'v=DMARC1; p=reject; rua=mailto:reports@b\u00c3\u00bccher.example',
    ['dmarc-rua-invalid'],
  ),
  but(
    'faults of the record above are not the subdomain’s',
    {
      '_dmarc.good.test TXT': null,
      '_dmarc.test TXT': 'v=DMARC1; p=reject; policy=x; pct=50; fo=1; rua=mailto:reports@good.test',
      'test MX': '10 mx1.good.test',
      'good.test._report._dmarc.good.test TXT': null,
      'test._report._dmarc.good.test TXT': 'v=DMARC1',
    },
    [],
  ),
  but(
    'the policy of the parent applies',
    {
      '_dmarc.good.test TXT': null,
      '_dmarc.test TXT': 'v=DMARC1; p=reject; sp=quarantine; np=reject; rua=mailto:reports@good.test',
      'test MX': '10 mx1.good.test',
      'good.test._report._dmarc.good.test TXT': null,
      'test._report._dmarc.good.test TXT': 'v=DMARC1',
    },
    ['dmarc-subdomain-weaker'],
    {
      fields: { dmarc: { location: 'test', orgDomain: 'test', effectivePolicy: 'quarantine' } },
    },
  ),
  but('the DMARC record fails for us alone', { '_dmarc.good.test TXT': plainServfail }, [], {
    notTested: ['dmarc-lookup-failed', 'dmarc-missing'],
    score: 100,
  }),
  but(
    'the DMARC record fails at each of the zone’s servers too',
    {
      '_dmarc.good.test TXT': plainServfail,
      '_dmarc.good.test TXT @192.0.2.53': plainServfail,
      '_dmarc.good.test TXT @192.0.2.54': plainServfail,
    },
    ['dmarc-lookup-failed'],
    { score: 80 },
  ),
  dmarc(
    'failure reports to an address without mailto',
    'v=DMARC1; p=reject; rua=mailto:a@good.test; ruf=a@good.test',
    ['dmarc-ruf-invalid'],
    { score: 98 },
  ),
  but('the record cannot be read', { '_dmarc.good.test TXT': servfail }, ['dmarc-lookup-failed'], {
    notTested: [
      'dmarc-missing',
      'dmarc-policy-none',
      'dmarc-record-ignored',
      'dmarc-foreign-record',
      'bimi-without-dmarc',
    ],
    fields: { dmarc: { state: 'unknown', effectivePolicy: null } },
    score: 80,
  }),
  but(
    'no DMARC record, and TXT records that cannot be read',
    { '_dmarc.good.test TXT': null, 'good.test TXT': servfail },
    ['dmarc-missing', 'bimi-without-dmarc', 'spf-record-lookup-failed'],
    { notTested: ['dmarc-wrong-place'] },
  ),
  but('the record of the parent cannot be read', { '_dmarc.test TXT': timeout }, [], {
    fields: { dmarc: { state: 'ok', orgDomain: null, effectivePolicy: 'reject' } },
    notTested: [
      'dmarc-multiple',
      'dmarc-duplicate-tag',
      'dmarc-subdomain-weaker',
      'dmarc-nonexistent-weaker',
    ],
  }),
  but(
    'the reports of a public suffix above are not the domain’s',
    { '_dmarc.good.test TXT': null, '_dmarc.test TXT': 'v=DMARC1; p=none; psd=y' },
    ['dmarc-policy-none', 'bimi-without-dmarc'],
  ),
  but(
    'a watching policy of the public suffix above: the domain’s own record is given',
    {
      '_dmarc.good.test TXT': null,
      '_dmarc.test TXT': 'v=DMARC1; p=none; psd=y; rua=mailto:x@mx1.good.test',
      'test._report._dmarc.mx1.good.test TXT': 'v=DMARC1',
    },
    ['dmarc-policy-none', 'bimi-without-dmarc'],
    {
      record: [
        'dmarc-policy-none',
        {
          name: '_dmarc.good.test',
          type: 'TXT',
          value: 'v=DMARC1; p=quarantine; rua=mailto:dmarc-reports@good.test',
        },
      ],
    },
  ),
  dmarc(
    'failure options with spaces around the colon',
    'v=DMARC1; p=reject; rua=mailto:reports@good.test; ruf=mailto:reports@good.test; fo=1 : d',
    [],
  ),
];

const dkimCases: readonly Case[] = [
  but('no selector can exist', { 'default._domainkey.good.test TXT': null }, ['dkim-none-possible'], {
    fields: { dkim: { state: 'missing', subtreeExists: false } },
  }),
  but(
    'no selector was guessed',
    { 'default._domainkey.good.test TXT': null, 'zx81._domainkey.good.test TXT': 'v=DKIM1; p=x' },
    ['dkim-not-guessed'],
    {
      fields: { dkim: { state: 'unknown', subtreeExists: true } },
      score: 100,
    },
  ),
  but(
    'the caller knows the selector',
    {
      'default._domainkey.good.test TXT': null,
      'zx81._domainkey.good.test TXT': `v=DKIM1; p=${keys.rsa2048}`,
    },
    [],
    {
      options: { dkimSelector: ['zx81'] },
      fields: { dkim: { state: 'ok', selectors: [{ selector: 'zx81', source: 'caller', bits: 2048 }] } },
    },
  ),
  but('the caller’s selector is not there', {}, ['dkim-selector-missing'], {
    options: { dkimSelector: ['gone'] },
  }),
  but('the caller’s selector gives no answer', { 'slow._domainkey.good.test TXT': timeout }, [], {
    options: { dkimSelector: ['slow'] },
    notTested: ['dkim-selector-missing'],
  }),
  but(
    'the selector of the provider is tried',
    {
      'default._domainkey.good.test TXT': null,
      'zoho._domainkey.good.test TXT': `p=${keys.rsa2048}`,
      'spf.zoho.com TXT': 'v=spf1 ip4:198.51.100.1 -all',
      'good.test TXT': 'v=spf1 mx include:spf.zoho.com -all',
      'good.test TXT @192.0.2.53': null,
      'good.test TXT @192.0.2.54': null,
    },
    [],
    {
      fields: { dkim: { selectors: [{ selector: 'zoho', source: 'provider' }] } },
    },
  ),
  but(
    'a wildcard is not taken for keys',
    { 'default._domainkey.good.test TXT': null, '*._domainkey.good.test TXT': 'v=DKIM1; p=' },
    ['dkim-not-guessed'],
  ),
  dkim('a record without a key', 'v=DKIM1; k=rsa', ['dkim-syntax'], {
    fields: { dkim: { state: 'invalid' } },
  }),
  dkim('a key that was cut', `v=DKIM1; p=${keys.rsa2048.slice(0, 99)}`, ['dkim-key-invalid']),
  dkim('two records', [`p=${keys.rsa2048}`, `p=${keys.rsa1024}`], ['dkim-multiple'], {
    unjudged: ['dkim-key-short', 'dkim-key-invalid', 'dkim-hash-sha1', 'dkim-revoked', 'dkim-test-mode'],
  }),
  but(
    'the caller’s selector is the only one, and gives no answer',
    { 'default._domainkey.good.test TXT': null, 'slow._domainkey.good.test TXT': timeout },
    [],
    {
      options: { dkimSelector: ['slow'] },
      notTested: [
        'dkim-selector-missing',
        'dkim-alias-dangling',
        'dkim-syntax',
        'dkim-key-invalid',
        'dkim-multiple',
        'dkim-key-too-short',
        'dkim-key-short',
        'dkim-key-type-unknown',
        'dkim-hash-sha1',
        'dkim-service-not-email',
        'dkim-revoked',
        'dkim-test-mode',
      ],
    },
  ),
  dkim('a key of 512 bits', `p=${keys.rsa512}`, ['dkim-key-too-short']),
  dkim('a key of 1024 bits', `p=${keys.rsa1024}`, ['dkim-key-short']),
  dkim('an ed25519 key is not short', `k=ed25519; p=${keys.ed25519}`, []),
  dkim('a key of another kind', 'k=dsa; p=AAAA', ['dkim-key-type-unknown']),
  dkim('SHA-1 only', `h=sha1; p=${keys.rsa2048}`, ['dkim-hash-sha1']),
  dkim('SHA-256 beside SHA-1', `h=sha1:sha256; p=${keys.rsa2048}`, []),
  dkim('a key for something else', `s=tlsrpt; p=${keys.rsa2048}`, ['dkim-service-not-email']),
  dkim('a revoked key', 'v=DKIM1; p=', ['dkim-revoked']),
  dkim('test mode', `t=y:s; p=${keys.rsa2048}`, ['dkim-test-mode']),
  but('an alias to nothing', { 's1._domainkey.good.test CNAME': 's1.gone.test' }, ['dkim-alias-dangling']),
  but(
    'a key behind an alias',
    {
      'default._domainkey.good.test TXT': null,
      'default._domainkey.good.test CNAME': 'k.test',
      'k.test TXT': `p=${keys.rsa2048}`,
    },
    [],
    {
      fields: { dkim: { selectors: [{ alias: 'k.test', state: 'ok' }] } },
    },
  ),
  but(
    'nothing can be read',
    { 'default._domainkey.good.test TXT': timeout, '_domainkey.good.test TXT': timeout },
    [],
    {
      notTested: ['dkim-none-possible', 'dkim-not-guessed'],
      fields: { dkim: { state: 'unknown', subtreeExists: null } },
      score: 100,
    },
  ),
];

const withoutSts = { '_mta-sts.good.test TXT': null, 'mta-sts.good.test A': null };
const hostsWithout = { '_25._tcp.mx1.good.test TLSA': null, '_25._tcp.mx2.good.test TLSA': null };
const mxCases: readonly Case[] = [
  but(
    'no MX, but an address',
    {
      'good.test MX': null,
      'good.test TXT': 'v=spf1 a -all',
      'good.test TXT @192.0.2.53': null,
      'good.test TXT @192.0.2.54': null,
      '_25._tcp.good.test TLSA': ['3 1 1 ' + 'a'.repeat(64), '2 1 1 ' + 'b'.repeat(64)],
      '80.2.0.192.in-addr.arpa PTR': 'good.test',
      '0.8.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa PTR': 'good.test',
    },
    ['mx-implicit'],
    {
      http: policy('version: STSv1\nmode: enforce\nmx: good.test\nmax_age: 604800\n'),
      fields: { mx: { state: 'missing', implicit: true, nullMx: false } },
    },
  ),
  but(
    'no MX, an address, no SPF, and reports to the domain itself: it takes mail, and nobody knows who sends',
    {
      'good.test MX': null,
      'good.test TXT': null,
      'good.test TXT @192.0.2.53': null,
      'good.test TXT @192.0.2.54': null,
      '80.2.0.192.in-addr.arpa PTR': 'good.test',
      '0.8.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa PTR': 'good.test',
    },
    ['mx-implicit', 'spf-missing', 'dane-missing'],
    {
      http: policy('version: STSv1\nmode: enforce\nmx: good.test\nmax_age: 604800\n'),
      record: ['spf-missing', undefined],
    },
  ),
  but(
    'a null MX of a domain that sends',
    { 'good.test MX': '0 .' },
    ['mx-null-sends', 'dmarc-rua-no-mail'],
    {},
  ),
  but(
    'a null MX beside others',
    { 'good.test MX': ['0 .', '10 mx1.good.test', '20 mx2.good.test'] },
    ['mx-null-mixed'],
    { fields: { mx: { state: 'invalid', nullMx: true } } },
  ),
  but('a mail host that is an alias', { 'mx2.good.test A': null, 'mx2.good.test CNAME': 'mx1.good.test' }, [
    'mx-alias',
  ]),
  but(
    'a mail host that is an alias, and has TLSA records at its own name',
    { 'mx2.good.test A': null, 'mx2.good.test CNAME': 'mx3.good.test', 'mx3.good.test A': '192.0.2.26' },
    ['mx-alias'],
  ),
  but('an address instead of a host', { 'good.test MX': ['10 mx1.good.test', '20 192.0.2.26'] }, [
    'mx-address-literal',
    'mta-sts-mx-partly',
  ]),
  but(
    'something that is no host name',
    {
      'good.test MX': ['10 mx1.good.test', '20 mx!2.good.test'],
      'mx!2.good.test A': '192.0.2.26',
      '26.2.0.192.in-addr.arpa PTR': 'mx!2.good.test',
    },
    ['mx-name-invalid'],
  ),
  but('a mail host without an address', { 'mx2.good.test A': null }, ['mx-no-address']),
  but(
    'no mail host that exists',
    { 'good.test MX': '10 gone.good.test' },
    ['mx-none-reachable', 'mx-no-ipv6', 'dane-missing'],
    { fields: { mx: { state: 'invalid' } } },
  ),
  but('a private address', { 'mx2.good.test A': '10.0.0.1' }, ['mx-private-address']),
  but(
    'four private addresses and a public one',
    {
      'good.test MX': '10 mx9.good.test',
      'mx9.good.test A': ['10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.4', '192.0.2.26'],
    },
    ['mx-private-address', 'mx-no-ipv6', 'dane-missing'],
  ),
  but(
    'the same host twice',
    { 'good.test MX': ['10 mx1.good.test', '20 mx2.good.test', '30 mx1.good.test'] },
    ['mx-duplicate'],
  ),
  but('two hosts that are one address', { 'mx2.good.test A': '192.0.2.25', 'mx1.good.test AAAA': null }, [
    'mx-single',
    'mx-no-ipv6',
  ]),
  but(
    'a host of which not every address is known',
    {
      'good.test MX': '10 mx1.good.test',
      'mx1.good.test AAAA': timeout,
    },
    [],
    { notTested: ['mx-single', 'mx-no-ipv6'] },
  ),
  but('one host with one address', { 'good.test MX': '10 mx2.good.test' }, ['mx-single', 'mx-no-ipv6']),
  but('an address without a name', { '26.2.0.192.in-addr.arpa PTR': null }, ['ptr-missing']),
  but('a name that does not lead back', { '26.2.0.192.in-addr.arpa PTR': 'mx1.good.test' }, [
    'ptr-not-confirmed',
  ]),
  but('names that cannot be read', { '26.2.0.192.in-addr.arpa PTR': timeout }, [], {
    notTested: ['ptr-missing', 'ptr-not-confirmed'],
  }),
  but(
    'addresses that cannot be read',
    {
      'mx1.good.test A': servfail,
      'mx1.good.test AAAA': servfail,
      'mx2.good.test A': servfail,
      'mx2.good.test AAAA': servfail,
    },
    [],
    {
      isSigned: false,
      notTested: ['mx-no-address', 'mx-private-address', 'mx-no-ipv6'],
      fields: { mx: { state: 'unknown' } },
    },
  ),
  but('the MX records fail for us alone', { 'good.test MX': plainServfail }, ['spf-lookup-failed'], {
    notTested: ['mx-lookup-failed'],
  }),
  but(
    'the MX records cannot be read',
    { 'good.test MX': servfail },
    ['mx-lookup-failed', 'spf-lookup-failed'],
    {
      notTested: [
        'mx-no-ipv4',
        'mx-implicit',
        'mx-alias',
        'mx-null-missing',
        'mta-sts-missing',
        'tls-rpt-missing',
        'dane-missing',
      ],
      fields: { mailMode: 'unknown', mx: { state: 'unknown' } },
      score: 69,
    },
  ),
];

// Whatever the other parts are.
function partsWith(part: string, state: string): unknown {
  return expect.arrayContaining([expect.objectContaining({ part, state })]);
}

const transportCases: readonly Case[] = [
  but('TLSA records that are not signed', {}, ['dane-without-dnssec'], {
    unsigned: ['_25._tcp.mx1.good.test'],
  }),
  but('a mail host whose address is not signed', {}, ['dane-without-dnssec'], {
    unsigned: ['mx2.good.test'],
  }),
  but('MX records that are not signed, of a provider whose hosts are', {}, [], { unsigned: ['good.test'] }),
  sts(
    'a tested policy that knows all hosts',
    policy('version: STSv1\nmode: testing\nmx: *.good.test\nmax_age: 604800\n'),
    ['mta-sts-testing'],
  ),
  but(
    'neither MTA-STS nor DANE',
    { ...hostsWithout, '_mta-sts.good.test TXT': null, 'mta-sts.good.test A': null },
    ['mta-sts-missing', 'dane-missing'],
    {
      fields: { mtaSts: { state: 'missing', policy: null } },
      record: ['mta-sts-missing', { name: '_mta-sts.good.test', type: 'TXT', value: 'v=STSv1; id=1' }],
    },
  ),
  but('DANE alone is enough', { '_mta-sts.good.test TXT': null, 'mta-sts.good.test A': null }, [], {
    score: 100,
  }),
  but('MTA-STS alone is enough', hostsWithout, ['dane-missing'], { score: 100 }),
  but('two MTA-STS records', { '_mta-sts.good.test TXT': ['v=STSv1; id=1', 'v=STSv1; id=2'] }, [
    'mta-sts-multiple',
  ]),
  but(
    'an id with hyphens',
    { '_mta-sts.good.test TXT': 'v=STSv1; id=2026-01-01' },
    ['mta-sts-record-syntax'],
    { fields: { mtaSts: { state: 'invalid' } } },
  ),
  but('a version in capitals', { '_mta-sts.good.test TXT': 'v=STSV1; id=1' }, ['mta-sts-record-syntax']),
  but('a policy without its record', { '_mta-sts.good.test TXT': null }, ['mta-sts-record-missing']),
  sts('a policy that is not there', { status: 404 }, ['mta-sts-policy-unreachable'], {
    fields: { mtaSts: { state: 'invalid' } },
  }),
  sts(
    'a policy host that does not exist',
    { kind: 'failure', url: '', code: 'name-not-found', reason: 'the name does not exist', address: null },
    ['mta-sts-policy-unreachable'],
  ),
  sts(
    'a policy host that gives no answer',
    { kind: 'failure', url: '', code: 'connection-timeout', reason: 'no answer', address: null },
    [],
    {
      notTested: [
        'mta-sts-policy-unreachable',
        'mta-sts-certificate',
        'mta-sts-redirect',
        'mta-sts-content-type',
        'mta-sts-policy-invalid',
        'mta-sts-mx-mismatch',
        'mta-sts-mx-mismatch-testing',
        'mta-sts-testing',
        'mta-sts-mode-none',
        'mta-sts-max-age-short',
      ],
      fields: { mtaSts: { state: 'unknown' } },
    },
  ),
  sts(
    'a policy host whose name gives no answer',
    { kind: 'failure', url: '', code: 'name-unresolved', reason: 'SERVFAIL', address: null },
    [],
    { notTested: ['mta-sts-policy-unreachable'], fields: { mtaSts: { state: 'unknown' } } },
  ),
  sts(
    'a policy host that we have no route to',
    { kind: 'failure', url: '', code: 'network-unreachable', reason: 'no route', address: null },
    [],
    { notTested: ['mta-sts-policy-unreachable'], fields: { mtaSts: { state: 'unknown' } } },
  ),
  sts(
    'a policy that stopped on the way',
    { body: { text: 'version: STSv1', wireBytes: 14, decodedBytes: 14, cut: 'timeout' } },
    [],
    { notTested: ['mta-sts-policy-invalid'], fields: { mtaSts: { state: 'unknown' } } },
  ),
  but('a policy without its record that cannot be fetched', { '_mta-sts.good.test TXT': null }, [], {
    http: { kind: 'failure', url: '', code: 'connection-timeout', reason: 'no answer', address: null },
    notTested: ['mta-sts-record-missing'],
  }),
  sts(
    'a certificate that is not trusted',
    { tls: { protocol: 'TLSv1.3', trusted: false, error: 'CERT_HAS_EXPIRED' } },
    ['mta-sts-certificate'],
  ),
  sts('a redirect', { status: 301, headers: [['Location', 'https://good.test/x']] }, ['mta-sts-redirect']),
  sts('a policy as HTML', { headers: [['content-type', 'text/html; charset=utf-8']] }, [
    'mta-sts-content-type',
  ]),
  sts('a policy that breaks the grammar', policy('version: STSv1\nmode: on\n'), ['mta-sts-policy-invalid']),
  sts(
    'a policy of more than 64 KB',
    policy(`version: STSv1\nmode: enforce\nmx: *.good.test\nmax_age: 604800\n${'x'.repeat(66_000)}`),
    ['mta-sts-policy-invalid'],
  ),
  sts(
    'a policy that shuts out a host',
    policy('version: STSv1\nmode: enforce\nmx: mx1.good.test\nmax_age: 604800\n'),
    ['mta-sts-mx-partly'],
    {
      fields: { mtaSts: { mxMatch: false } },
      score: 93,
    },
  ),
  sts(
    'a policy that shuts out every host',
    policy('version: STSv1\nmode: enforce\nmx: mx.other.test\nmax_age: 604800\n'),
    ['mta-sts-mx-mismatch'],
    { score: 69 },
  ),
  sts(
    'a tested policy that does not know a host',
    policy('version: STSv1\nmode: testing\nmx: mx1.good.test\nmax_age: 604800\n'),
    ['mta-sts-mx-mismatch-testing', 'mta-sts-testing'],
  ),
  sts('a policy that is switched off', policy('version: STSv1\nmode: none\nmax_age: 86400\n'), [
    'mta-sts-mode-none',
  ]),
  sts(
    'a policy with the address of a mail host',
    policy('version: STSv1\nmode: enforce\nmx: *.good.test\nmx: 192.0.2.25\nmax_age: 604800\n'),
    ['mta-sts-mx-address'],
  ),
  sts('a policy for an hour', policy('version: STSv1\nmode: enforce\nmx: *.good.test\nmax_age: 3600\n'), [
    'mta-sts-max-age-short',
  ]),
  but('the MX records cannot be read, the policy can', { 'good.test MX': timeout }, ['spf-lookup-failed'], {
    notTested: ['mta-sts-mx-mismatch'],
  }),
  but(
    'no DANE, and a policy that cannot be fetched: the part does not count',
    hostsWithout,
    ['dane-missing'],
    {
      http: { kind: 'failure', url: '', code: 'connection-timeout', reason: 'no answer', address: null },
      fields: { mailScoreParts: partsWith('transport', 'unknown') },
    },
  ),
  but('a host without TLSA', { '_25._tcp.mx2.good.test TLSA': null }, ['dane-partial']),
  but('TLSA without DNSSEC', {}, [], { isSigned: false, notTested: ['dane-without-dnssec'] }),
  but(
    'a TLSA record for the web',
    { '_25._tcp.mx1.good.test TLSA': ['1 1 1 ' + 'a'.repeat(64), '3 1 1 ' + 'b'.repeat(64)] },
    ['dane-unusable'],
  ),
  but(
    'good TLSA records at one host, and none to be seen at the other',
    { '_25._tcp.mx2.good.test TLSA': timeout },
    [],
    {
      lame: ['192.0.2.53', '192.0.2.54'],
      notTested: [
        'dane-partial',
        'dane-without-dnssec',
        'dane-unusable',
        'dane-bad-length',
        'dane-single-record',
      ],
    },
  ),
  but(
    'a TLSA digest that was cut',
    { '_25._tcp.mx1.good.test TLSA': ['3 1 1 ' + 'a'.repeat(62), '3 1 1 ' + 'b'.repeat(64)] },
    ['dane-bad-length'],
  ),
  but('one TLSA record', { '_25._tcp.mx1.good.test TLSA': '3 1 1 ' + 'a'.repeat(64) }, [
    'dane-single-record',
  ]),
  but(
    'TLSA records that cannot be read',
    {
      '_25._tcp.mx1.good.test TLSA': timeout,
      '_25._tcp.mx2.good.test TLSA': timeout,
      '_mta-sts.good.test TXT': null,
      'mta-sts.good.test A': null,
    },
    // What is seen to be missing is missing, whatever is not seen.
    ['mta-sts-missing'],
    {
      lame: ['192.0.2.53', '192.0.2.54'],
      score: 93,
      notTested: [
        'dane-missing',
        'dane-lookup-failed',
        'dane-partial',
        'dane-without-dnssec',
        'dane-unusable',
        'dane-bad-length',
        'dane-single-record',
      ],
    },
  ),
  but(
    'no MTA-STS and no TLSA: the same score as where it cannot be seen',
    { ...hostsWithout, ...withoutSts },
    ['dane-missing', 'mta-sts-missing'],
    { score: 93 },
  ),
  but(
    'TLSA records that our resolver does not get, and the zone’s servers do not have',
    { '_25._tcp.mx1.good.test TLSA': timeout, '_25._tcp.mx2.good.test TLSA': null },
    ['dane-missing'],
  ),
  but(
    'a TLSA lookup that the zone’s own servers refuse too',
    {
      '_25._tcp.mx1.good.test TLSA': plainServfail,
      '_25._tcp.mx1.good.test TLSA @192.0.2.53': plainServfail,
      '_25._tcp.mx1.good.test TLSA @192.0.2.54': timeout,
      ...withoutSts,
    },
    ['dane-lookup-failed', 'mta-sts-missing'],
    { score: 93 },
  ),
  but(
    'a TLSA lookup that fails validation, by the resolver’s word',
    { '_25._tcp.mx1.good.test TLSA': servfail },
    ['dane-lookup-failed'],
    { score: 93 },
  ),
  but(
    'a TLSA lookup that only succeeds without validation',
    {
      '_25._tcp.mx1.good.test TLSA': plainServfail,
      '_25._tcp.mx1.good.test TLSA +cd': '3 1 1 ' + 'a'.repeat(64),
    },
    ['dane-lookup-failed'],
  ),
  but(
    'a TLSA lookup that failed once',
    {
      '_25._tcp.mx1.good.test TLSA': plainServfail,
      '_25._tcp.mx1.good.test TLSA +cd': '3 1 1 ' + 'a'.repeat(64),
      '_25._tcp.mx1.good.test TLSA +again': '3 1 1 ' + 'a'.repeat(64),
    },
    [],
    { notTested: ['dane-lookup-failed', 'dane-partial'] },
  ),
  but(
    'no sender asks for the TLSA of a host whose addresses are not signed',
    {
      '_25._tcp.mx1.good.test TLSA': servfail,
      '_25._tcp.mx2.good.test TLSA': timeout,
      ...withoutSts,
    },
    ['dane-missing', 'mta-sts-missing'],
    { unsigned: ['mx1.good.test', 'mx2.good.test'], score: 93 },
  ),
  but(
    'the MTA-STS record cannot be read',
    { '_mta-sts.good.test TXT': servfail },
    ['mta-sts-lookup-failed'],
    {
      notTested: ['mta-sts-missing', 'mta-sts-record-syntax'],
      fields: { mtaSts: { state: 'unknown' } },
    },
  ),
  but('no TLS reporting', { '_smtp._tls.good.test TXT': null }, ['tls-rpt-missing'], {
    record: [
      'tls-rpt-missing',
      { name: '_smtp._tls.good.test', type: 'TXT', value: 'v=TLSRPTv1; rua=mailto:tls-reports@good.test' },
    ],
    score: 97,
  }),
  but(
    'two TLS reporting records',
    {
      '_smtp._tls.good.test TXT': [
        'v=TLSRPTv1; rua=mailto:a@good.test',
        'v=TLSRPTv1; rua=mailto:b@good.test',
      ],
    },
    ['tls-rpt-multiple'],
  ),
  but(
    'a TLS reporting address without mailto',
    { '_smtp._tls.good.test TXT': 'v=TLSRPTv1; rua=a@good.test' },
    ['tls-rpt-syntax'],
  ),
  but(
    'a TLS reporting address whose domain is gone',
    { '_smtp._tls.good.test TXT': 'v=TLSRPTv1; rua=mailto:x@gone.good.test,https://good.test/tls' },
    ['tls-rpt-rua-no-mail'],
  ),
  but(
    'a TLS reporting address whose domain gives no answer',
    { '_smtp._tls.good.test TXT': 'v=TLSRPTv1; rua=mailto:x@slow.test', 'slow.test MX': timeout },
    [],
    { notTested: ['tls-rpt-rua-no-mail'] },
  ),
  but('the TLS reporting record cannot be read', { '_smtp._tls.good.test TXT': servfail }, [], {
    notTested: ['tls-rpt-missing', 'tls-rpt-multiple', 'tls-rpt-syntax'],
    score: 100,
  }),
];

const bimiCases: readonly Case[] = [
  but('no BIMI record', { 'default._bimi.good.test TXT': null }, ['bimi-missing'], {
    score: 100,
    fields: { bimi: { state: 'missing' } },
  }),
  but('two BIMI records', { 'default._bimi.good.test TXT': ['v=BIMI1; l=', 'v=BIMI1; l='] }, [
    'bimi-multiple',
  ]),
  but(
    'a logo over http',
    { 'default._bimi.good.test TXT': 'v=BIMI1; l=http://good.test/x.svg' },
    ['bimi-syntax'],
    { score: 100 },
  ),
  but(
    'a logo without a certificate',
    { 'default._bimi.good.test TXT': 'v=BIMI1; l=https://good.test/x.svg' },
    ['bimi-no-certificate'],
  ),
  but(
    'no BIMI record of its own, and that of the organization cannot be read',
    {
      'default._bimi.good.test TXT': null,
      'default._bimi.test TXT': timeout,
      '_dmarc.test TXT': 'v=DMARC1; p=reject; rua=mailto:reports@good.test',
    },
    [],
    { notTested: ['bimi-missing', 'bimi-syntax'] },
  ),
  but(
    'weaker subdomains, where it is not known whether the record is that of the organization',
    {
      '_dmarc.good.test TXT': 'v=DMARC1; p=reject; sp=none; np=reject; rua=mailto:reports@good.test',
      '_dmarc.test TXT': timeout,
    },
    [],
    { notTested: ['bimi-without-dmarc', 'dmarc-subdomain-weaker'] },
  ),
  but('the BIMI record cannot be read', { 'default._bimi.good.test TXT': servfail }, [], {
    notTested: ['bimi-missing', 'bimi-syntax'],
    fields: { bimi: { state: 'unknown' } },
  }),
];

const parkedCases: readonly Case[] = [
  parkedBut('a parked domain that says so has full marks', {}, [], {
    score: 100,
    fields: {
      mailMode: 'parked',
      mx: { state: 'ok', nullMx: true },
      dkim: { state: 'not-applicable' },
      mtaSts: { state: 'not-applicable' },
    },
  }),
  parkedBut('a parked domain without SPF', { 'good.test TXT': null }, ['spf-missing-parked'], {
    record: ['spf-missing-parked', { name: 'good.test', type: 'TXT', value: 'v=spf1 -all' }],
  }),
  parkedBut('a parked domain that does not shut the door', { 'good.test TXT': 'v=spf1 ~all' }, [
    'spf-not-closed',
  ]),
  parkedBut(
    'a domain that takes no mail, and sends',
    { 'good.test TXT': 'v=spf1 a -all' },
    ['bimi-missing', 'dkim-none-possible', 'dmarc-rua-missing', 'mx-null-sends'],
    { fields: { mailMode: 'mail' } },
  ),
  parkedBut(
    'localhost as the mail host of a domain without senders',
    { 'good.test MX': '10 localhost' },
    ['mx-null-missing'],
    {
      record: ['mx-null-missing', { name: 'good.test', type: 'MX', value: '0 .' }],
      fields: { mailMode: 'parked' },
    },
  ),
  parkedBut(
    'a parked domain without a null MX and without an address',
    { 'good.test MX': null, 'good.test A': null },
    ['mx-null-missing'],
    { record: ['mx-null-missing', { name: 'good.test', type: 'MX', value: '0 .' }] },
  ),
  parkedBut(
    'a parked domain whose address takes mail all the same (RFC 5321 §5.1)',
    { 'good.test MX': null },
    ['mx-implicit'],
  ),
  parkedBut('a null MX with a preference', { 'good.test MX': '10 .' }, ['mx-null-preference']),
  parkedBut('a parked domain that only quarantines', { '_dmarc.good.test TXT': 'v=DMARC1; p=quarantine' }, [
    'dmarc-parked-not-reject',
  ]),
  parkedBut('a parked domain without DMARC', { '_dmarc.good.test TXT': null }, ['dmarc-missing'], {
    record: ['dmarc-missing', { name: '_dmarc.good.test', type: 'TXT', value: 'v=DMARC1; p=reject' }],
  }),
  {
    name: 'a domain that does not exist has no mail to judge',
    zone: { '_dmarc.test TXT': 'v=DMARC1; p=none; sp=quarantine; np=reject' },
    broken: [],
    score: null,
    fields: { dmarc: { effectivePolicy: 'reject', location: 'test' } },
  },
  {
    name: 'a domain of which nothing can be seen',
    zone: Object.fromEntries([
      ...Object.keys(goodZone).map((key) => [key, timeout]),
      ...[
        'good.test A',
        'good.test AAAA',
        '_domainkey.good.test TXT',
        'test._dmarc TXT',
        '_dmarc.test TXT',
      ].map((key) => [key, timeout]),
    ]),
    broken: [],
    score: null,
  },
];

/** Set-ups as providers run them, and what was once said of them wrongly. */
const usualCases: readonly Case[] = [
  parkedBut(
    'a website that has nothing to do with mail shuts the door',
    { 'good.test MX': null, 'good.test TXT': null },
    ['mx-implicit', 'spf-missing-parked'],
    // Its web server may send, although nothing says so.
    { record: ['spf-missing-parked', undefined] },
  ),
  spf('ptr as the only sender: no record without a sender is given', 'v=spf1 ptr -all', ['spf-ptr'], {
    record: ['spf-ptr', undefined],
  }),
  spf(
    'a dead include as the only sender: no record without a sender is given',
    'v=spf1 include:gone.test -all',
    ['spf-include-missing'],
    { record: ['spf-include-missing', undefined] },
  ),
  dmarc(
    'neither a policy nor reports: the policy is not raised blindly',
    'v=DMARC1; p=none',
    ['dmarc-policy-none', 'dmarc-rua-missing', 'bimi-without-dmarc'],
    {
      record: ['dmarc-policy-none', undefined],
    },
  ),
  but(
    'hosts of a provider for incoming mail need not be allowed to send',
    {
      'good.test TXT': 'v=spf1 include:_spf.google.com -all',
      'good.test TXT @192.0.2.53': 'v=spf1 include:_spf.google.com -all',
      'good.test TXT @192.0.2.54': 'v=spf1 include:_spf.google.com -all',
      '_spf.google.com TXT': 'v=spf1 ip4:203.0.113.0/24 -all',
      'good.test MX': ['1 aspmx.l.google.com', '5 alt1.aspmx.l.google.com'],
      'aspmx.l.google.com A': '192.0.2.25',
      'aspmx.l.google.com AAAA': '2001:db8::25',
      'alt1.aspmx.l.google.com A': '192.0.2.26',
    },
    ['dane-missing', 'mta-sts-mx-mismatch'],
  ),
  but(
    'a DMARC alias that leads nowhere',
    { '_dmarc.good.test TXT': null, '_dmarc.good.test CNAME': 'gone.test' },
    ['dmarc-alias-dangling', 'bimi-without-dmarc'],
  ),
  but(
    'an MTA-STS alias that leads nowhere',
    { '_mta-sts.good.test TXT': null, '_mta-sts.good.test CNAME': 'gone.test' },
    ['mta-sts-alias-dangling', 'mta-sts-record-missing'],
  ),
  but(
    'mail hosts with IPv6 alone',
    { 'mx1.good.test A': null, 'mx2.good.test A': null, 'mx2.good.test AAAA': '2001:db8::26' },
    ['mx-no-ipv4', 'ptr-missing'],
  ),
  dkim('a key of 512 bits is no good key', `v=DKIM1; k=rsa; p=${keys.rsa512}`, ['dkim-key-too-short'], {
    fields: { dkim: { state: 'invalid' } },
  }),
  but('a wildcard alias makes no selector', { '*.good.test CNAME': 'parking.example' }, []),
  but(
    'the second alias of Microsoft 365 waits for the next rotation',
    {
      'selector1._domainkey.good.test CNAME': 'selector1-good-test._domainkey.good.onmicrosoft.com',
      'selector2._domainkey.good.test CNAME': 'selector2-good-test._domainkey.good.onmicrosoft.com',
      'selector1-good-test._domainkey.good.onmicrosoft.com TXT': `v=DKIM1; k=rsa; p=${keys.rsa2048}`,
    },
    [],
  ),
  spf('a permerror passes nobody, whatever it says of all', 'v=spf1 mx nonsense:x +all', ['spf-syntax']),
  spf('a private network is no large one', 'v=spf1 mx ip4:10.0.0.0/8 -all', ['spf-range-private']),
  spf('many TXT records beside a short policy', ok, ['spf-record-size'], {
    zone: {
      'good.test TXT': [
        ok,
        ...Array.from({ length: 20 }, (_, at) => `site-verification=${at}${'x'.repeat(60)}`),
      ],
    },
  }),
  spf('a server that refers elsewhere has no policy of its own', ok, [], { lame: ['192.0.2.54'] }),
];

export const cases: readonly Case[] = [
  ...usualCases,
  but('a good domain has nothing against it', {}, [], {
    score: 100,
    fields: {
      mailMode: 'mail',
      spf: { state: 'ok', valid: true, lookups: 1 },
      dmarc: {
        state: 'ok',
        valid: true,
        location: 'good.test',
        orgDomain: 'good.test',
        effectivePolicy: 'reject',
      },
      dkim: { state: 'ok', subtreeExists: true },
      mtaSts: { state: 'ok', id: '1', mxMatch: true },
      tlsRpt: { state: 'ok' },
      bimi: { state: 'ok' },
      mx: { state: 'ok', nullMx: false, implicit: false },
    },
  }),
  ...spfCases,
  ...dmarcCases,
  ...dkimCases,
  ...mxCases,
  ...transportCases,
  ...bimiCases,
  ...bimiFileCases,
  ...parkedCases,
];
