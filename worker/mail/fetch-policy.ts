import type { HttpProbe } from '../probes/http/port.ts';

/** The policy file of MTA-STS, as it was fetched; headers that nobody judges are left out. */
export type PolicyObservation =
  | {
      readonly kind: 'response';
      readonly status: number;
      readonly contentType: string | null;
      readonly location: string | null;
      readonly text: string;
      /** True when the file is longer than what is read of it. */
      readonly isCut: boolean;
      /** When the certificate of the host begins and ends, ISO 8601; absent in evidence of earlier releases. */
      readonly certificate?: { readonly notBefore: string; readonly notAfter: string };
      /** null where the certificate is good, else why it is refused. */
      readonly certificateError: string | null;
    }
  | { readonly kind: 'failure'; readonly code: string; readonly reason: string };

/** RFC 8461 §3.3 suggests 64 KB; one byte more tells that a file is longer. */
const policyLimitBytes = 64 * 1024;

// RFC 8461 §3.2 knows no other; a mark at the start is a part of the text, as its grammar has none.
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** Fetches the policy file of MTA-STS. Nothing is followed: senders must not either (RFC 8461 §3.3). */
export async function fetchPolicy(http: HttpProbe, url: string): Promise<PolicyObservation> {
  const answer = await http.ask({
    url,
    bodyLimitBytes: policyLimitBytes + 1,
    skipRedirectBody: true,
    asBytes: true,
    wantsValidity: true,
  });
  if (answer.kind === 'failure') return { kind: 'failure', code: answer.code, reason: answer.reason };
  if (answer.body.cut === 'timeout')
    return { kind: 'failure', code: 'response-timeout', reason: 'the answer stopped before its end' };
  const find = (name: string) => answer.headers.find(([key]) => key.toLowerCase() === name)?.[1] ?? null;
  const { body, tls, status } = answer;
  return {
    kind: 'response',
    status,
    contentType: find('content-type'),
    location: find('location'),
    text: utf8.decode(body.bytes?.subarray(0, policyLimitBytes)),
    isCut: body.decodedBytes > policyLimitBytes || body.cut !== undefined,
    ...(tls?.validity ? { certificate: tls.validity } : {}),
    certificateError: tls?.trusted === true ? null : (tls?.error ?? 'it is not trusted'),
  };
}
