import type { Finding } from '../../model/finding.ts';
import type { EntryPoint } from './entry-points.ts';
import type { DnsFields } from './fields.ts';
import { findingIn, type SourceFacts } from './source.ts';

/** What is known of a web site under the domain. */
export type WebFacts = {
  /**
   * present: something answers · absent: neither the domain nor www has an address · closed: there is an address, and every connection
   * is refused · unknown: it was not seen.
   */
  readonly kind: 'present' | 'absent' | 'closed' | 'unknown';
  /** Whether https is served: at the domain itself, or at www. */
  readonly tls: 'spoken' | 'none' | 'unknown';
  /** ssl-check's finding that the server, by its own doing, speaks no TLS; null where it does, or where that is not known. */
  readonly tlsRefusal: Finding | null;
};

/** Findings by which every client finds no TLS at the port. A timeout or silence may be a fault of our own network. */
const refusals = [
  'port-speaks-http',
  'port-not-tls',
  'connection-refused',
  'connection-reset',
  'connection-closed',
  'tls-alert',
  'parameters-not-common',
] as const;

/** Reads what DNS, TLS and the entry points together say of a web site. */
export function readWeb(
  domain: string,
  entries: readonly EntryPoint[],
  { dns, ssl }: { readonly dns: DnsFields | null; readonly ssl: SourceFacts },
): WebFacts {
  const kind = kindOf(domain, entries, dns);
  const isTlsAnswered = entries.some(({ isHttps, isAnswered }) => isHttps && isAnswered);
  const refusal = refusals.map((code) => findingIn(ssl, code)).find((finding) => finding !== undefined);
  const isHttpAnswered = entries.some(({ isHttps, isAnswered }) => !isHttps && isAnswered);
  // An answer that is not TLS is as definite as a closed port 443 next to an open port 80.
  const isRefused = refusal !== undefined && (ssl.report?.score !== null || isHttpAnswered);
  const isSpoken = isTlsAnswered || (refusal === undefined && typeof ssl.report?.score === 'number');
  return { kind, tls: isSpoken ? 'spoken' : isRefused ? 'none' : 'unknown', tlsRefusal: refusal ?? null };
}

/** Whether the host answers on port 80 and never over HTTPS. Then refused TLS is how the server is configured, not a sign that it is down. */
export function isTlsLeftOut(entries: readonly EntryPoint[], host: string): boolean {
  const answered = entries.filter((entry) => entry.host === host && entry.isAnswered);
  return answered.length > 0 && answered.every(({ isHttps }) => !isHttps);
}

function kindOf(domain: string, entries: readonly EntryPoint[], dns: DnsFields | null): WebFacts['kind'] {
  if (entries.some(({ isAnswered }) => isAnswered)) return 'present';
  const www = entries.filter(({ host }) => host !== domain);
  const own = entries.filter(({ host }) => host === domain);
  const isWwwAbsent = www.every(({ end }) => end === 'no-name');
  if (isWwwAbsent && (hasNoAddress(dns) || hasNoName(own))) return 'absent';
  const isClosed = ({ firstFailure }: EntryPoint) =>
    firstFailure === 'connection-refused' || firstFailure === 'name-not-found';
  const isBothSchemes = own.some(({ isHttps }) => isHttps) && own.some(({ isHttps }) => !isHttps);
  return isBothSchemes && entries.every(isClosed) ? 'closed' : 'unknown';
}

function hasNoName(own: readonly EntryPoint[]): boolean {
  return own.length > 0 && own.every(({ end }) => end === 'no-name');
}

function hasNoAddress(dns: DnsFields | null): boolean {
  const counts = ['A', 'AAAA'].map((type) => dns?.records[type]?.length);
  return counts.every((count) => count === 0);
}
