import type { Answer } from 'dns-packet';
import type { Zones } from './name-servers.ts';

/** name → type → values, as dns-packet takes them. A name without the type is NODATA, one that is not there NXDOMAIN. */
export type Records = { readonly [name: string]: { readonly [type: string]: readonly unknown[] } };

type Asked = { readonly name: string; readonly type: string };

export type Found = {
  readonly rcode: 'NOERROR' | 'NXDOMAIN';
  readonly answers: readonly Answer[];
  readonly authority: readonly Answer[];
};

const ttl = 60;

/** The zones that a name is in, the innermost first. */
export function holders(zones: Zones, name: string): readonly string[] {
  const labels = name === '' ? [] : name.split('.');
  const suffixes = [...labels.map((_, at) => labels.slice(at).join('.')), ''];
  return suffixes.filter((suffix) => Object.hasOwn(zones, suffix));
}

/** What a name server of `zone` says: its own data, or where a zone below begins. */
export function lookUp(
  zones: Zones,
  zone: string,
  asked: Asked,
): Found & { isAuthoritative: boolean; additional: readonly Answer[] } {
  const [inner = zone] = holders(zones, asked.name);
  const isBelow = inner !== zone && !(asked.type === 'DS' && asked.name === inner);
  if (!isBelow) return { ...inZone(zones, zone, asked), isAuthoritative: true, additional: [] };
  const names = valuesOf(zones, inner, { name: inner, type: 'NS' }) as readonly string[];
  const glue = names.flatMap((name) => recordsOf(zones, inner, { name, type: 'A' }));
  const authority = recordsOf(zones, inner, { name: inner, type: 'NS' });
  return { rcode: 'NOERROR', answers: [], authority, isAuthoritative: false, additional: glue };
}

/** What a resolver says, aliases followed. */
export function resolve(zones: Zones, { name, type }: Asked, hops = 0): Found {
  const [own = '', above = ''] = holders(zones, name);
  const found = inZone(zones, type === 'DS' && own === name ? above : own, { name, type });
  const [alias] = found.answers;
  if (alias?.type !== 'CNAME' || type === 'CNAME' || hops > 8) return found;
  const next = resolve(zones, { name: alias.data, type }, hops + 1);
  return { ...next, answers: [...found.answers, ...next.answers] };
}

function inZone(zones: Zones, zone: string, { name, type }: Asked): Found {
  const names = Object.keys(zones[zone] ?? {});
  const isThere = names.some((owner) => isWithin(owner, name)) || holders(zones, name)[0] === name;
  const records = recordsOf(zones, zone, { name, type });
  const answers = records.length > 0 ? records : recordsOf(zones, zone, { name, type: 'CNAME' });
  const authority = answers.length > 0 ? [] : recordsOf(zones, zone, { name: zone, type: 'SOA' });
  return { rcode: isThere ? 'NOERROR' : 'NXDOMAIN', answers, authority };
}

function recordsOf(zones: Zones, zone: string, { name, type }: Asked): Answer[] {
  return valuesOf(zones, zone, { name, type }).map(
    (data) => ({ name: name === '' ? '.' : name, type, ttl, data }) as unknown as Answer,
  );
}

function valuesOf(zones: Zones, zone: string, { name, type }: Asked): readonly unknown[] {
  const records = zones[zone] ?? {};
  const types = Object.hasOwn(records, name) ? records[name] : undefined;
  return (types && Object.hasOwn(types, type) ? types[type] : undefined) ?? [];
}

function isWithin(name: string, zone: string): boolean {
  return zone === '' || name === zone || name.endsWith(`.${zone}`);
}
