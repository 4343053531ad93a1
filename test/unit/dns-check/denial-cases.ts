import { apexTypes } from '../../../worker/checks/dns-check/halves.ts';
import type { DnsRecord } from '../../../worker/probes/dns/port.ts';
import type { Case } from './case.ts';
import type { Change } from './good-world.ts';

type Records = readonly DnsRecord[];

const withoutProofs = (records: Records): Records => records.filter(({ type }) => !type.startsWith('NSEC'));
const withoutSignatures = (records: Records): Records =>
  records.filter(({ data }) => (data as { typeCovered?: unknown }).typeCovered !== 'NSEC');
const changed = (records: Records): Records =>
  records.map((record) => (record.type === 'NSEC' ? { ...record, rdata: '00' } : record));
const one = (manner: NonNullable<Change['servers']>[string]): Change => ({
  servers: { '198.51.100.1': manner },
});
const proofs = ['dnssec-denial-invalid', 'dnssec-server-denial-invalid'] as const;

/** How a signed zone proves that a name or a type is not there. */
export const denialCases: readonly Case[] = [
  { name: 'a zone that denies by NSEC', change: {}, broken: [], score: 100 },
  { name: 'a zone that denies by NSEC3', change: { nsec3: {} }, broken: [], score: 100 },
  {
    name: 'a way to the resolver that strips EDNS, but for the long answer with the keys',
    change: { resolver: { strips: apexTypes.filter((type) => type !== 'DNSKEY') } },
    broken: [],
    notTested: ['dnssec-signature-invalid'],
  },
  {
    name: 'a set without a signature, where EDNS came and others are signed',
    change: {
      afterSigning: (records) =>
        records.filter(({ data }) => (data as { typeCovered?: unknown }).typeCovered !== 'MX'),
    },
    broken: ['dnssec-signature-invalid'],
  },
  {
    name: 'name servers whose EDNS does not arrive here',
    change: { servers: { '192.0.2.1': { edns: 'ignores' }, '198.51.100.1': { edns: 'ignores' } } },
    broken: ['ns-edns-broken'],
    unjudged: [],
  },
  ...[{}, { nsec3: {} }].flatMap((change): readonly Case[] => [
    {
      name: `a host that the chain skips ${JSON.stringify(change)}`,
      change: { ...change, chainWithout: ['mail.good.test'] },
      broken: ['dnssec-denial-hides'],
    },
    {
      name: `a policy that the chain skips ${JSON.stringify(change)}`,
      change: {
        ...change,
        add: ['_dmarc.good.test 3600 TXT v=DMARC1; p=reject'],
        chainWithout: ['_dmarc.good.test'],
      },
      broken: ['dnssec-denial-hides'],
    },
    {
      name: `an alias that the chain skips ${JSON.stringify(change)}`,
      change: {
        ...change,
        add: ['_dmarc.good.test 3600 CNAME host.other.test'],
        chainWithout: ['_dmarc.good.test'],
      },
      broken: ['dnssec-denial-hides'],
    },
    {
      name: `a type that the chain lacks ${JSON.stringify(change)}`,
      change: { ...change, chainWithout: ['@ 3600 MX'] },
      broken: ['dnssec-denial-hides'],
    },
    {
      name: `a wildcard for a policy is there by itself ${JSON.stringify(change)}`,
      change: { ...change, add: ['*.good.test 3600 TXT v=DMARC1; p=reject'] },
      broken: [],
    },
  ]),
  {
    name: 'a host that the chain skips by spans that opt out',
    change: { nsec3: { flags: 1 }, chainWithout: ['mail.good.test'] },
    broken: ['dnssec-nsec3-opt-out'],
  },
  {
    name: 'a host that one server has, and another at the same serial does not (RFC 8901)',
    change: {
      servers: { '192.0.2.1': { lacks: 'MX' } },
    },
    broken: ['mx-inconsistent-servers'],
  },
  {
    name: 'a wildcard answers with the proof that the name itself is not there',
    change: { add: ['*.good.test 3600 A 192.0.2.80'] },
    broken: ['wildcard-present'],
  },
  {
    name: 'a wildcard of another type denies the address',
    change: { add: ['*.good.test 3600 TXT x'] },
    broken: [],
  },
  {
    name: 'the same with NSEC3',
    change: { add: ['*.good.test 3600 TXT x'], nsec3: {} },
    broken: [],
  },
  {
    name: 'a wildcard that answers without the proof',
    change: { add: ['*.good.test 3600 A 192.0.2.80'], afterSigning: withoutProofs },
    broken: ['wildcard-present', 'dnssec-denial-invalid'],
  },
  {
    name: 'no server proves anything',
    change: { afterSigning: withoutProofs },
    broken: ['dnssec-denial-invalid'],
    score: 50,
  },
  {
    name: 'proofs without signatures',
    change: { afterSigning: withoutSignatures },
    broken: ['dnssec-denial-invalid'],
    score: 50,
  },
  {
    name: 'proofs that were changed after signing',
    change: { afterSigning: changed },
    broken: ['dnssec-denial-invalid'],
    score: 50,
  },
  {
    name: 'NSEC3 of a hash that nobody knows (RFC 5155 §8.1)',
    change: { nsec3: { algorithm: 2 } },
    broken: ['dnssec-denial-invalid'],
    score: 50,
  },
  {
    name: 'NSEC3 with a flag that nobody knows (RFC 5155 §8.2)',
    change: { nsec3: { flags: 2 } },
    broken: ['dnssec-denial-invalid'],
    score: 50,
  },
  {
    name: 'NSEC3 with five iterations and a salt still proves',
    change: { nsec3: { iterations: 5, salt: 'abcd' } },
    broken: ['dnssec-nsec3-iterations', 'dnssec-nsec3-salt'],
  },
  {
    name: 'NSEC3 with more iterations than any resolver computes is not computed here either',
    change: { nsec3: { iterations: 500 } },
    broken: ['dnssec-nsec3-iterations'],
    notTested: proofs,
  },
  {
    name: 'NSEC3 with opt-out',
    change: { nsec3: { flags: 1 } },
    broken: ['dnssec-nsec3-opt-out'],
    score: 100,
  },
  {
    name: 'one server that leaves out its proofs',
    change: one({ proves: false }),
    broken: ['dnssec-server-denial-invalid'],
    score: 70,
  },
  {
    name: 'where the zone’s signatures do not hold, its proofs are not looked at',
    change: { signatures: { fromS: -30 * 86_400, untilS: -86_400 } },
    broken: ['dnssec-signature-invalid'],
    notTested: proofs,
  },
  {
    name: 'a signed zone that the parent does not know has nothing to prove',
    change: { ds: [], afterSigning: withoutProofs },
    broken: ['dnssec-ds-missing'],
  },
];
