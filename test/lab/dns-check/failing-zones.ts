import { failureCodes } from '#shared/catalogue/dns-check/failures';
import type { DnsCheckCode } from '#shared/catalogue/dns-check/rules';
import type { Manner, Question } from './relay.ts';
import type { LabZone } from './zones.ts';

export const ways = ['SERVFAIL', 'REFUSED', 'silence'] as const satisfies readonly Manner[];
type Way = (typeof ways)[number];
const kinds = {
  mx: { label: '', type: 'MX', code: failureCodes.MX },
  spf: { label: '', type: 'TXT', code: failureCodes.SPF },
  dmarc: { label: '_dmarc', type: 'TXT', code: failureCodes.DMARC },
  tlsa: { label: '_25._tcp.mail', type: 'TLSA', code: failureCodes.TLSA },
  sts: { label: '_mta-sts', type: 'TXT', code: failureCodes['MTA-STS'] },
  caa: { label: '', type: 'CAA', code: failureCodes.CAA },
  // Nobody is hurt where the record of an abandoned type is not seen.
  spf99: { label: '', type: 'SPF', code: undefined },
  https: { label: '', type: 'HTTPS', code: undefined },
} as const;
type Kind = keyof typeof kinds;

/** Where a lookup fails: at the name itself, at a name above the one that is checked, or where an alias of it leads. */
export const places = ['name', 'parent', 'alias'] as const;
type Place = (typeof places)[number];

/** Only these are looked for above a name; an alias of the whole name has its own kinds. */
const above: readonly Kind[] = ['dmarc', 'caa'];

export type FailingRow = {
  readonly kind: Kind;
  readonly way: Way;
  readonly place: Place;
  readonly domain: string;
  readonly code: DnsCheckCode | undefined;
};

export const failingRows: readonly FailingRow[] = ways.flatMap((way) =>
  (Object.keys(kinds) as Kind[]).flatMap((kind) =>
    places
      .filter((place) => place !== 'parent' || above.includes(kind))
      .map((place) => ({ kind, way, place, domain: domainOf(kind, way, place), code: kinds[kind].code })),
  ),
);

function domainOf(kind: Kind, way: Way, place: Place): string {
  const zone = `${way.toLowerCase()}-${kind}.test`;
  if (place === 'name') return zone;
  if (place === 'parent') return `sub.${zone}`;
  return kinds[kind].label === '' ? `www.alias-${zone}` : `alias-${zone}`;
}

/** The zones of all rows, signed, with good mail. */
export function failingZones(block: number): { readonly [name: string]: LabZone } {
  const head = `$TTL 3600\n@ SOA ns1 hostmaster 1 14400 3600 1209600 3600\n@ NS ns1\n@ NS ns2\nns1 A 127.${block}.1.1\nns2 A 127.${block}.2.1\n@ A 192.0.2.80\n`;
  const good: Record<string, string> = {
    mx: '@ MX 10 mail\nmail A 192.0.2.25\n',
    spf: '@ TXT "v=spf1 mx -all"\n',
    dmarc: '_dmarc TXT "v=DMARC1; p=reject"\n',
    tlsa: `_25._tcp.mail TLSA 3 1 1 ${'ab'.repeat(32)}\n`,
    sts: '_mta-sts TXT "v=STSv1; id=1"\n',
    caa: '@ CAA 0 issue "ca.example"\n',
  };
  const text = `${head}${Object.values(good).join('')}sub A 192.0.2.81\nsub MX 10 mail\nsub TXT "v=spf1 mx -all"\n`;
  const signing = { algorithm: 'ECDSAP256SHA256' };
  return Object.fromEntries(
    ways.flatMap((way) =>
      (Object.keys(kinds) as Kind[]).flatMap((kind) => {
        const target = `${way.toLowerCase()}-${kind}.test`;
        const { label } = kinds[kind];
        const alias = label === '' ? `www CNAME ${target}.\n` : `${label} CNAME ${label}.${target}.\n`;
        const without = label === '' ? text : text.replace(good[kind] ?? '', '');
        return [
          [target, { text, signing }],
          [`alias-${target}`, { text: `${without}${alias}`, signing }],
        ];
      }),
    ),
  );
}

/** How the name servers of these zones answer. */
export function mannerOf({ name, type }: Question): Manner {
  const zone = name.split('.').slice(-2).join('.');
  for (const way of ways)
    for (const [kind, { label, type: failing }] of Object.entries(kinds)) {
      const own = `${way.toLowerCase()}-${kind}.test`;
      if (zone !== own) continue;
      const isFailing =
        type === failing || type === `UNKNOWN_${numbers[failing]}` || type === String(numbers[failing]);
      return isFailing && name === (label === '' ? own : `${label}.${own}`) ? way : 'answers';
    }
  return 'answers';
}

const numbers: { readonly [type: string]: number } = {
  TLSA: 52,
  SPF: 99,
  HTTPS: 65,
  CAA: 257,
  MX: 15,
  TXT: 16,
};
