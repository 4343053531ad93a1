import type { CertificateCode } from '#shared/catalogue/ssl-check/rules/certificate';
import { brokenBy, brokenIf, type Evidence, type Fix, type Verdict } from '#shared/model/verdict';
import type { Chain } from '../../../certificates/chain.ts';
import { describeFault, type PathFault, type PathReason } from '../../../certificates/trust/reasons.ts';

/** Reasons that rules of their own tell. */
const toldElsewhere: readonly PathReason[] = [
  'self-signed',
  'root-unknown',
  'expired',
  'not-yet-valid',
  'signature-weak',
];

/** Judges whether a path leads from the certificate to a trusted root; every reason why none does breaks one rule. */
export function judgeTrust(chain: Chain) {
  const faults = listFaults(chain);
  const shown = (reason: PathReason) =>
    faults.filter((fault) => fault.reason === reason).map((fault) => showFault(fault, chain));
  const missing = faults.filter(isFetchable).map((fault) => showFault(fault, chain));
  const rest = faults.filter((fault) => !toldElsewhere.includes(fault.reason) && !isFetchable(fault));
  return {
    'certificate-self-signed': brokenBy(shown('self-signed')),
    'certificate-root-unknown': judgeRoot(chain, shown('root-unknown')),
    'chain-incomplete': bringsNoIssuer(chain) ? 'holds' : brokenBy(missing),
    'chain-intermediate-wrong': bringsNoIssuer(chain) ? brokenBy(missing) : 'holds',
    'certificate-not-trusted': brokenBy(
      rest.map((fault) => showFault(fault, chain)),
      fixOf(rest, chain),
    ),
  } as const satisfies Partial<Record<CertificateCode, Verdict>>;
}

/** What is wrong with the path of a chain; nothing where it is trusted. */
export function listFaults({ trust }: Chain): readonly PathFault[] {
  return trust?.kind === 'untrusted' ? trust.faults : [];
}

/** Some clients download the missing issuer from the address in the certificate. Without an address no client can complete the chain. */
function isFetchable({ reason, certificate }: PathFault): boolean {
  return reason === 'issuer-missing' && certificate.extensions.issuerUrls.length > 0;
}

const sendIssuer: Fix = {
  text: 'Send the intermediate certificate that your CA gave you. If it has none for browsers, have the certificate issued by a public CA.',
};

/** Where the issuer alone is missing, it is to be sent; not that of a private CA, whose root was sent. */
function fixOf(faults: readonly PathFault[], { leaf, sent }: Chain): Fix | undefined {
  const isPrivate = sent.some((one) => one.isSelfIssued && one !== leaf);
  return faults.every(({ reason }) => reason === 'issuer-missing') && !isPrivate ? sendIssuer : undefined;
}

function judgeRoot({ isSelfSigned }: Chain, shown: readonly Evidence[]): Verdict {
  return isSelfSigned ? 'not-applicable' : brokenBy(shown);
}

function showFault(fault: PathFault, { leaf }: Chain): Evidence {
  const { reason, certificate } = fault;
  const { subject, issuer } = certificate;
  const own = leaf?.subject ?? '';
  const reasonText = `${subject} ${describeFault(fault)}`;
  return reason === 'root-unknown'
    ? { subject: own, root: subject, issuer, error: reason }
    : { subject: reason === 'issuer-missing' ? subject : own, issuer, error: reason, reason: reasonText };
}

/** CA certificates were sent, but none of them is one step above the leaf. */
function bringsNoIssuer({ trust, surplus }: Chain): boolean {
  return trust?.path.length === 1 && surplus.some(({ extensions }) => extensions.isAuthority);
}

/** Judges which certificates are sent, and in which order. */
export function judgeSending({ sent, root, surplus, copies, isOrdered }: Chain) {
  const unneeded = surplus.filter((one) => !copies.includes(one));
  return {
    'chain-misordered': brokenIf(!isOrdered, { order: sent.map(({ subject }) => subject).join(' · ') }),
    'chain-surplus': brokenBy([
      ...unneeded.map(({ subject, bytes }) => ({ subject, bytes })),
      ...copies.map(({ subject, bytes }) => ({ subject: `A second copy of ${subject}`, bytes })),
    ]),
    'chain-root-sent': root === null ? 'holds' : brokenIf(true, { subject: root.subject, bytes: root.bytes }),
  } as const satisfies Partial<Record<CertificateCode, Verdict>>;
}
