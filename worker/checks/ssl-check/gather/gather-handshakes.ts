import { isMalformed } from '#shared/model/verdict';
import { legacyOffer } from '../../../probes/tls/legacy-offer.ts';
import type { Handshake, HandshakeRequest, TlsProbe } from '../../../probes/tls/port.ts';
import type { HandshakeAnswer, HandshakeObservation, Offer } from '../evidence.ts';
import type { KeyKind } from '../grammar/key-kind.ts';
import { parseTlsSession } from '../grammar/tls-session.ts';
import type { Allowance } from './allowance.ts';
import type { Target } from './ask-hello.ts';

const alpn = ['h2', 'http/1.1'];

/** What each offer changes in the hello. */
const offers: { readonly [O in Offer]: Partial<HandshakeRequest> } = {
  modern: { alpn },
  small: { alpn, ecdhCurve: 'X25519:P-256:P-384:P-521' },
  'without-alpn': {},
  legacy: legacyOffer,
};

/** Handshakes in order, and the session that the last one brought: a secret that stays out of the evidence. */
export type Shaken = { readonly seen: readonly HandshakeObservation[]; readonly session: string | null };

/** Where hands are shaken, and what that may cost. */
export type HandshakeLine = {
  readonly tls: TlsProbe;
  readonly target: Target;
  readonly allowance: Allowance;
  /** Called with what is shown as soon as hands are shaken, before tickets and late alerts are waited for. */
  readonly onMet?: (seen: HandshakeObservation) => void;
};

/** Lets OpenSSL shake hands as a browser would; where that fails, once more with what the failure hints at. */
export async function gatherHandshakes(line: HandshakeLine): Promise<Shaken> {
  return shakeOn(line, await shakeOnce(line));
}

/** The first of these handshakes alone. */
export async function shakeOnce(line: HandshakeLine): Promise<Shaken> {
  return (await shake(line, 'modern')) ?? { seen: [], session: null };
}

/** The others, as long as the last one failed. */
export async function shakeOn(line: HandshakeLine, first: Shaken): Promise<Shaken> {
  let shaken = first;
  let last = first.seen.at(-1);
  while (last !== undefined) {
    const offer = nextOffer(last.offer, last.handshake);
    const next: Shaken | null = offer && (await shake(line, offer));
    last = next?.seen.at(-1);
    if (next !== null) shaken = { ...next, seen: [...shaken.seen, ...next.seen] };
  }
  return shaken;
}

/** What a client sends with an offer, but for how long it stays. */
export function requestOf(offer: Offer, target: Target): Omit<HandshakeRequest, 'lingerMs'> {
  return { ...offers[offer], ...target, servername: target.host };
}

/** The same without a name: what a client without SNI is shown. */
export async function gatherWithoutName(
  probe: TlsProbe,
  target: Target,
  allowance: Allowance,
  offer: Offer,
): Promise<HandshakeAnswer | null> {
  if (allowance.takeKept() !== null) return null;
  return keepHandshake(await probe.handshake({ ...offers[offer], ...target, servername: null, lingerMs: 0 }));
}

/** OpenSSL's suites of either kind; those without encryption are in no other list either. */
const suitesOfKind: { readonly [K in KeyKind]: string } = { ECDSA: 'aECDSA:!eNULL', RSA: 'aRSA:!eNULL' };

const pkcs1 = 'RSA+SHA256:RSA+SHA384:RSA+SHA512';

/**
 * The algorithms that a key of either kind can sign a TLS 1.3 handshake with, then PKCS #1, which only CAs may use there (RFC 8446 §4.2.3). Java servers check the chain against the same list.
 * A CA with an ECDSA key has no place beside RSA, since what signs certificates by it signs handshakes too.
 */
