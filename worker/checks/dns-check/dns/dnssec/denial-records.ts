import type { Json } from '#shared/model/verdict';
import { parseName } from '../../../../dns/name.ts';
import { isObject, readAll } from '../../../../dns/record-values.ts';
import type { DnsRecord } from '../../../../probes/dns/port.ts';

/** An NSEC record: no name lies between its owner and `nextName`, and the owner has these types alone (RFC 4034 §4). */
export type Nsec = {
  /** Labels in lower case. */
  readonly owner: readonly string[];
  readonly next: readonly string[];
  readonly types: ReadonlySet<string>;
};

/** An NSEC3 record: the same of hashed names (RFC 5155 §3). */
export type Nsec3 = {
  /** Base32hex in lower case: the first label of the owner. */
  readonly hash: string;
  readonly nextHash: string;
  /** 1 is SHA-1, the only one there is. */
  readonly algorithm: number;
  /** Bit 0 is opt-out: between the two there may be delegations without DNSSEC. */
  readonly flags: number;
  readonly iterations: number;
  /** Lower-case hex. */
  readonly salt: string;
  readonly types: ReadonlySet<string>;
};

/** A proof has four records at most (RFC 5155 §7.2); more are made to cost time. */
const recordLimit = 6;

/** The records of denial in a section of an answer. */
export function denialRecordsIn(section: readonly DnsRecord[]): readonly DnsRecord[] {
  return section.filter(({ type }) => type === 'NSEC' || type === 'NSEC3').slice(0, recordLimit);
}

/** Those of them that keep to their format, each kind by itself. */
export function sortDenials(records: readonly DnsRecord[]): {
  readonly nsec: readonly Nsec[];
  readonly nsec3: readonly Nsec3[];
} {
  const ofType = (type: string) => records.filter((record) => record.type === type);
  return { nsec: readAll(ofType('NSEC'), readNsec), nsec3: readAll(ofType('NSEC3'), readNsec3) };
}

/** The NSEC of a record; undefined when it breaks its format. */
function readNsec({ name, data }: DnsRecord): Nsec | undefined {
  const types = typesIn(data);
  const next = isObject(data) ? data['nextName'] : undefined;
  const owner = labelsOf(name);
  const nextLabels = typeof next === 'string' ? labelsOf(next) : undefined;
  return owner && nextLabels && types ? { owner, next: nextLabels, types } : undefined;
}

/** The NSEC3 of a record; undefined when it breaks its format. */
function readNsec3({ name, data }: DnsRecord): Nsec3 | undefined {
  const types = typesIn(data);
  if (!types || !isObject(data)) return undefined;
  const { nextHash, algorithm, flags, iterations, salt } = data;
  if (typeof nextHash !== 'string' || typeof salt !== 'string') return undefined;
  if (typeof algorithm !== 'number' || typeof flags !== 'number' || typeof iterations !== 'number')
    return undefined;
  const [hash = ''] = name.split('.');
  return { hash, nextHash: nextHash.toLowerCase(), algorithm, flags, iterations, salt, types };
}

/** The labels of a name in lower case; undefined for what is no name. */
export function labelsOf(name: string): readonly string[] | undefined {
  const parsed = parseName(name.toLowerCase());
  return 'malformed' in parsed ? undefined : parsed.labels;
}

function typesIn(data: Json): ReadonlySet<string> | undefined {
  const types = isObject(data) ? data['types'] : undefined;
  return Array.isArray(types) ? new Set(types.filter((type) => typeof type === 'string')) : undefined;
}
