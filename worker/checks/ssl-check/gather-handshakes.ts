import type { Handshake, HandshakeRequest, TlsProbe } from '../../probes/tls/port.ts';
import type { Allowance } from './allowance.ts';
import type { Target } from './ask-hello.ts';
import type { HandshakeSeen, Offer } from './evidence.ts';

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
    const handshake: Handshake = await shake(probe, target, allowance, offer);
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
): Promise<Handshake | null> {
  if (allowance.takeKept() !== null) return null;
  return probe.handshake({ ...offers[offer], host, port, servername: null, lingerMs: 0 });
}

async function shake(
  probe: TlsProbe,
  { host, port }: Target,
  allowance: Allowance,
  offer: Offer,
): Promise<Handshake> {
  // Tickets and late alerts come one round trip after our last message; a fresh answer took two and the server's work.
  const lingerMs = Math.round(Math.min(1000, 25 + 2 * allowance.answerMs()));
  const request = { ...offers[offer], host, port, servername: host, requestOcsp: true, lingerMs };
  const handshake = await probe.handshake(request);
  if (handshake.kind === 'failure' && handshake.code === 'tls-timeout') allowance.noteSilence();
  return handshake;
}

function nextOffer(offer: Offer, handshake: Handshake): Offer | null {
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
