import { type Observation, type Txt, textsOf, valuesOf } from '../../../../dns/observation.ts';
import { isRegistrable } from '../../../../dns/public-suffix.ts';
import type { Zone } from '../../../../dns/zone.ts';
import { clip } from '../../../../mail/fault.ts';
import { lookBehind } from '../../look-behind.ts';
import { freeSenders, growSpfTree, type SpfBranch, spfRecordsOf, unreachedSenders } from './grow-tree.ts';
import { isSpf } from './parse-spf.ts';

/** What is known of the sender policy of a domain. */
export type SpfFacts = {
  readonly domain: string;
  readonly observation: Observation;
  /** The lookup of the record fails for everybody. */
  readonly hasProvenFailure: boolean;
  readonly records: readonly Txt[];
  /** TXT records that are meant as SPF and are skipped by receivers, with the reason as a sentence's middle. */
  readonly almost: readonly { readonly record: string; readonly why: string }[];
  /** True where a record stands at "<domain>.<domain>": a full name was entered as one below the domain. Looked for where there is none. */
  readonly isDoubled: boolean;
  readonly senderId: readonly string[];
  /** The record of the abandoned type SPF. */
  readonly type99: Observation;
  /** null where there is not exactly one record. */
  readonly tree: SpfBranch | null;
  /** What the record would lead to if the senders behind all were reached; null where there are none. */
  readonly freed: SpfBranch | null;
  /** What each name server says itself; only where the domain is the top of a zone. */
  readonly servers: readonly ServerSpf[];
};

export type ServerSpf = {
  readonly host: string;
  readonly address: string;
  readonly observation: Observation;
};

const serverLimit = 8;

/** Sees the policy of a domain, all that it includes, and what the domain's own name servers say. */
export function readSpf(zone: Zone, domain: string): SpfFacts {
  const observation = zone.look(domain, 'TXT');
  const records = spfRecordsOf(observation);
  const texts = textsOf(observation).map(({ text }) => text);
  const isRead = observation.outcome === 'found' || observation.outcome === 'nodata';
  return {
    domain,
    observation,
    isDoubled:
      isRead &&
      records.length === 0 &&
      isRegistrable(domain) &&
      spfRecordsOf(zone.look(`${domain}.${domain}`, 'TXT')).length > 0,
    hasProvenFailure: lookBehind(zone, observation) === 'fails',
    records,
    almost: texts.flatMap((text) => {
      const why = whySkipped(text);
      return why === null ? [] : [{ record: clip(text), why }];
    }),
    senderId: texts.filter((text) => text.toLowerCase().startsWith('spf2.0/')).map((text) => clip(text)),
    type99: zone.look(domain, 'SPF'),
    ...growTrees(zone, domain, records.length),
    servers: readServers(zone, domain),
  };
}

function growTrees(zone: Zone, domain: string, records: number): Pick<SpfFacts, 'tree' | 'freed'> {
  if (records !== 1) return { tree: null, freed: null };
  const tree = growSpfTree(zone, domain);
  const isShut = tree.spf !== null && unreachedSenders(tree.spf).length > 0;
  return { tree, freed: isShut ? growSpfTree(zone, domain, freeSenders(tree.spf)) : null };
}

// What people mean as SPF begins with the letters v, spf and a digit behind signs that do not belong there.
function whySkipped(text: string): string | null {
  if (isSpf(text)) return null;
  const bare = text.trimStart();
  if (isSpf(bare)) return 'begins with a space';
  const start = text.slice(0, 24).toLowerCase();
  if (start.startsWith('v=spf1')) return 'has no space behind v=spf1';
  if (/^["'\u00ef\u00bb\u00bf]+v=spf1/.test(start)) return 'begins with a character before v=spf1';
  if (/^v\s*=\s*spf\s*\d/.test(start)) return 'names a version other than v=spf1';
  if (/^(spf1|v[:;-]spf1|v spf1)\b/.test(start)) return 'does not begin with v=spf1';
  return null;
}

function readServers(zone: Zone, domain: string): ServerSpf[] {
  const hosts = valuesOf(zone.look(domain, 'NS')).toSorted().slice(0, serverLimit);
  return hosts.flatMap((host) => {
    const [address] = valuesOf(zone.look(host, 'A'));
    return address === undefined ? [] : [{ host, address, observation: zone.look(domain, 'TXT', address) }];
  });
}
