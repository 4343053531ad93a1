import { createHash } from 'node:crypto';
import type { NameCode } from '#shared/catalogue/ssl-check/rules/name';
import { brokenBy, brokenIf, notTested, type Verdict } from '#shared/model/verdict';
import type { Certificate } from '../../../certificates/certificate.ts';
import type { Chain } from '../../../certificates/chain.ts';
import type { SslEvidence, TlsaRecord } from '../evidence.ts';

/** Judges what the DNS says of the certificate. */
export function judgeNamesInDns(
  { host, port, names }: SslEvidence,
  chains: readonly Chain[],
): Record<NameCode, Verdict> {
  const { caa, tlsa } = names;
  const shown = { host, name: `_${port}._tcp.${host}` };
  return {
    'caa-missing':
      caa.kind === 'unknown' ? notTested(caa.reason) : brokenIf(caa.found.length === 0, { host }),
    ...judgeTlsa(tlsa, chains, shown),
  };
}

function judgeTlsa(
  tlsa: SslEvidence['names']['tlsa'],
  chains: readonly Chain[],
  shown: { host: string; name: string },
) {
  if (tlsa.kind === 'unknown') {
    const unseen = notTested(tlsa.reason);
    return { 'tlsa-mismatch': unseen, 'tlsa-insecure': unseen } as const;
  }
  if (tlsa.found.length === 0)
    return { 'tlsa-mismatch': 'not-applicable', 'tlsa-insecure': 'not-applicable' } as const;
  // A client of DANE takes whichever certificate its suites lead to, so that each must fit.
  const unmatched = chains.filter(({ leaf, sent }) =>
    tlsa.found.every((record) => !sent.some((one) => fits(record, one, one === leaf))),
  );
  const count = tlsa.found.length;
  const judgeMatch = (): Verdict => {
    if (!tlsa.isSecure) return 'not-applicable';
    if (chains.every(({ leaf }) => leaf === null)) return notTested('no certificate was seen');
    if (unmatched.length > 0 && tlsa.found.some(({ usage }) => usage === 0))
      return notTested('a record may mean a public root, which is not sent and cannot be compared');
    return brokenBy(
      unmatched.map(({ leaf }) => ({
        ...shown,
        count,
        subject: leaf?.subject ?? '',
        sha256: leaf?.sha256 ?? '',
      })),
    );
  };
  return { 'tlsa-mismatch': judgeMatch(), 'tlsa-insecure': brokenIf(!tlsa.isSecure, shown) } as const;
}

/** RFC 6698 §2.1: usages 1 and 3 mean the server's certificate, 0 and 2 one above it; that of usage 2 must be sent (RFC 7671 §5.2.2). */
function fits(
  { usage, selector, matchingType, certificate }: TlsaRecord,
  one: Certificate,
  isLeaf: boolean,
): boolean {
  if (isLeaf !== (usage === 1 || usage === 3)) return false;
  const selected = selector === 0 ? one.x509.raw : readPublicKey(one);
  if (selected === null) return false;
  if (matchingType === 0) return selected.toString('hex') === certificate;
  const hash = matchingType === 1 ? 'sha256' : matchingType === 2 ? 'sha512' : null;
  return hash !== null && createHash(hash).update(selected).digest('hex') === certificate;
}

function readPublicKey({ x509 }: Certificate): Buffer | null {
  try {
    return x509.publicKey.export({ type: 'spki', format: 'der' });
  } catch {
    return null; // a key that OpenSSL cannot read
  }
}
