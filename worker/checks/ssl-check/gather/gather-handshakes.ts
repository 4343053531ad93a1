import type { Handshake, HandshakeRequest, TlsProbe } from '../../../probes/tls/port.ts';
import type { HandshakeAnswer, HandshakeSeen, Offer } from '../evidence.ts';
import type { KeyKind } from '../grammar/key-kind.ts';
import { isMalformed } from '../grammar/malformed.ts';
import { parseTlsSession } from '../grammar/tls-session.ts';
import type { Allowance } from './allowance.ts';
import type { Target } from './ask-hello.ts';

/** SSL_OP_LEGACY_SERVER_CONNECT: also servers without secure renegotiation (RFC 5746). */
const legacyServerConnect = 4;

const alpn = ['h2', 'http/1.1'];
const legacy = {
  minVersion: 'TLSv1',
  ciphers: 'ALL:COMPLEMENTOFALL:@SECLEVEL=0',
  secureOptions: legacyServerConnect,
} as const;

/** What each offer changes in the hello. */
const offers: { readonly [O in Offer]: Partial<HandshakeRequest> } = {
  modern: { alpn },
  small: { alpn, ecdhCurve: 'X25519:P-256:P-384:P-521' },
  'without-alpn': {},
  legacy,
};

/** Lets OpenSSL shake hands as a browser would; where that fails, once more with what the failure hints at. */
export async function gatherHandshakes(
  probe: TlsProbe,
  target: Target,
  allowance: Allowance,
  attempts: 'once' | 'until-it-connects',
): Promise<readonly HandshakeSeen[]> {
  const seen: HandshakeSeen[] = [];
  let offer: Offer | null = 'modern';
  while (offer !== null && allowance.takeKept() === null) {
    const handshake: HandshakeAnswer = await shake(probe, target, allowance, offer);
    seen.push({ offer, handshake });
    offer = attempts === 'once' ? null : nextOffer(offer, handshake);
  }
  return seen;
}

/** The same without a name: what a client without SNI is shown. */
export async function gatherWithoutName(
  probe: TlsProbe,
  { host, port }: Target,
  allowance: Allowance,
  offer: Offer,
): Promise<HandshakeAnswer | null> {
  if (allowance.takeKept() !== null) return null;
  return keep(await probe.handshake({ ...offers[offer], host, port, servername: null, lingerMs: 0 }));
}

/** OpenSSL's suites of either kind; those without encryption are in no other list either. */
const suitesOfKind: { readonly [K in KeyKind]: string } = { ECDSA: 'aECDSA:!eNULL', RSA: 'aRSA:!eNULL' };

/** The same in TLS 1.2, where suites choose the certificate, for a client that knows one kind of key only. */
export async function shakeForKind(
  probe: TlsProbe,
  { host, port }: Target,
  offer: Offer,
  kind: KeyKind,
): Promise<HandshakeAnswer> {
  const level = offer === 'legacy' ? ':@SECLEVEL=0' : '';
  return keep(
    await probe.handshake({
      ...offers[offer],
      maxVersion: 'TLSv1.2',
      ciphers: `${suitesOfKind[kind]}${level}`,
      host,
      port,
      servername: host,
      requestOcsp: true,
      lingerMs: 0,
    }),
  );
}

async function shake(
  probe: TlsProbe,
  { host, port }: Target,
  allowance: Allowance,
  offer: Offer,
): Promise<HandshakeAnswer> {
  const lingerMs = allowance.lingerMs();
  const request = { ...offers[offer], host, port, servername: host, requestOcsp: true, lingerMs };
  const handshake = await probe.handshake(request);
  if (handshake.kind === 'failure' && handshake.code === 'tls-timeout') allowance.noteSilence();
  return keep(handshake);
}

function keep(handshake: Handshake): HandshakeAnswer {
  if (handshake.kind === 'failure') return handshake;
  const { session, ...rest } = handshake;
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
  const { code, opensslCode } = handshake;
  if (offer === 'legacy') return null;
  if (opensslCode?.includes('NO_APPLICATION_PROTOCOL'))
    return offer === 'without-alpn' ? null : 'without-alpn';
  if (code === 'tls-failed') return 'legacy';
  const isCut = code === 'tls-timeout' || code === 'connection-reset' || code === 'connection-closed';
  if (isCut) return offer === 'modern' ? 'small' : 'legacy';
  return null;
}
