import { nameExists } from '../../../dns/observation.ts';
import type { Zone } from '../../../dns/zone.ts';
import { type BimiFacts, readBimi } from './bimi/record.ts';
import { type DkimFacts, readDkim } from './dkim/facts.ts';
import { type DmarcFacts, readDmarc } from './dmarc/facts.ts';
import { readMx } from './mx/facts.ts';
import { readSpf, type SpfFacts } from './spf/facts.ts';
import { branchesOf } from './spf/grow-tree.ts';
import { readSts, readTlsRpt, type TransportFacts } from './transport/facts.ts';

/** Everything that is known of a domain's mail. */
export type MailFacts = TransportFacts & {
  readonly exists: boolean | null;
  readonly spf: SpfFacts;
  readonly dmarc: DmarcFacts;
  readonly dkim: DkimFacts;
  readonly bimi: BimiFacts;
};

/**
 * Reads the mail of a domain out of the zone. Pure, and the only place where it is said what must be asked: a gather calls it on what it
 * has seen so far and asks what was missing, until nothing is; an assess calls it once more on the same answers.
 */
export function readMail(zone: Zone, domain: string, selectors: readonly string[]): MailFacts {
  const root = zone.look('', 'SOA');
  const mx = readMx(zone, domain, root.secure);
  const spf = readSpf(zone, domain);
  const dmarc = readDmarc(zone, domain);
  const names = [
    ...mx.hosts.map(({ host }) => host),
    ...(spf.tree ? branchesOf(spf.tree) : []).map(({ domain: name }) => name),
  ];
  return {
    domain,
    exists: nameExists(zone.look(domain, 'A')),
    spf,
    dmarc,
    mx,
    dkim: readDkim(zone, domain, { asked: selectors, names }),
    sts: readSts(zone, domain),
    tlsRpt: readTlsRpt(zone, domain),
    bimi: readBimi(zone, domain, dmarc.orgDomain),
    resolverValidates: root.outcome === 'unknown' ? null : root.secure,
  };
}
