import type { Renegotiation, TlsProbe } from '../../../probes/tls/port.ts';
import type { Connected, Offer, Question, ResumptionObservation } from '../evidence.ts';
import type { Allowance } from './allowance.ts';
import type { Target } from './ask-hello.ts';
import { requestOf } from './gather-handshakes.ts';

export type SessionContext = {
  readonly tls: TlsProbe;
  readonly target: Target;
  readonly allowance: Allowance;
};

/** The handshake of today's client, what it offered, and the session that it brought. */
export type Client = {
  readonly offer: Offer;
  readonly handshake: Connected;
  readonly session: string | null;
};

/** Comes back once with the session of today's client: one connection more where the server issued one. */
export async function gatherResumption(
  { tls, target, allowance }: SessionContext,
  { offer, handshake, session }: Client,
): Promise<ResumptionObservation> {
  const version = handshake.protocol;
  if (session === null) return { version, outcome: 'none' };
  if (allowance.take() !== null) return { version, outcome: 'unknown' };
  const again = await tls.handshake({ ...requestOf(offer, target), session, lingerMs: 0 });
  if (again.kind === 'failure') return { version, outcome: 'unknown' };
  return { version, outcome: again.isResumed ? 'resumed' : 'declined' };
}

/** On top of a handshake that may take 5 s, and that may begin 12 s after the start of a run of 20 s. */
const longestRenegotiationMs = 1500;

/** Asks for one renegotiation, as a client of TLS 1.2 may; null where that version is not spoken. @param opening the answer to its sound suites */
export async function gatherRenegotiation(
  { tls, target, allowance }: SessionContext,
  { offer }: Client,
  opening: Question,
): Promise<Renegotiation | null> {
  if (opening.accepted.length === 0) return null;
  if (allowance.take() !== null) return 'unknown';
  const request = requestOf(offer, target);
  const shaken = await tls.handshake({
    ...request,
    // HTTP/2 forbids renegotiation (RFC 9113 §9.2.1), so that a refusal there would say nothing about HTTP/1.1.
    ...(request.alpn === undefined ? {} : { alpn: ['http/1.1'] }),
    maxVersion: 'TLSv1.2',
    renegotiateForMs: Math.min(allowance.timeoutMs(), longestRenegotiationMs),
    lingerMs: 0,
  });
  return shaken.kind === 'connected' ? (shaken.renegotiation ?? 'unknown') : 'unknown';
}
