import { isAddress } from '#shared/targets/classify-address';
import { findAnchors } from '../../../certificates/trust/store.ts';
import { textsOf } from '../../../dns/observation.ts';
import { fetchPolicy } from '../../../mail/fetch-policy.ts';
import { hasVersion } from '../../../mail/parse-versioned.ts';
import type { HttpProbe } from '../../../probes/http/port.ts';
import type { SmtpProbe } from '../../../probes/smtp/port.ts';
import type { GatherContext } from '../../check.ts';
import type { AddressObservation, MailHostObservation, SmtpEvidence } from '../evidence.ts';
import { isSilence } from '../facts/address.ts';
import { readDaneRecords } from '../facts/dane.ts';
import { openAllowance } from './allowance.ts';
import { type AskSigned, type FoundHost, gatherHosts, openAskSigned } from './gather-hosts.ts';
import { gatherTalks, type MailHostAddress, type Talking } from './gather-talks.ts';

/** Below the run's own limit, so that a slow host costs its own part and not the report. */
const gatherMs = 40_000;
/** Addresses of one host that are talked to, half of each family where it has both. */
const addressesMost = 4;
/** How long what is known of a host is good, and how long even for those who want it fresh. */
const goodForMs = 3_600_000;
const freshForMs = 600_000;

/** Looks at the mail hosts of a domain: two connections to an address at most, none that sends mail. */
export async function gatherSmtp(context: GatherContext): Promise<SmtpEvidence> {
  const { target: domain, probes } = context;
  const at = Date.now();
  const endsAt = performance.now() + gatherMs;
  const ask = openAskSigned(probes.dns);
  const [found, sts] = await Promise.all([gatherHosts(ask, domain), gatherPolicy(ask, probes.http, domain)]);
  const { hosts: foundHosts, ...dns } = found;
  const named = await Promise.all(
    foundHosts.map((host) => findPlaces(host, probes.smtp, servernameOf(host, found.resolverValidates))),
  );
  const places = inTurns(named.map((one) => one.places));
  const allowance = openAllowance(domain);
  const progress = openProgress(context, places.length);
  const talking: Omit<Talking, 'smtp'> = {
    allowance,
    since: since(context, at),
    leftMs: () => endsAt - performance.now(),
    note: progress,
  };
  const seen = probes.smtp ? await gatherTalks({ ...talking, smtp: probes.smtp }, places) : [];
  const byPlace = new Map(places.map((place, index) => [place, seen[index]]));
  const hosts = named.map(({ host, failure, places: own }): MailHostObservation => ({
    ...host,
    failure,
    addresses: own.flatMap((place) => byPlace.get(place) ?? []).map((one) => hideAge(one, context)),
  }));
  return {
    domain,
    at,
    ...dns,
    hosts,
    sts,
    port: await lookAtPort(probes.smtp, seen, at),
    anchors: findAnchors(hosts.flatMap(({ addresses }) => addresses.flatMap(chainsOf))),
    connections: allowance.made(),
  };
}

/** When what is known of a host must have been seen. */
function since({ wanted }: GatherContext, at: number): number {
  if (wanted === undefined || wanted.orFresh) return at - goodForMs;
  return Math.max(at - goodForMs, Math.min(wanted.since, at - freshForMs));
}

/** Whose run an address was seen in is nobody's business where accounts share no cache. */
function hideAge(seen: AddressObservation, { hidesAges = false }: GatherContext): AddressObservation {
  return hidesAges ? { ...seen, seenAt: null } : seen;
}

type NamedPlaces = Pick<MailHostObservation, 'failure'> & {
  readonly host: FoundHost;
  readonly places: readonly MailHostAddress[];
};

async function findPlaces(
  host: FoundHost,
  smtp: SmtpProbe | undefined,
  servername: string,
): Promise<NamedPlaces> {
  if (isAddress(host.host))
    return {
      host,
      failure: { code: 'target-not-allowed', reason: 'it is an address, not a name' },
      places: [],
    };
  const found = await smtp?.addresses(host.host);
  if (found?.kind !== 'addresses') {
    const { code = 'target-not-allowed', reason = 'mail hosts are not talked to here' } = found ?? {};
    return { host, failure: { code, reason }, places: [] };
  }
  const places = spread(found.addresses).map((address) => ({ host: host.host, address, servername }));
  return { host, failure: null, places };
}

/** The name at which senders find TLSA records, where there are some that count, else the host's own (RFC 7672 §8.1). */
function servernameOf(host: FoundHost, resolverValidates: boolean | null): string {
  const records = readDaneRecords(host, resolverValidates);
  return records.kind === 'records' ? records.base : host.host;
}

function spread(addresses: readonly string[]): readonly string[] {
  const isIpv6 = (address: string) => address.includes(':');
  const families = [addresses.filter((one) => !isIpv6(one)), addresses.filter(isIpv6)];
  return inTurns(families).slice(0, addressesMost);
}

/** The first of each list, then the second of each, and so on. */
function inTurns<T>(lists: readonly (readonly T[])[]): readonly T[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, index) =>
    lists.flatMap((list) => list.slice(index, index + 1)),
  ).flat();
}

/** Asked only where nobody answered now, and somebody was silent. */
async function lookAtPort(
  smtp: SmtpProbe | undefined,
  seen: readonly AddressObservation[],
  at: number,
): Promise<SmtpEvidence['port']> {
  if (seen.some(({ first, seenAt }) => first.kind === 'talked' && seenAt !== null && seenAt >= at))
    return 'open';
  if (smtp === undefined || !seen.some(({ first }) => isSilence(first))) return 'unknown';
  return smtp.lookAtPort();
}

function chainsOf({ first, second }: AddressObservation): readonly (readonly string[])[] {
  return [first, second?.talk].flatMap((talk) =>
    talk?.kind === 'talked' && talk.handshake?.kind === 'connected' ? [talk.handshake.certificates] : [],
  );
}

/** Two conversations an address at most; what needs no second counts once. */
function openProgress({ progress, target }: GatherContext, places: number): () => void {
  let done = 0;
  const total = 2 * places;
  progress({ done, total, current: target });
  return () => {
    done += 1;
    progress({ done, total, current: target });
  };
}

/** Sees whether the domain has an MTA-STS policy, and which (RFC 8461 §3). */
async function gatherPolicy(ask: AskSigned, http: HttpProbe, domain: string): Promise<SmtpEvidence['sts']> {
  const record = await ask(`_mta-sts.${domain}`, 'TXT');
  const texts = textsOf(record).filter(({ text }) => hasVersion(text, 'STSv1'));
  if (texts.length !== 1) return { record, policy: null };
  return { record, policy: await fetchPolicy(http, `https://mta-sts.${domain}/.well-known/mta-sts.txt`) };
}
