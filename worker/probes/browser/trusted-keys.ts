import { createHash, type KeyObject, X509Certificate } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import { DialFailure } from '../dial-failure.ts';
import type { Dial } from '../guard.ts';
import { connectTls } from '../tls/guarded-stream.ts';
import { waitUntilSecure } from '../tls/secure.ts';

const handshakeMs = 4000;

/**
 * The key that an https origin shows, where Node trusts its chain to one of these authorities: SHA-256 of its SPKI, base64. Chromium has
 * no setting for more roots, only for keys that it believes whatever else is wrong; an authority's own key would excuse every fault of its certificates.
 * @param authorities certificates, PEM
 * @returns undefined where the chain is not trusted, or ends at a root that browsers know
 */
export async function findTrustedKey(
  origin: string,
  authorities: readonly string[],
  { dial, signal }: { readonly dial: Dial; readonly signal: AbortSignal },
): Promise<string | undefined> {
  try {
    const { hostname: host, port } = new URL(origin);
    const dialled = await dial(host, port === '' ? 443 : Number(port), signal);
    const tls = connectTls(dialled, {
      servername: host.startsWith('[') ? '' : host,
      rejectUnauthorized: false,
    });
    try {
      await waitUntilSecure(tls, dialled, handshakeMs, signal);
      // The chain first: once the certificate alone was asked for, Node no longer gives its issuers.
      if (!tls.authorized || !isBelow(tls, authorities)) return undefined;
      const certificate = tls.getPeerX509Certificate();
      return certificate && hashKey(certificate.publicKey);
    } finally {
      tls.destroy();
    }
  } catch (error) {
    // The page load meets the same failure, and tells it.
    if (error instanceof DialFailure) return undefined;
    throw error;
  }
}

// The rebuilt chain, whose last certificate is its own issuer.
function isBelow(tls: TLSSocket, authorities: readonly string[]): boolean {
  let top = tls.getPeerCertificate(true);
  while (top.issuerCertificate && top.issuerCertificate !== top) top = top.issuerCertificate;
  return authorities.some((pem) => new X509Certificate(pem).fingerprint256 === top.fingerprint256);
}

function hashKey(key: KeyObject): string {
  return createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('base64');
}
