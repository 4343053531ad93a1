import { createHash, X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { skipReason } from '../dns-check/debian-tools.ts';
import { openSignedLab, type SignedLab } from '../dns-check/signed-lab.ts';
import { addressesIn, type LabZone } from '../dns-check/zones.ts';
import type { KeyAndCertificate } from '../kit/certificates.ts';
import type { Script } from './mail-server.ts';
import { type MailWorld, openMailWorld } from './world.ts';

const block = 58;
const reason = skipReason('DANE over signed zones');

/** Where servers are, by what they do. */
const at = { good: '127.0.0.185', bare: '127.0.0.186', strange: '127.0.0.187' } as const;

type Row = {
  readonly name: string;
  /** Of the domain's own zone, behind its name servers. */
  readonly text: string;
  readonly zone?: Pick<LabZone, 'signing' | 'ds' | 'damage'>;
  readonly dane: string;
  readonly broken: readonly string[];
  /** The name that the first server of the domain was asked for. */
  readonly servername?: string;
};

const p256 = { signing: { algorithm: 'ECDSAP256SHA256' } };
const unverified = ['smtp-certificate-unverified'];
const mx = (host: string) => `@ MX 10 ${host}\n`;
const own = (address: string) => `${mx('mx')}mx A ${address}\n`;
const mismatch = ['dane-certificate-mismatch'];

/** The rows, for which the records of GOOD (the server's key) and OTHER (of nobody's) are put in. */
const rows: { readonly [domain: string]: Row } = {
  'own.test': {
    name: 'a record of the key that is shown',
    text: `${own(at.good)}_25._tcp.mx TLSA 3 1 1 GOOD\n`,
    zone: p256,
    dane: 'ok',
    broken: [],
    servername: 'mx.own.test',
  },
  'far.test': {
    name: 'a host of another signed zone',
    text: mx('mx.provider.test.'),
    zone: p256,
    dane: 'ok',
    broken: [],
    servername: 'mx.provider.test',
  },
  'far-wrong.test': {
    name: 'a host of another signed zone, whose record is of another key',
    text: mx('wrong.provider.test.'),
    zone: p256,
    dane: 'mismatch',
    broken: mismatch,
  },
  'customer.test': {
    name: 'a host of a signed zone, named by a zone that is not: senders hold it to its records all the same',
    text: mx('wrong.provider.test.'),
    dane: 'mismatch',
    broken: mismatch,
  },
  'alias.test': {
    name: 'an alias whose whole way is signed: the records are at its end',
    text: `${mx('mx')}mx CNAME mx.provider.test.\n`,
    zone: p256,
    dane: 'ok',
    broken: [],
    servername: 'mx.provider.test',
  },
  'two-aliases.test': {
    name: 'an alias of an alias',
    text: `${mx('mx')}mx CNAME next\nnext CNAME mx.provider.test.\n`,
    zone: p256,
    dane: 'ok',
    broken: [],
    servername: 'mx.provider.test',
  },
  'alias-wrong.test': {
    name: 'an alias to a host whose record is of another key',
    text: `${mx('mx')}mx CNAME wrong.provider.test.\n_25._tcp.mx TLSA 3 1 1 GOOD\n`,
    zone: p256,
    dane: 'mismatch',
    broken: mismatch,
  },
  'alias-out.test': {
    name: 'an alias into a zone that is not signed: the records at its beginning count',
    text: `${mx('mx')}mx CNAME mx.unsigned.test.\n_25._tcp.mx TLSA 3 1 1 GOOD\n`,
    zone: p256,
    dane: 'ok',
    broken: [],
    servername: 'mx.alias-out.test',
  },
  'alias-in.test': {
    name: 'an alias of a zone that is not signed proves nothing, wherever it leads, and the host is asked for by its own name',
    text: `${mx('mx')}mx CNAME wrong.provider.test.\n`,
    dane: 'insecure',
    broken: unverified,
    servername: 'mx.alias-in.test',
  },
  'unsigned.test': {
    name: 'records of a zone that is not signed mean nothing',
    text: `${own(at.good)}_25._tcp.mx TLSA 3 1 1 OTHER\n`,
    dane: 'insecure',
    broken: unverified,
  },
  'island.test': {
    name: 'the same where a zone is signed and its parent does not say so',
    text: `${own(at.good)}_25._tcp.mx TLSA 3 1 1 OTHER\n`,
    zone: { ...p256, ds: 'none' },
    dane: 'insecure',
    broken: unverified,
  },
  'roll-over.test': {
    name: 'a roll-over: the record of the next key beside that of the key that is shown',
    text: `${own(at.good)}_25._tcp.mx TLSA 3 1 1 OTHER\n_25._tcp.mx TLSA 3 1 1 GOOD\n`,
    zone: p256,
    dane: 'ok',
    broken: [],
  },
  'rolled.test': {
    name: 'a roll-over that forgot the record',
    text: `${own(at.strange)}_25._tcp.mx TLSA 3 1 1 GOOD\n`,
    zone: p256,
    dane: 'mismatch',
    broken: mismatch,
  },
  'pkix.test': {
    name: 'the usages 0 and 1 cannot be used by senders, whatever they are of',
    text: `${own(at.good)}_25._tcp.mx TLSA 0 0 1 OTHER\n_25._tcp.mx TLSA 1 1 1 OTHER\n`,
    zone: p256,
    dane: 'unusable',
    broken: unverified,
  },
  'pkix-bare.test': {
    name: 'they oblige senders to encrypt',
    text: `${own(at.bare)}_25._tcp.mx TLSA 1 1 1 GOOD\n`,
    zone: p256,
    dane: 'mismatch',
    broken: ['starttls-missing', 'dane-starttls-missing'],
  },
  'pkix-beside.test': {
    name: 'beside one of usage 3 they do not count',
    text: `${own(at.good)}_25._tcp.mx TLSA 1 1 1 OTHER\n_25._tcp.mx TLSA 3 1 1 GOOD\n`,
    zone: p256,
    dane: 'ok',
    broken: [],
  },
  'bare.test': {
    name: 'a record, and no STARTTLS',
    text: `${own(at.bare)}_25._tcp.mx TLSA 3 1 1 GOOD\n`,
    zone: p256,
    dane: 'mismatch',
    broken: ['starttls-missing', 'dane-starttls-missing'],
  },
  'none.test': {
    name: 'a signed zone without records',
    text: own(at.good),
    zone: p256,
    dane: 'none',
    broken: unverified,
  },
  'wild.test': {
    name: 'records by a wildcard, beside a host that has none of its own',
    text: `${own(at.good)}*._tcp.mx TLSA 3 1 1 GOOD\n`,
    zone: p256,
    dane: 'ok',
    broken: [],
  },
  'pointed.test': {
    name: 'records that an alias of their own name leads to, as for many hosts of one key',
    text: `${own(at.good)}_25._tcp.mx CNAME _dane\n_dane TLSA 3 1 1 GOOD\n`,
    zone: p256,
    dane: 'ok',
    broken: [],
    servername: 'mx.pointed.test',
  },
  'nowhere.test': {
    name: 'a zone that cannot prove what it lacks: nobody can tell whether there are records',
    text: own(at.good),
    zone: { ...p256, damage: { of: 'proofs' } },
    dane: 'unknown',
    broken: unverified,
  },
};

const provider = `mx A ${at.good}\nwrong A ${at.good}\n_25._tcp.mx TLSA 3 1 1 GOOD\n_25._tcp.wrong TLSA 3 1 1 OTHER\n`;

function zonesFor(good: string, other: string): { readonly [name: string]: LabZone } {
  const head = `$TTL 3600\n@ SOA ns1 hostmaster 1 14400 3600 1209600 3600\n@ NS ns1\n@ NS ns2\nns1 A 127.${block}.1.1\nns2 A 127.${block}.2.1\n`;
  const all: { readonly [domain: string]: Pick<Row, 'text' | 'zone'> } = {
    ...rows,
    'provider.test': { text: provider, zone: p256 },
  };
  return Object.fromEntries(
    Object.entries(all).map(([domain, { text, zone = {} }]) => [
      domain,
      { ...zone, text: `${head}${text.replaceAll('GOOD', good).replaceAll('OTHER', other)}` },
    ]),
  );
}

const digest = ({ cert }: Pick<KeyAndCertificate, 'cert'>) =>
  createHash('sha256')
    .update(new X509Certificate(cert).publicKey.export({ type: 'spki', format: 'der' }))
    .digest('hex');

describe.skipIf(reason !== undefined)('DANE over a resolver that validates', () => {
  let lab: SignedLab;
  let world: MailWorld;
  let unvalidated: MailWorld;
  let asked: string[] = [];
  beforeAll(async () => {
    const { resolver, plainResolver } = addressesIn(block);
    world = await openMailWorld({}, { settings: { DNS_SERVERS: resolver } });
    unvalidated = await openMailWorld({}, { settings: { DNS_SERVERS: plainResolver } });
    // For no name that a row has: what holds, holds by DANE alone.
    const leaf = await world.authority.issue(['elsewhere.test']);
    const other = await world.authority.issue(['other.test']);
    const scripts: { readonly [S in keyof typeof at]: Script } = {
      good: { tls: leaf, onName: (name) => void asked.push(name) },
      bare: { extensions: ['SIZE 1'] },
      strange: { tls: other },
    };
    for (const one of ['good', 'bare', 'strange'] as const)
      await world.serve(Number(at[one].split('.')[3]), scripts[one]);
    await unvalidated.serve(186, scripts.bare);
    lab = await openSignedLab(block, zonesFor(digest(leaf), digest(world.authority)));
  }, 120_000);
  afterAll(async () => {
    await Promise.all([lab.close(), world.close(), unvalidated.close()]);
  });

  test.for(Object.entries(rows).map(([domain, row]) => ({ domain, ...row })))(
    '$domain: $name',
    async ({ domain, dane, broken, servername }) => {
      asked = [];
      const seen = await world.checkAnew(domain);
      expect(seen.addresses[0]).toMatchObject({ dane: { state: dane } });
      expect(seen.broken).toEqual(broken);
      expect(new Set(servername === undefined ? [] : asked)).toEqual(
        new Set(servername === undefined ? [] : [servername]),
      );
      const ofDane = seen.report.findings.filter(({ code }) => code.startsWith('dane-'));
      expect(ofDane.filter(({ severity }) => severity !== 'critical')).toEqual([]);
    },
  );

  test('a zone whose signatures cannot be proved is told for what it is', async () => {
    const { notTested } = await world.checkAnew('nowhere.test');
    expect(notTested.get('dane-certificate-mismatch')).toMatch(
      /_25\._tcp\.mx\.nowhere\.test could not be read/,
    );
  });

  test('by a resolver that does not validate nothing can be told', async () => {
    const { addresses, broken, notTested } = await unvalidated.checkAnew('bare.test');
    expect(addresses[0]).toMatchObject({ dane: { state: 'unknown' } });
    expect(broken).not.toContain('dane-starttls-missing');
    expect(notTested.get('dane-starttls-missing')).toContain('our resolver does not validate DNSSEC');
  });
});
