import { isMalformed } from '#shared/model/verdict';
import { type Certificate, isIssuedBy, keyOf, readCertificate } from './certificate.ts';
import { type Malformed } from './grammar/malformed.ts';
import { type OcspResponse, type OcspStatus, parseOcspResponse } from './grammar/ocsp-response.ts';
import { checkSignature } from './signature.ts';

/** A stapled OCSP answer, read for one certificate. */
export type Staple =
  | { readonly kind: 'none' }
  | { readonly kind: 'unusable'; readonly reason: string }
  | {
      readonly kind: 'status';
      readonly status: OcspStatus;
      /** By the clock of the evidence. */
      readonly isOutdated: boolean;
      /** unknown: the issuer's certificate was not sent, or the algorithm is not checked. */
      readonly signature: 'good' | 'unknown';
    };

/** A clock may be wrong by this much before an answer counts as one of tomorrow: some are made while we ask. */
export const clockSlackMs = 300_000;

/**
 * An answer that names no end promises that newer ones are always there (RFC 6960 §4.2.2.1), so that only a recent one counts. Firefox
 * takes it for a day, and a day longer for wrong clocks.
 */
const goodWithoutEndMs = 2 * 86_400_000;

/** The purpose of a certificate that may sign OCSP answers for the CA that issued it (RFC 6960 §4.2.2.2). */
const ocspSigning = '1.3.6.1.5.5.7.3.9';

/** What a staple is read for: a certificate, its issuer where that is known, and the clock in Unix ms. */
export type StapleContext = {
  readonly leaf: Certificate;
  readonly issuer: Certificate | null;
  readonly at: number;
};

/** Reads the staple (base64) that came with a certificate; null when none came, though it was asked for. */
export function readStaple(staple: string | null, { leaf, issuer, at }: StapleContext): Staple {
  if (staple === null) return { kind: 'none' };
  return readResponse(parseOcspResponse(Buffer.from(staple, 'base64')), { leaf, issuer, at });
}

function readResponse(response: OcspResponse | Malformed, { leaf, issuer, at }: StapleContext): Staple {
  const unusable = (reason: string): Staple => ({ kind: 'unusable', reason });
  if (isMalformed(response)) return unusable(response.malformed);
  const { responseStatus, statuses } = response;
  if (responseStatus !== 0) return unusable(`its status is ${responseStatus}, not successful`);
  const status = statuses.find(({ serialNumber }) => serialNumber === leaf.extensions.serialNumber);
  if (status === undefined) return unusable('it is about another certificate');
  const signature = checkResponder(response, issuer);
  if (signature === 'bad') return unusable('neither the CA nor one of its responders signed it');
  const { thisUpdate, nextUpdate } = status;
  if (nextUpdate !== null && nextUpdate < thisUpdate) return unusable('it ends before it begins');
  const isOutdated = thisUpdate > at + clockSlackMs || (nextUpdate ?? thisUpdate + goodWithoutEndMs) < at;
  return { kind: 'status', status, isOutdated, signature };
}

/** The response is signed by the issuer itself, or by a responder whose certificate the issuer signed and that is sent with it. */
function checkResponder(response: OcspResponse, issuer: Certificate | null): 'good' | 'bad' | 'unknown' {
  if (issuer === null) return 'unknown';
  const own = checkSignature(response, keyOf(issuer));
  if (own !== 'bad') return own;
  const responders = response.certificates
    .flatMap((der) => readCertificate(Buffer.from(der).toString('base64')) ?? [])
    .filter(({ extensions }) => extensions.extendedKeyUsages?.includes(ocspSigning));
  const isSigned = responders.some(
    (one) => isIssuedBy(one, issuer) && checkSignature(response, keyOf(one)) === 'good',
  );
  return isSigned ? 'good' : 'bad';
}
