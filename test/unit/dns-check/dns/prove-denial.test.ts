import { expect, test } from 'vitest';
import {
  type DenialChain,
  readNsec3Chain,
  readNsecChain,
} from '../../../../worker/checks/dns-check/dns/dnssec/denial-chain.ts';
import { hashName } from '../../../../worker/checks/dns-check/dns/dnssec/nsec3-hash.ts';
import { type Claimed, findGap } from '../../../../worker/checks/dns-check/dns/dnssec/prove-denial.ts';

const labels = (name: string) => (name === '' ? [] : name.split('.'));
const words = (text: string) => new Set(text.split(' ').filter((word) => word !== ''));
const noName = (name: string): Claimed => ({ kind: 'no-name', name: labels(name) });
const noType = (name: string, type: string): Claimed => ({ kind: 'no-type', name: labels(name), type });
const expansion = (name: string, count: number): Claimed => ({
  kind: 'expansion',
  name: labels(name),
  labels: count,
});

/** Lines "owner next types". */
const nsec = (...lines: readonly string[]): DenialChain =>
  readNsecChain(
    lines.map((line) => {
      const [, owner = '', next = '', types = ''] = /^(\S+) (\S+) ?(.*)$/.exec(line) ?? [];
      return { owner: labels(owner), next: labels(next), types: words(types) };
    }),
  );

/** Lines "hash next types", as RFC 5155 appendix A hashes: 12 iterations, salt aabbccdd, opt-out. */
const parameters = { iterations: 12, salt: 'aabbccdd' };
const nsec3 = (...lines: readonly string[]): DenialChain =>
  readNsec3Chain(
    lines.map((line) => {
      const [, hash = '', nextHash = '', types = ''] = /^(\S+) (\S+) ?(.*)$/.exec(line) ?? [];
      return { hash, nextHash, algorithm: 1, flags: 1, ...parameters, types: words(types) };
    }),
    ['example'],
  );

// RFC 4035 appendix A.
const apex = 'example a.example NS SOA MX RRSIG NSEC DNSKEY';
const wildcard = '*.w.example x.w.example MX RRSIG NSEC';
const last = 'xx.example example A HINFO AAAA RRSIG NSEC';
// RFC 5155 appendix A.
const apex3 =
  '0p9mhaveqvm6t7vbl5lop2u3t2rp3tom 2t7b4g4vsa5smi47k61mv5bv1a22bojr MX DNSKEY NS SOA NSEC3PARAM RRSIG';
const xw3 = 'b4um86eghhds6nea196smvmlo4ors995 gjeqe526plbf1g8mklp59enfd789njgi MX RRSIG';
const a3 = '35mthgpgcu1qg68fab165klnsnk3dpvl b4um86eghhds6nea196smvmlo4ors995 NS DS RRSIG';
const ns1at3 = '2t7b4g4vsa5smi47k61mv5bv1a22bojr 2vptu5timamqttgl4luu9kg21e0aor3s A RRSIG';
const ns2at3 = 'q04jkcevqvmu85r014c7dkba38o0ji5r r53bq7cc2uvmubfu5ocmm6pers9tk9en A RRSIG';
const yw3 = 'ji6neoaepv8b5o6k4ev33abha8ht9fgc k8udemvp1j2f7eg6jebps17vp3n8i58h';
const w3 = 'k8udemvp1j2f7eg6jebps17vp3n8i58h kohar7mbb8dc2ce8a9qvl8hon4k53uhi';
const wildcard3 = 'r53bq7cc2uvmubfu5ocmm6pers9tk9en t644ebqk9bibcna874givr6joj62mlhv MX RRSIG';

type Row = {
  readonly name: string;
  readonly chain: DenialChain;
  readonly claimed: Claimed;
};

const fromStandards: readonly Row[] = [
  {
    name: 'RFC 4035 B.2, name error',
    chain: nsec('b.example ns1.example NS RRSIG NSEC', apex),
    claimed: noName('ml.example'),
  },
  {
    name: 'RFC 4035 B.3, no data',
    chain: nsec('ns1.example ns2.example A RRSIG NSEC'),
    claimed: noType('ns1.example', 'MX'),
  },
  {
    name: 'RFC 4035 B.6, wildcard expansion',
    chain: nsec('x.y.w.example xx.example MX RRSIG NSEC'),
    claimed: expansion('a.z.w.example', 2),
  },
  {
    name: 'RFC 4035 B.7, wildcard no data',
    chain: nsec('x.y.w.example xx.example MX RRSIG NSEC', wildcard),
    claimed: noType('a.z.w.example', 'AAAA'),
  },
  { name: 'RFC 5155 B.1, name error', chain: nsec3(apex3, xw3, a3), claimed: noName('a.c.x.w.example') },
  { name: 'RFC 5155 B.2, no data', chain: nsec3(ns1at3), claimed: noType('ns1.example', 'MX') },
  {
    name: 'RFC 5155 B.2.1, a name that only has others below it',
    chain: nsec3(yw3),
    claimed: noType('y.w.example', 'A'),
  },
  { name: 'RFC 5155 B.4, wildcard expansion', chain: nsec3(ns2at3), claimed: expansion('a.z.w.example', 2) },
  {
    name: 'RFC 5155 B.5, wildcard no data',
    chain: nsec3(w3, ns2at3, wildcard3),
    claimed: noType('a.z.w.example', 'AAAA'),
  },
];

