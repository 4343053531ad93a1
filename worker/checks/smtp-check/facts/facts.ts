import { readCertificate } from '../../../certificates/certificate.ts';
import type { Chain, ChainContext } from '../../../certificates/chain.ts';
import { exchangesOf } from '../../../dns/observation.ts';
import type { AddressObservation, MailHostObservation, SmtpEvidence } from '../evidence.ts';
import { type AddressAnswer, readAnswer } from './address.ts';
import { readChain, whyUntrusted } from './chain.ts';
import { type DaneRecords, type DaneVerdict, matchDane, readDaneRecords } from './dane.ts';
import { holdSts, readSts, type Sts, type StsVerdict } from './mta-sts.ts';
import { type OldVersions, readOldVersions } from './old-versions.ts';
import { readStartTls, type StartTls, unknownStartTls } from './start-tls.ts';

/** What is known of an address of a mail host. */
export type AddressFacts = {
  readonly host: string;
  readonly seen: AddressObservation;
  readonly answer: AddressAnswer;
  readonly startTls: StartTls;
  /** Of the handshake that was completed; null without one. */
  readonly chain: Chain | null;
  /** Why the certificate is not trusted for the host, a clause; null where it is, or none was seen. */
  readonly untrusted: string | null;
  readonly oldVersions: OldVersions;
  readonly dane: DaneVerdict;
  readonly sts: StsVerdict;
};

export type HostFacts = {
  readonly seen: MailHostObservation;
  readonly records: DaneRecords;
  readonly addresses: readonly AddressFacts[];
};

export type SmtpFacts = {
  readonly evidence: SmtpEvidence;
  /** The domain says that it takes no mail (RFC 7505). */
  readonly hasNullMx: boolean;
  readonly isImplicit: boolean;
  readonly sts: Sts;
  readonly hosts: readonly HostFacts[];
};

/** Reads what was seen. */
export function readFacts(evidence: SmtpEvidence): SmtpFacts {
  const { at, mx, hosts, domain } = evidence;
  const anchors = evidence.anchors.flatMap((one) => readCertificate(one) ?? []);
  const sts = readSts(evidence.sts);
  const signedDomain = mx.secure && mx.outcome === 'found' ? domain : null;
  const context = { evidence, sts, chain: { anchors, at }, signedDomain };
  return {
    evidence,
    hasNullMx: exchangesOf(mx).some(({ exchange }) => exchange === '') && hosts.length === 0,
    isImplicit: mx.outcome === 'nodata' && hosts.length > 0,
    sts,
    hosts: hosts.map((seen) => readHost(seen, context)),
  };
}

type Context = {
  readonly evidence: SmtpEvidence;
  readonly sts: Sts;
  readonly chain: ChainContext;
  readonly signedDomain: string | null;
};

function readHost(seen: MailHostObservation, context: Context): HostFacts {
  const records = readDaneRecords(seen, context.evidence.resolverValidates);
  const addresses = seen.addresses.map((one) => readAddress(seen.host, one, records, context));
  return { seen, records, addresses };
}

function readAddress(
  host: string,
  seen: AddressObservation,
  records: DaneRecords,
  { evidence, sts, chain: chainContext, signedDomain }: Context,
): AddressFacts {
  const answer = readAnswer(seen.first, evidence.port);
  const startTls: StartTls = answer.state === 'ok' ? readStartTls(seen) : unknownStartTls(answer.reason);
  const { connection } = startTls;
  const chain = connection && readChain(connection.certificates, chainContext);
  const untrusted = chain && whyUntrusted(chain, host);
  return {
    host,
    seen,
    answer,
    startTls,
    chain,
    untrusted,
    oldVersions: readOldVersions(seen),
    dane: holdDane(records, startTls, chain, { at: evidence.at, signedDomain }),
    sts: holdSts(sts, host, startTls, untrusted),
  };
}

/** Where senders must encrypt, a host that does not is as wrong as one with another certificate (RFC 7672 §2.2). */
function holdDane(
  records: DaneRecords,
  tls: StartTls,
  chain: Chain | null,
  context: Parameters<typeof matchDane>[2],
): DaneVerdict {
  if (records.kind !== 'records') return { state: records.kind, reason: records.reason };
  if (tls.isHopeless) return { state: 'mismatch', reason: tls.reason };
  if (records.usable.length === 0)
    return { state: 'unusable', reason: 'senders can use none of its TLSA records' };
  return chain === null ? { state: 'unknown', reason: tls.reason } : matchDane(records, chain, context);
}
