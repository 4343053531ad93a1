import { isAddress } from '#shared/targets/classify-address';
import { hostLabel } from '#shared/targets/classify-name';
import {
  aliasOf,
  exchangesOf,
  type ObservedRecord,
  type Observation,
  valuesOf,
} from '../../../../dns/observation.ts';
import type { Zone } from '../../../../dns/zone.ts';
import { readTlsa, type Tlsa } from '../../../../mail/parse-tlsa.ts';
import { type Behind, lookBehind } from '../../look-behind.ts';
import { normalizeAddress, reverseNameOf } from '../address.ts';

/** What is known of the mail hosts of a domain. */
export type MxFacts = {
  readonly domain: string;
  readonly observation: Observation;
  /** The lookup of MX fails for everybody. */
  readonly hasProvenFailure: boolean;
  readonly exchanges: readonly { readonly preference: number; readonly exchange: string }[];
  readonly hasNullMx: boolean;
  /** No MX record, but an address: mail goes to the domain itself (RFC 5321 §5.1). null where nobody knows. */
  readonly isImplicit: boolean | null;
  /** The domain's own address observations, which count where there is no MX. */
  readonly addresses: readonly [Observation, Observation];
  readonly hosts: readonly MailHost[];
};

export type MailHost = {
  readonly host: string;
  readonly preference: number;
  readonly kind: 'host' | 'address' | 'invalid';
  readonly observations: readonly [Observation, Observation];
  readonly alias: string | null;
  readonly addresses: readonly HostAddress[];
  readonly tlsa: {
    readonly name: string;
    readonly observation: Observation;
    readonly records: readonly Tlsa[];
    /** What is behind a lookup that failed. */
    readonly behind: Behind;
  };
};

/** `confirmed`: one of the names leads back to the address; null where nobody knows. */
export type HostAddress = {
  readonly address: string;
  readonly ptr: Observation;
  readonly names: readonly string[];
  readonly confirmed: boolean | null;
};

const hostLimit = 20;
const addressLimit = 4;
const nameLimit = 4;

/**
 * Sees where mail to the domain goes: hosts, addresses, the names of the addresses, and TLSA records.
 * @param validates the resolver validates, so that what it does not vouch for is not signed
 */
export function readMx(zone: Zone, domain: string, validates = false): MxFacts {
  const observation = zone.look(domain, 'MX');
  const addresses = [zone.look(domain, 'A'), zone.look(domain, 'AAAA')] as const;
  const exchanges = exchangesOf(observation);
  const isImplicit =
    observation.outcome === 'unknown' ? null : observation.outcome === 'nodata' && hasAny(addresses);
  const named = new Map(
    exchanges.filter(({ exchange }) => exchange !== '').map((mx) => [mx.exchange, mx.preference]),
  );
  if (isImplicit) named.set(domain, 0);
  return {
    domain,
    observation,
    hasProvenFailure: lookBehind(zone, observation) === 'fails',
    exchanges,
    isImplicit,
    addresses,
    hasNullMx: exchanges.some(({ exchange }) => exchange === ''),
    hosts: [...named]
      .slice(0, hostLimit)
      .map(([host, preference]) => readHost(zone, { host, preference, validates })),
  };
}

function hasAny(observations: readonly [Observation, Observation]): boolean | null {
  if (observations.some(({ outcome }) => outcome === 'found')) return true;
  return observations.some(({ outcome }) => outcome === 'unknown') ? null : false;
}

function readHost(
  zone: Zone,
  {
    host,
    preference,
    validates,
  }: { readonly host: string; readonly preference: number; readonly validates: boolean },
): MailHost {
  const observations = [zone.look(host, 'A'), zone.look(host, 'AAAA')] as const;
  const tlsaName = `_25._tcp.${host}`;
  const tlsa = zone.look(tlsaName, 'TLSA');
  const addresses = observations.flatMap(valuesOf).filter(isAddress).slice(0, addressLimit);
  return {
    host,
    preference,
    observations,
    kind: isAddress(host)
      ? 'address'
      : host.split('.').every((label) => hostLabel.test(label))
        ? 'host'
        : 'invalid',
    alias: observations.map(aliasOf).find((alias) => alias !== null) ?? null,
    addresses: addresses.map((address) => readAddress(zone, address)),
    tlsa: {
      name: tlsaName,
      observation: tlsa,
      records: tlsa.records.flatMap(readTlsaRecord),
      behind: !validates ? 'unknown' : isUnsigned(observations) ? 'absent' : lookBehind(zone, tlsa),
    },
  };
}

// Senders do not ask for TLSA records of a host whose addresses are not signed (RFC 7672 §2.2.2).
function isUnsigned(observations: readonly [Observation, Observation]): boolean {
  const found = observations.filter(({ outcome }) => outcome === 'found');
  return found.length > 0 && found.every(({ secure }) => !secure);
}

function readTlsaRecord({ type, data }: ObservedRecord): Tlsa[] {
  const tlsa = type === 'TLSA' ? readTlsa(data) : null;
  return tlsa === null ? [] : [tlsa];
}

function readAddress(zone: Zone, address: string): HostAddress {
  const ptr = zone.look(reverseNameOf(address) ?? '', 'PTR');
  const names = valuesOf(ptr).slice(0, nameLimit);
  const type = address.includes(':') ? 'AAAA' : 'A';
  const observations = names.map((name) => zone.look(name, type));
  const wanted = normalizeAddress(address);
  const isBack = observations.some((observation) =>
    valuesOf(observation).some((value) => normalizeAddress(value) === wanted),
  );
  const isOpen = observations.some(({ outcome }) => outcome === 'unknown');
  return {
    address,
    ptr,
    names,
    confirmed: isBack ? true : isOpen || ptr.outcome === 'unknown' ? null : false,
  };
}