const algorithmsOfKind: { readonly [K in KeyKind]: string } = {
  ECDSA: `ecdsa_secp256r1_sha256:ecdsa_secp384r1_sha384:ecdsa_secp521r1_sha512:ed25519:ed448:${pkcs1}`,
  RSA: `${pssOf('rsae')}:${pssOf('pss')}:${pkcs1}`,
};

/** PSS by a key that may also sign otherwise (rsae), or by one that may not (pss). */
function pssOf(key: 'rsae' | 'pss'): string {
  return [256, 384, 512].map((bits) => `rsa_pss_${key}_sha${bits}`).join(':');
}

/** The kind of key that is asked for, and how. */
export type KindWanted = {
  readonly kind: KeyKind;
  /** What the server answered before. */
  readonly offer: Offer;
  /** Up to TLS 1.2 suites choose the certificate, in TLS 1.3 signature algorithms. */
  readonly version: 'up-to-1.2' | '1.3';
};

/** The same for a client that knows one kind of key only. */
export async function shakeForKind(
  probe: TlsProbe,
  target: Target,
  { kind, offer, version }: KindWanted,
): Promise<HandshakeAnswer> {
  const level = offer === 'legacy' ? ':@SECLEVEL=0' : '';
  const only: Partial<HandshakeRequest> =
    version === '1.3'
      ? { minVersion: 'TLSv1.3', signatureAlgorithms: algorithmsOfKind[kind] }
      : { maxVersion: 'TLSv1.2', ciphers: `${suitesOfKind[kind]}${level}` };
  return keepHandshake(
    await probe.handshake({
      ...offers[offer],
      ...only,
      ...target,
      servername: target.host,
      requestOcsp: true,
      lingerMs: 0,
    }),
  );
}

/** One handshake; null where none may be begun any more. */
async function shake({ tls, target, allowance, onMet }: HandshakeLine, offer: Offer): Promise<Shaken | null> {
  if (allowance.takeKept() !== null) return null;
  const shaken = await tls.handshake({
    ...requestOf(offer, target),
    requestOcsp: true,
    lingerMs: allowance.lingerMs,
    onSecure: (met) => onMet?.({ offer, handshake: keepHandshake(met) }),
  });
  if (shaken.kind === 'failure' && shaken.code === 'tls-timeout') allowance.noteSilence();
  const session = shaken.kind === 'connected' ? shaken.session : null;
  return { seen: [{ offer, handshake: keepHandshake(shaken) }], session };
}

/** A handshake as it is kept in the evidence: without the session, which holds a secret. */
export function keepHandshake(handshake: Handshake): HandshakeAnswer {
  if (handshake.kind === 'failure') return handshake;
  const { session, isResumed: _, renegotiation: __, ...rest } = handshake;
  return { ...rest, maxEarlyDataBytes: readEarlyData(session, handshake.protocol) };
}

/** Only TLS 1.3 has early data (RFC 8446 §4.2.10). */
function readEarlyData(session: string | null, protocol: string): number | null {
  if (protocol !== 'TLSv1.3') return 0;
  const read = parseTlsSession(Buffer.from(session ?? '', 'base64'));
  return isMalformed(read) ? null : read.maxEarlyDataBytes;
}

function nextOffer(offer: Offer, handshake: HandshakeAnswer): Offer | null {
  if (handshake.kind === 'connected') return null;
  const { code, opensslCode, isStalled } = handshake;
  if (offer === 'legacy') return null;
  if (opensslCode?.includes('NO_APPLICATION_PROTOCOL'))
    return offer === 'without-alpn' ? null : 'without-alpn';
  if (code === 'tls-failed') return 'legacy';
  // A server that falls silent after the smaller hello too does so whatever it is offered, and each attempt costs its whole time.
  if (isStalled === true && offer !== 'modern') return null;
  if (cutOffs.includes(code)) return offer === 'modern' ? 'small' : 'legacy';
  return null;
}

const cutOffs: readonly string[] = ['tls-timeout', 'connection-reset', 'connection-closed'];
