import { isMalformed } from '../grammar/malformed.ts';
import { type OcspStatus, parseOcspResponse } from '../grammar/ocsp-response.ts';
import type { CertificateSight } from './certificate-sight.ts';
import type { SslSight } from './sight.ts';

/** A stapled OCSP answer, read for one certificate. */
export type Staple =
  | { readonly kind: 'none' }
  | { readonly kind: 'unusable'; readonly reason: string }
  | { readonly kind: 'status'; readonly status: OcspStatus };

/** Reads the staple that came with a certificate; null when none could come because nobody asked. */
export function readStaple({ client, clearAnswers }: SslSight, leaf: CertificateSight): Staple | null {
  const base64 =
    client?.ocspResponse ?? clearAnswers.find(({ ocspResponse }) => ocspResponse !== null)?.ocspResponse;
  if (base64 === undefined || base64 === null)
    return client === null && clearAnswers.length === 0 ? null : { kind: 'none' };
  const response = parseOcspResponse(Buffer.from(base64, 'base64'));
  if (isMalformed(response)) return { kind: 'unusable', reason: response.reason };
  if (response.responseStatus !== 0)
    return { kind: 'unusable', reason: `its status is ${response.responseStatus}, not successful` };
  const status = response.statuses.find(({ serialNumber }) => serialNumber === leaf.extensions.serialNumber);
  return status
    ? { kind: 'status', status }
    : { kind: 'unusable', reason: 'it is about another certificate' };
}