const asProvidersSign: readonly Row[] = [
  {
    name: 'compact denial says that the name has no type of its own (RFC 9824 §3.1)',
    chain: nsec('q.example \u0000.q.example RRSIG NSEC NXNAME'),
    claimed: noType('q.example', 'A'),
  },
  {
    name: 'compact denial with the response code restored (RFC 9824 §5)',
    chain: nsec('q.example \u0000.q.example RRSIG NSEC NXNAME'),
    claimed: noName('q.example'),
  },
  {
    name: 'compact denial as it was before NXNAME',
    chain: nsec('q.example \u0000.q.example RRSIG NSEC'),
    claimed: noType('q.example', 'A'),
  },
  {
    name: 'compact denial of a type at a name that is there: every other type is claimed',
    chain: nsec('example \u0000.example A NS SOA MX TXT AAAA CAA RRSIG NSEC DNSKEY HTTPS'),
    claimed: noType('example', 'SRV'),
  },
  {
    name: 'white lies: two narrow spans made for this question (RFC 4470)',
    chain: nsec('p~.example q!.example RRSIG NSEC', '!~.example +.example RRSIG NSEC'),
    claimed: noName('q.example'),
  },
  {
    name: 'narrow NSEC3, a hash on either side of each name (RFC 7129 appendix B)',
    chain: nsec3(
      apex3,
      ...['q.example', '*.example'].map((name) => {
        const hash = hashName(labels(name), parameters);
        const next = (by: number) =>
          `${hash.slice(0, -1)}${(Number.parseInt(hash.slice(-1), 32) + by).toString(32)}`;
        return `${next(-1)} ${next(1)} RRSIG`;
      }),
    ),
    claimed: noName('q.example'),
  },
  {
    name: 'the last name of the chain denies all that follow',
    chain: nsec(last, apex),
    claimed: noName('zz.example'),
  },
];

const broken: readonly (Row & { readonly gap: RegExp })[] = [
  { name: 'nothing at all', chain: nsec(), claimed: noName('ml.example'), gap: /no record covers the name/ },
  {
    name: 'the span of another name',
    chain: nsec('ns1.example ns2.example A RRSIG NSEC', apex),
    claimed: noName('ml.example'),
    gap: /no record covers the name/,
  },
  {
    name: 'no word of the wildcard',
    chain: nsec('b.example ns1.example NS RRSIG NSEC'),
    claimed: noName('ml.example'),
    gap: /no wildcard/,
  },
  {
    name: 'a wildcard that would have answered',
    chain: nsec('b.example ns1.example NS RRSIG NSEC', '*.example a.example A RRSIG NSEC'),
    claimed: noName('ml.example'),
    gap: /there is a wildcard/,
  },
  {
    name: 'NXDOMAIN beside a record of the very name',
    chain: nsec('q.example \u0000.q.example RRSIG NSEC'),
    claimed: noName('q.example'),
    gap: /says that the name exists/,
  },
  {
    name: 'no data, though the record has the type',
    chain: nsec('ns1.example ns2.example A RRSIG NSEC'),
    claimed: noType('ns1.example', 'A'),
    gap: /has A or CNAME/,
  },
  {
    name: 'no data, and a proof that there is no such name',
    chain: nsec('b.example ns1.example NS RRSIG NSEC', apex),
    claimed: noType('ml.example', 'A'),
    gap: /not NXDOMAIN/,
  },
  {
    name: 'a delegation denies nothing below itself (RFC 6840 §4.1)',
    chain: nsec('b.example ns1.example NS RRSIG NSEC', apex),
    claimed: noName('x.b.example'),
    gap: /no record covers the name/,
  },
  {
    name: 'NSEC3 without the closest encloser',
    chain: nsec3(apex3, a3),
    claimed: noName('a.c.x.w.example'),
    gap: /no record covers the name/,
  },
  {
    name: 'NSEC3 without the next closer name',
    chain: nsec3(xw3, a3),
    claimed: noName('a.c.x.w.example'),
    gap: /no record covers the name/,
  },
  {
    name: 'NSEC3 without the wildcard',
    chain: nsec3(apex3, xw3),
    claimed: noName('a.c.x.w.example'),
    gap: /no wildcard/,
  },
  {
    name: 'an expanded wildcard beside no word of the name itself',
    chain: nsec3(apex3),
    claimed: expansion('a.z.w.example', 2),
    gap: /beside the wildcard/,
  },
];

test.for([...fromStandards, ...asProvidersSign])('$name', ({ chain, claimed }) => {
  expect(findGap(chain, claimed)).toBeUndefined();
});

test.for(broken)('no proof: $name', ({ chain, claimed, gap }) => {
  expect(findGap(chain, claimed)).toMatch(gap);
});

// RFC 5155 appendix A.
const hashes: readonly (readonly [name: string, hash: string])[] = [
  ['example', '0p9mhaveqvm6t7vbl5lop2u3t2rp3tom'],
  ['a.example', '35mthgpgcu1qg68fab165klnsnk3dpvl'],
  ['ai.example', 'gjeqe526plbf1g8mklp59enfd789njgi'],
  ['ns1.example', '2t7b4g4vsa5smi47k61mv5bv1a22bojr'],
  ['*.w.example', 'r53bq7cc2uvmubfu5ocmm6pers9tk9en'],
  ['x.y.w.example', '2vptu5timamqttgl4luu9kg21e0aor3s'],
  ['xx.example', 't644ebqk9bibcna874givr6joj62mlhv'],
];
test.for(hashes)('%s hashes to %s', ([name, hash]) => {
  expect(hashName(labels(name), parameters)).toBe(hash);
});
