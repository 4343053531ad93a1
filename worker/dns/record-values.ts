import type { Json } from '#shared/model/verdict';
import type { DnsRecord } from '../probes/dns/port.ts';

export type Soa = {
  readonly mname: string;
  readonly rname: string;
  readonly serial: number;
  readonly refresh: number;
  readonly retry: number;
  readonly expire: number;
  readonly minimum: number;
};
export type Ds = {
  readonly keyTag: number;
  readonly algorithm: number;
  readonly digestType: number;
  readonly digest: string;
};
export type Dnskey = {
  readonly flags: number;
  readonly protocol: number;
  readonly algorithm: number;
  readonly key: string;
};
export type Rrsig = {
  readonly typeCovered: string;
  readonly algorithm: number;
  readonly labels: number;
  readonly originalTtl: number;
  readonly expiration: number;
  readonly inception: number;
  readonly keyTag: number;
  readonly signerName: string;
  readonly signature: string;
};
export type Caa = { readonly flags: number; readonly tag: string; readonly value: string };
export type Mx = { readonly preference: number; readonly exchange: string };
export type Nsec3Param = { readonly iterations: number; readonly salt: string };

// The fields of each type with what they must be; a record that lacks one is passed over, never guessed at.
const soaFields = {
  mname: 'string',
  rname: 'string',
  serial: 'number',
  refresh: 'number',
  retry: 'number',
  expire: 'number',
  minimum: 'number',
} as const;
const dsFields = { keyTag: 'number', algorithm: 'number', digestType: 'number', digest: 'string' } as const;
const dnskeyFields = { flags: 'number', protocol: 'number', algorithm: 'number', key: 'string' } as const;
const rrsigFields = {
  typeCovered: 'string',
  algorithm: 'number',
  labels: 'number',
  originalTtl: 'number',
  expiration: 'number',
  inception: 'number',
  keyTag: 'number',
  signerName: 'string',
  signature: 'string',
} as const;
const caaFields = { flags: 'number', tag: 'string', value: 'string' } as const;
const mxFields = { preference: 'number', exchange: 'string' } as const;
const nsec3ParamFields = { iterations: 'number', salt: 'string' } as const;

/** The SOA of a record; undefined when it breaks its format. */
export const readSoa = (record: DnsRecord): Soa | undefined => readFields<Soa>(record.data, soaFields);
/** The DS or CDS of a record. */
export const readDs = (record: DnsRecord): Ds | undefined => readFields<Ds>(record.data, dsFields);
/** The DNSKEY or CDNSKEY of a record. */
export const readDnskey = (record: DnsRecord): Dnskey | undefined =>
  readFields<Dnskey>(record.data, dnskeyFields);
/** The RRSIG of a record. */
export const readRrsig = (record: DnsRecord): Rrsig | undefined =>
  readFields<Rrsig>(record.data, rrsigFields);
/** The CAA of a record. */
export const readCaa = (record: DnsRecord): Caa | undefined => readFields<Caa>(record.data, caaFields);
/** The MX of a record; "" as the exchange is the root, as in a null MX. */
export const readMx = (record: DnsRecord): Mx | undefined => readFields<Mx>(record.data, mxFields);
/** The NSEC3PARAM of a record. */
export const readNsec3Param = (record: DnsRecord): Nsec3Param | undefined =>
  readFields<Nsec3Param>(record.data, nsec3ParamFields);

/** The name or address in a record of type A, AAAA, NS, CNAME or PTR. */
export function readText(record: DnsRecord): string | undefined {
  return typeof record.data === 'string' ? record.data : undefined;
}

/** Each record's value, those left out that break their format. */
export function readAll<T>(
  records: readonly DnsRecord[],
  read: (record: DnsRecord) => T | undefined,
): readonly T[] {
  return records.flatMap((record) => {
    const value = read(record);
    return value === undefined ? [] : [value];
  });
}

/** True for a JSON object (not a list). */
export function isObject(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readFields<T>(value: Json, fields: { readonly [F in keyof T]: 'string' | 'number' }): T | undefined {
  if (!isObject(value)) return undefined;
  const picked = Object.entries(fields).map(([name, type]) => {
    const field = Object.hasOwn(value, name) ? value[name] : undefined;
    const isGood = type === 'number' ? Number.isSafeInteger(field) : typeof field === 'string';
    return isGood ? ([name, field] as const) : undefined;
  });
  return picked.includes(undefined) ? undefined : (Object.fromEntries(picked as [string, Json][]) as T);
}
