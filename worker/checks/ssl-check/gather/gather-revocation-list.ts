import type { Certificate } from '../../../certificates/certificate.ts';
import type { Chain } from '../../../certificates/chain.ts';
import { readRevocationList } from '../../../certificates/revocation-list.ts';
import type { HttpAnswer, HttpProbe, HttpRequest } from '../../../probes/http/port.ts';
import type { RevocationListObservation } from '../evidence.ts';
import type { Allowance } from './allowance.ts';

/** Lists of public CAs are cut into parts of some 100 kB; the HTTP probe reads no more than this of any body. */
export const listLimitBytes = 1_000_000;
/** A list that takes longer would delay the report. */
const listTimeMs = 6000;

/**
 * Fetches the list of revoked certificates that the leaf of a client's handshake points to (RFC 5280 §4.2.1.13), once, by http, no redirect followed.
 * Only a chain that is trusted is followed: anyone can write the address of a stranger's large file into a certificate of their own.
 */
export async function gatherRevocationList(
  http: HttpProbe,
  chain: Chain | null,
  allowance: Allowance,
): Promise<RevocationListObservation> {
  if (chain === null) return unknown(null, 'no handshake could be completed');
  const { leaf, trust } = chain;
  if (leaf === null) return unknown(null, 'no certificate was seen');
  if (trust?.kind !== 'trusted')
    return unknown(null, 'the certificate is not trusted, and so is no CRL that it names');
  const url = findAddress(leaf);
  if (url === null) return unknown(null, whyNoAddress(leaf));
  const request: HttpRequest = {
    url,
    headers: { accept: 'application/pkix-crl, */*;q=0.1' },
    bodyLimitBytes: listLimitBytes,
    skipRedirectBody: true,
    // A list is no text.
    asBytes: true,
  };
  const answer = await within(http.ask(request), allowance.leftMs(listTimeMs));
  const bytes = answer === null ? 'the CRL did not come in time' : takeBytes(answer);
  if (typeof bytes === 'string') return unknown(url, bytes);
  const content = readRevocationList(bytes, leaf, trust.path[1] ?? null);
  return typeof content === 'string' ? unknown(url, content) : { kind: 'list', url, ...content };
}

function unknown(url: string | null, reason: string): RevocationListObservation {
  return { kind: 'unknown', url, reason };
}

/** The first http address of a whole list. A list is signed, so that it needs no TLS, and those by https would ask for one more certificate. */
function findAddress({ extensions }: Certificate): string | null {
  const urls = extensions.distributionPoints.filter(({ isWhole }) => isWhole).flatMap((point) => point.urls);
  return urls.find((url) => url.length <= 2000 && URL.parse(url)?.protocol === 'http:') ?? null;
}

function whyNoAddress({ extensions: { distributionPoints } }: Certificate): string {
  if (distributionPoints.length === 0) return 'the certificate names no CRL';
  return distributionPoints.every(({ isWhole }) => !isWhole)
    ? 'the CRL that the certificate names is an indirect or partial one'
    : 'the certificate names no CRL with an http address';
}

/** The list, or why there is none. */
function takeBytes(answer: HttpAnswer): Uint8Array | string {
  if (answer.kind === 'failure') return `the CRL could not be fetched: ${answer.reason}`;
  if (answer.status !== 200) return `the server of the CRL answered ${answer.status}`;
  const { bytes, cut } = answer.body;
  if (cut === 'limit') return `the CRL is larger than ${listLimitBytes / 1_000_000} MB`;
  if (cut !== undefined) return `the CRL did not come whole (${cut})`;
  return bytes ?? 'the CRL could not be had as bytes';
}

/** What a promise gives, or null once so many ms are over; what comes later is dropped, and what is still open is closed with the run. */
export async function within<T>(promise: Promise<T>, ms: number): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
