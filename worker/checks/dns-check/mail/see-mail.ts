import { type BimiFacts, seeBimi } from './bimi/see-bimi.ts';
import { type DkimFacts, seeDkim } from './dkim/see-dkim.ts';
import { type DmarcFacts, seeDmarc } from './dmarc/see-dmarc.ts';
import { type MxFacts, seeMx } from './mx/see-mx.ts';
import { nameExists } from './sight.ts';
import { branchesOf } from './spf/grow-tree.ts';
import { type SpfFacts, seeSpf } from './spf/see-spf.ts';
import { type StsFacts, seeSts, seeTlsRpt, type TlsRptFacts } from './transport/see-transport.ts';
import type { Zone } from './zone.ts';

/** Everything that is known of a domain's mail. */
export type MailFacts = {
  readonly domain: string;
  readonly exists: boolean | null;
  readonly spf: SpfFacts;
  readonly dmarc: DmarcFacts;
  readonly dkim: DkimFacts;
  readonly mx: MxFacts;
  readonly sts: StsFacts;
  readonly tlsRpt: TlsRptFacts;
  readonly bimi: BimiFacts;
  /** Whether our resolver vouches for signed names at all: the root is signed. */
  readonly resolverValidates: boolean | null;
};

/**
 * Reads the mail of a domain out of the zone. Pure, and the only place where it is said what must be asked: a gather calls it on what it
 * has seen so far and asks what was missing, until nothing is; an assess calls it once more on the same answers.
 */
export function seeMail(zone: Zone, domain: string, selectors: readonly string[]): MailFacts {
  const mx = seeMx(zone, domain);
  const spf = seeSpf(zone, domain);
  const dmarc = seeDmarc(zone, domain);
  const names = [
    ...mx.hosts.map(({ host }) => host),
    ...(spf.tree ? branchesOf(spf.tree) : []).map(({ domain: name }) => name),
  ];
  const root = zone.look('', 'SOA');
  return {
    domain,
    exists: nameExists(zone.look(domain, 'A')),
    spf,
    dmarc,
    mx,
    dkim: seeDkim(zone, domain, { asked: selectors, names }),
    sts: seeSts(zone, domain),
    tlsRpt: seeTlsRpt(zone, domain),
    bimi: seeBimi(zone, domain, dmarc.orgDomain),
    resolverValidates: root.outcome === 'unknown' ? null : root.secure,
  };
}
