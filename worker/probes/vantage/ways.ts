import { largeAnswersText, vantageKinds, type VantageKind, vantageTexts } from '#shared/model/vantage';

export type Family = 4 | 6;

/** Kinds that one family of addresses may lack alone. */
const ofFamily = ['dns-direct', 'dns-tcp', 'edns', 'https', 'large-packets'] as const;
type FamilyKind = (typeof ofFamily)[number];

/** What a control tells of: a kind, or one of its families. "tcp" is that of a family which passes all else. */
export type Way =
  | Exclude<VantageKind, FamilyKind>
  | `${FamilyKind | 'tcp'}/${Family}`
  | 'resolver/large'
  // IPv4 through a translator.
  | 'nat64';

/** What an operator is told of it. */
export function textOf(way: Way): (typeof vantageTexts)[VantageKind] {
  return way === 'resolver/large' ? largeAnswersText : vantageTexts[kindOf(way)];
}

/** The kind that a reader is told of. */
export function kindOf(way: Way): VantageKind {
  if (way === 'tcp/6') return 'ipv6';
  if (way === 'tcp/4' || way === 'nat64') return 'ipv4';
  return way.split('/')[0] as VantageKind;
}

export function familyKind(family: Family): 'ipv4' | 'ipv6' {
  return family === 4 ? 'ipv4' : 'ipv6';
}

export function familyOf(address: string): Family {
  return address.includes(':') ? 6 : 4;
}

export function otherFamily(family: Family): Family {
  return family === 4 ? 6 : 4;
}

/** The kinds of some ways, each once, in the order of the kinds. */
export function kindsOf(ways: Iterable<Way>): readonly VantageKind[] {
  const kinds = new Set([...ways].map(kindOf));
  return vantageKinds.filter((kind) => kinds.has(kind));
}
