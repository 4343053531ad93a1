import { isAddress } from '#shared/targets/classify-address';
import { aliasOf, exchangesOf, type Observation, readObservation } from '../../../dns/observation.ts';
import { isAskable } from '../../../dns/zone.ts';
import type { DnsProbe } from '../../../probes/dns/port.ts';
import type { MailHostObservation, SmtpEvidence } from '../evidence.ts';

/** How many hosts are talked to. */
const hostsMost = 5;

/** Asks one question as senders that check DANE do: with signatures. */
export type AskSigned = (name: string, type: string) => Promise<Observation>;

/** Makes it for the probe of a run. */
export function openAskSigned(dns: DnsProbe): AskSigned {
  return async (name, type) =>
    readObservation({ name, type }, await dns.ask({ name, type }, { dnssecOk: true }));
}

/** A mail host before it was talked to. */
export type FoundHost = Omit<MailHostObservation, 'failure' | 'addresses'>;

/** What the DNS says of mail to a domain. */
export type FoundMail = Pick<SmtpEvidence, 'mx' | 'own' | 'resolverValidates' | 'hostsLeftOut'> & {
  readonly hosts: readonly FoundHost[];
};

/** Finds the hosts that mail to a domain goes to (RFC 5321 §5.1), with their addresses and TLSA records. */
export async function gatherHosts(ask: AskSigned, domain: string): Promise<FoundMail> {
  const [mx, a, aaaa, root] = await Promise.all([
    ask(domain, 'MX'),
    ask(domain, 'A'),
    ask(domain, 'AAAA'),
    ask('', 'SOA'),
  ]);
  const own = [a, aaaa] as const;
  const named = listHosts(mx, own, domain);
  const hosts = await Promise.all(named.slice(0, hostsMost).map((host) => gatherHost(ask, host)));
  const resolverValidates = root.outcome === 'unknown' ? null : root.secure;
  return { mx, own, resolverValidates, hosts, hostsLeftOut: Math.max(0, named.length - hostsMost) };
}

type NamedHost = { readonly host: string; readonly preference: number };

function listHosts(mx: Observation, own: readonly Observation[], domain: string): readonly NamedHost[] {
  const isImplicit = mx.outcome === 'nodata' && own.some(({ outcome }) => outcome === 'found');
  if (isImplicit) return [{ host: domain, preference: 0 }];
  const named = new Map<string, NamedHost>();
  for (const { exchange, preference } of exchangesOf(mx))
    if (exchange !== '' && !named.has(exchange)) named.set(exchange, { host: exchange, preference });
  return [...named.values()];
}

async function gatherHost(ask: AskSigned, { host, preference }: NamedHost): Promise<FoundHost> {
  if (isAddress(host) || !isAskable(`_25._tcp.${host}`)) return withoutRecords(host, preference);
  const [a, aaaa, tlsa] = await Promise.all([ask(host, 'A'), ask(host, 'AAAA'), ask(tlsaName(host), 'TLSA')]);
  const end = findEnd(a) ?? findEnd(aaaa);
  if (end === null || !isAskable(tlsaName(end)))
    return { host, preference, lookups: [a, aaaa], alias: null, tlsa: [tlsa] };
  // Senders look at the end of the alias first, and where that is not signed at its beginning (RFC 7672 §2.2.2).
  const [alias, atEnd] = await Promise.all([ask(host, 'CNAME'), ask(tlsaName(end), 'TLSA')]);
  return { host, preference, lookups: [a, aaaa], alias, tlsa: [atEnd, tlsa] };
}

function tlsaName(host: string): string {
  return `_25._tcp.${host}`;
}

/** Where the aliases of a name end; null for a name that is none. */
function findEnd(lookup: Observation): string | null {
  if (aliasOf(lookup) === null) return null;
  const last = lookup.records.findLast(({ type }) => type === 'CNAME')?.data;
  return typeof last === 'string' ? last : null;
}

function withoutRecords(host: string, preference: number): FoundHost {
  const none = (type: string): Observation => ({
    name: host,
    type,
    outcome: 'nxdomain',
    records: [],
    secure: false,
    why: '',
  });
  return { host, preference, lookups: [none('A'), none('AAAA')], alias: null, tlsa: [] };
}
