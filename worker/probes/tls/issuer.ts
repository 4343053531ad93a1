import { X509Certificate } from 'node:crypto';
import { getCACertificates, type TLSSocket } from 'node:tls';
import { leafOf } from './secure.ts';

/** Who stands above the certificate of a connection. */
export type SeenIssuer = {
  /** Its chain leads to a root that browsers trust too. */
  readonly isPublic: boolean;
  /** Its chain leads to nobody that is known, or to somebody whom only this machine trusts. */
  readonly isStrange: boolean;
  /** A root that only this machine trusts stands above it. */
  readonly isKnown: boolean;
  /** The name of the issuer at the end of the chain as it was sent. */
  readonly issuer: string;
  /** It is refused for its times alone, by this machine's clock. */
  readonly isOutOfTime: boolean;
};

/** Chains that end at an issuer that nobody knows, as those of a machine that intercepts TLS do. */
const unknownIssuer = [
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
];

/** What OpenSSL says of a certificate whose time has not come, or is over. */
export function isTimeError(code: string): boolean {
  return code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID';
}

/** Looks at the chain of a finished handshake. */
export function seeIssuer(tls: TLSSocket): SeenIssuer {
  const own = ownRoots();
  const code = codeOf(tls.authorizationError);
  if (tls.authorized && own.size === 0)
    return { isPublic: true, isStrange: false, isKnown: false, issuer: '', isOutOfTime: false };
  const isUnknown = unknownIssuer.includes(code);
  if (!tls.authorized && !isUnknown)
    return { isPublic: false, isStrange: false, isKnown: false, issuer: '', isOutOfTime: isTimeError(code) };
  const issuers = issuersOf(tls);
  const isOwn = issuers.some((issuer) => own.has(issuer));
  return {
    isPublic: tls.authorized && !isOwn,
    isStrange: isUnknown || isOwn,
    isKnown: isOwn && !isUnknown,
    issuer: issuers.at(-1) ?? '',
    isOutOfTime: false,
  };
}

/** More are sent by nobody who means well. */
const longestChain = 10;

function issuersOf(tls: TLSSocket): readonly string[] {
  const issuers: string[] = [];
  let next = leafOf(tls);
  for (; next && issuers.length < longestChain; next = next.issuerCertificate) issuers.push(next.issuer);
  return issuers;
}

function codeOf(error: Error | string | null | undefined): string {
  return error instanceof Error ? ((error as { code?: string }).code ?? '') : (error ?? '');
}

const known = new WeakMap<readonly string[], ReadonlySet<string>>();

/** The names of roots that only this machine trusts (NODE_EXTRA_CA_CERTS). */
function ownRoots(): ReadonlySet<string> {
  const pems = getCACertificates('extra');
  const names = known.get(pems) ?? new Set(pems.map((pem) => new X509Certificate(pem).subject));
  known.set(pems, names);
  return names;
}
