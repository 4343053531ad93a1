import { nameExists, type Observation, textsOf } from '../../../../dns/observation.ts';
import { isRegistrable } from '../../../../dns/public-suffix.ts';
import { type Mailbox, readMailbox } from '../../../../dns/read-mailbox.ts';
import type { Zone } from '../../../../dns/zone.ts';
import { clip } from '../../../../mail/fault.ts';
import { lookBehind } from '../../look-behind.ts';
import { type Dmarc, isDmarc } from './parse-dmarc.ts';
import type { ReportUri } from './parse-report-uris.ts';
import { discoverPolicy, orgDomainOf, type Walk, walkTree } from './walk-tree.ts';

/** The record that applies, and the domain that it stands below. */
export type Applied = { readonly domain: string; readonly dmarc: Dmarc };

/** What is known of the DMARC policy that applies to a domain. */
export type DmarcFacts = {
  readonly domain: string;
  readonly walk: Walk;
  /** null where a name of the walk gave no answer. */
  readonly orgDomain: string | null;
  readonly applied: Applied | 'none' | 'unknown';
  /** Whether the domain itself exists: its policy may be another if not. */
  readonly exists: boolean | null;
  readonly uris: readonly ReportUriFacts[];
  /** DMARC records at the domain itself; null where its TXT records could not be read. */
  readonly misplaced: readonly string[] | null;
  /** Those at "_dmarc.<domain>.<domain>", where a full name ends up that was entered as one below the domain; looked for where no record applies. */
  readonly doubled: readonly string[];
  /** The lookup that ended the walk fails for everybody. */
  readonly hasProvenFailure: boolean;
  /** Texts at the domain's own _dmarc name that are not DMARC. */
  readonly foreign: readonly string[];
};

/** A report address, and what its host says to it; an address of no use is not asked about. */
export type ReportUriFacts = ReportUri & {
  readonly tag: 'rua' | 'ruf';
  /** The name where the owner of the host agrees to take reports; null within the own organization. */
  readonly permission: string | null;
  /** null where nobody answered, or there is no host. */
  readonly isAuthorised: boolean | null;
  /** null where there is no host. */
  readonly mailbox: Mailbox | null;
};

const uriLimit = 10;

/** Sees the record that applies to a domain, and whether its report addresses take reports. */
export function readDmarc(zone: Zone, domain: string): DmarcFacts {
  const walk = walkTree(zone, domain);
  const orgDomain = orgDomainOf(domain, walk);
  const applied = discoverPolicy(domain, walk);
  const own = zone.look(`_dmarc.${domain}`, 'TXT');
  return {
    domain,
    walk,
    orgDomain,
    applied,
    exists: nameExists(zone.look(domain, 'A')),
    uris: typeof applied === 'string' ? [] : readUris(zone, applied, orgDomain),
    hasProvenFailure: walk.lost !== null && lookBehind(zone, walk.lost.observation) === 'fails',
    misplaced: findMisplaced(zone.look(domain, 'TXT')),
    doubled:
      applied === 'none' && isRegistrable(domain) && nameExists(zone.look(domain, 'A')) !== false
        ? textsAt(zone.look(`_dmarc.${domain}.${domain}`, 'TXT'))
            .filter(isDmarc)
            .map((text) => clip(text))
        : [],
    foreign: textsAt(own)
      .filter((text) => !isDmarc(text))
      .map((text) => clip(text)),
  };
}

function findMisplaced(observation: Observation): string[] | null {
  if (observation.outcome === 'unknown') return null;
  return textsAt(observation)
    .filter(isDmarc)
    .map((text) => clip(text));
}

function textsAt(observation: Observation): string[] {
  return textsOf(observation).map(({ text }) => text);
}

function readUris(zone: Zone, applied: Applied, orgDomain: string | null): ReportUriFacts[] {
  const { rua, ruf } = applied.dmarc;
  const uris = [
    ...rua.map((uri) => ({ ...uri, tag: 'rua' as const })),
    ...ruf.map((uri) => ({ ...uri, tag: 'ruf' as const })),
  ];
  return uris.slice(0, uriLimit).map((uri) => ({
    ...uri,
    ...readHost(zone, uri.problem === null ? uri.host : null, applied.domain, orgDomain),
  }));
}

type HostObservation = Pick<ReportUriFacts, 'permission' | 'isAuthorised' | 'mailbox'>;

function readHost(
  zone: Zone,
  host: string | null,
  policyDomain: string,
  orgDomain: string | null,
): HostObservation {
  if (host === null) return { permission: null, isAuthorised: null, mailbox: null };
  const mailbox = readMailbox(zone, host);
  const isInside =
    orgDomain === null ? mayBeRelated(host, policyDomain) : isSameOrganization(zone, host, orgDomain);
  if (isInside === null) return { permission: null, isAuthorised: null, mailbox };
  if (isInside) return { permission: null, isAuthorised: true, mailbox };
  const permission = `${policyDomain}._report._dmarc.${host}`;
  const observation = zone.look(permission, 'TXT');
  const isAuthorised = observation.outcome === 'unknown' ? null : textsAt(observation).some(isDmarc);
  return { permission, isAuthorised, mailbox };
}

// Where the organizational domain is not known, it is some parent of the policy's: only a host in another top-level domain is surely abroad.
function mayBeRelated(host: string, policyDomain: string): boolean | null {
  if (host === policyDomain) return true;
  return host.split('.').at(-1) === policyDomain.split('.').at(-1) ? null : false;
}

// RFC 9990 §4 compares organizational domains. That of a host is the host or a parent of it, so a host elsewhere needs no walk.
function isSameOrganization(zone: Zone, host: string, orgDomain: string): boolean | null {
  if (host === orgDomain) return true;
  if (!host.endsWith(`.${orgDomain}`)) return false;
  const org = orgDomainOf(host, walkTree(zone, host));
  return org === null ? null : org === orgDomain;
}
