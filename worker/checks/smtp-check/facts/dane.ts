import { createHash } from 'node:crypto';
import type { DaneState } from '#shared/catalogue/smtp-check/report';
import { type Certificate, readCertificate } from '../../../certificates/certificate.ts';
import type { Chain } from '../../../certificates/chain.ts';
import { isNamedBy } from '../../../certificates/names.ts';
import { findPath } from '../../../certificates/trust/find-path.ts';
import { describeFault, faultsToMail, type PathFault } from '../../../certificates/trust/reasons.ts';
import type { Observation } from '../../../dns/observation.ts';
import { isUsable, readTlsa, type Tlsa } from '../../../mail/parse-tlsa.ts';
import type { MailHostObservation } from '../evidence.ts';

/** The TLSA records that senders hold against the certificates of a host (RFC 7672 §2.2). */
export type DaneRecords =
  | {
      readonly kind: 'records';
      /** The name that they stand at, without its port. */
      readonly base: string;
      readonly usable: readonly Tlsa[];
      readonly all: readonly Tlsa[];
    }
  | {
      readonly kind: 'none' | 'insecure' | 'unknown';
      readonly reason: string | null;
      readonly all: readonly Tlsa[];
    };

/** Finds the records that count: in a signed zone, of a host whose addresses are signed. */
export function readDaneRecords(
  { lookups, alias, tlsa }: Pick<MailHostObservation, 'lookups' | 'alias' | 'tlsa'>,
  resolverValidates: boolean | null,
): DaneRecords {
  const all = tlsa.flatMap(recordsOf);
  const failed = tlsa.find(({ outcome }) => outcome === 'unknown');
  if (all.length === 0 && failed === undefined) return { kind: 'none', reason: null, all };
  if (resolverValidates !== true)
    return { kind: 'unknown', reason: 'our resolver does not validate DNSSEC', all };
  const found = candidatesOf(lookups, alias, tlsa);
  if (found.length === 0) return { kind: 'insecure', reason: 'the address of the host is not signed', all };
  const [first] = found.filter(
    ({ outcome, secure }) => (outcome === 'found' && secure) || outcome === 'unknown',
  );
  if (first === undefined)
    return found.some(({ outcome }) => outcome === 'found')
      ? { kind: 'insecure', reason: 'the zone of the TLSA records is not signed', all }
      : { kind: 'none', reason: null, all };
  if (first.outcome === 'unknown')
    return { kind: 'unknown', reason: `${first.name} could not be read: ${first.why}`, all };
  const own = recordsOf(first);
  return {
    kind: 'records',
    base: first.name.replace(/^_25\._tcp\./, ''),
    usable: own.filter(isUsable),
    all: own,
  };
}

function recordsOf({ records }: Observation): readonly Tlsa[] {
  return records.flatMap(({ type, data }) => (type === 'TLSA' ? (readTlsa(data) ?? []) : []));
}

/** The names that count, the first that has records wins (RFC 7672 §2.2.2): an alias counts at its end only where the whole way is signed. */
function candidatesOf(
  lookups: readonly Observation[],
  alias: Observation | null,
  tlsa: readonly Observation[],
): readonly Observation[] {
  const isSigned = lookups.every(({ outcome, secure }) => outcome !== 'found' || secure);
  if (isSigned && lookups.some(({ outcome }) => outcome === 'found')) return tlsa;
  return alias?.secure === true ? tlsa.slice(-1) : [];
}

/** What DANE says of an address. */
export type DaneVerdict = { readonly state: DaneState; readonly reason: string | null };

export type DaneContext = {
  readonly at: number;
  /** The domain whose MX names the host, where that is signed: certificates may name it too (RFC 7672 §3.2.2). */
  readonly signedDomain: string | null;
};

/** Holds a chain against usable records. One record that matches is enough (RFC 7671 §8). */
export function matchDane(
  { base, usable }: Extract<DaneRecords, { readonly kind: 'records' }>,
  chain: Chain,
  { at, signedDomain }: DaneContext,
): DaneVerdict {
  const { leaf } = chain;
  if (leaf === null) return { state: 'mismatch', reason: 'its certificate cannot be read' };
  const records = strongest(usable);
  if (records.some((record) => record.usage === 3 && matches(record, leaf)))
    return { state: 'ok', reason: null };
  const authorities = records.filter(({ usage }) => usage === 2);
  const names = [base, ...(signedDomain === null ? [] : [signedDomain])];
  const faults = authorities.map((record) => whyNotBelow(record, chain, leaf, { at, names }));
  if (faults.includes(null)) return { state: 'ok', reason: null };
  const [known] = faults.filter((fault) => fault !== null && fault !== noAuthority);
  return { state: 'mismatch', reason: known ?? 'no TLSA record matches the certificate that it shows' };
}

const noAuthority = 'no certificate of its chain is the authority of the record';

/** Of digests of one usage and selector only the strongest counts (RFC 7671 §9). */
function strongest(records: readonly Tlsa[]): readonly Tlsa[] {
  const groupOf = ({ usage, selector }: Tlsa) => `${usage} ${selector}`;
  const best = new Map<string, number>();
  for (const record of records)
    best.set(groupOf(record), Math.max(best.get(groupOf(record)) ?? 0, record.matchingType));
  return records.filter(
    (record) => record.matchingType === 0 || record.matchingType === best.get(groupOf(record)),
  );
}

/** Whether a record is of this certificate, or of its key (RFC 6698 §2.1). */
function matches({ selector, matchingType, certificate }: Tlsa, { x509, extensions }: Certificate): boolean {
  const data = selector === 0 ? x509.raw : extensions.publicKeyInfo;
  return certificate.toLowerCase() === digestOf(data, matchingType);
}

function digestOf(data: Uint8Array, matchingType: number): string {
  if (matchingType === 0) return Buffer.from(data).toString('hex');
  return createHash(matchingType === 1 ? 'sha256' : 'sha512')
    .update(data)
    .digest('hex');
}

/** Why a chain does not prove the host by an authority of its own (RFC 7672 §3.1.2); null where it does. */
function whyNotBelow(
  record: Tlsa,
  { sent }: Chain,
  leaf: Certificate,
  { at, names }: { readonly at: number; readonly names: readonly string[] },
): string | null {
  const named = record.matchingType === 0 && record.selector === 0 ? readHex(record.certificate) : [];
  // The certificate itself is no authority, not even one that it signed itself.
  const above = [...sent, ...named].filter((one) => one.sha256 !== leaf.sha256);
  const anchors = above.filter((one) => matches(record, one));
  if (anchors.length === 0) return noAuthority;
  const path = findPath({ leaf, sent: sent.slice(1), anchors, at });
  if (path.kind === 'untrusted') {
    const [first] = faultsToMail(path.faults);
    if (first !== undefined || path.faults.length === 0) return describeEnd(first);
  }
  if (names.some((name) => isNamedBy(name, leaf.names))) return null;
  return `its certificate does not name ${names.join(' or ')}`;
}

function readHex(hex: string): readonly Certificate[] {
  const certificate = readCertificate(Buffer.from(hex, 'hex').toString('base64'));
  return certificate === undefined ? [] : [certificate];
}

function describeEnd(fault: PathFault | undefined): string {
  return fault === undefined
    ? noAuthority
    : `its certificate (${fault.certificate.subject}) ${describeFault(fault)}`;
}
