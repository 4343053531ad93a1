import type { SslLabsLetter } from '../../../../shared/catalogue/ssl-check/report.ts';
import { codesBroken } from '../../../../shared/model/verdict.ts';
import type { HandshakeAnswer } from '../evidence.ts';
import type { SslFacts } from '../facts/facts.ts';
import type { JudgedCertificates } from '../judge/certificates.ts';
import { isOurs } from '../judge/endpoints.ts';
import { capsOf } from '../judge/grade/grade.ts';

/** Every address that was looked at: the first in full, the others by one handshake, whose letter is that of the certificate alone. */
export function reportEndpoints(
  { evidence, client }: SslFacts,
  letter: SslLabsLetter | null,
  each: JudgedCertificates['each'],
) {
  const { addresses, endpoints } = evidence;
  const full = addresses.map((address) => ({
    ...describe(address, client?.address === address ? client : null),
    look: 'full' as const,
    state: client === null ? ('unreachable' as const) : ('complete' as const),
    grade: letter,
  }));
  const short = (endpoints ?? []).map(({ address, handshake }) => ({
    ...describe(address, handshake),
    look: 'short' as const,
    state: isOurs({ address, handshake })
      ? ('not-tested' as const)
      : handshake.kind === 'connected'
        ? ('complete' as const)
        : ('unreachable' as const),
    grade: handshake.kind === 'connected' ? letterOf(handshake.certificates[0] ?? '', each) : null,
  }));
  return [...full, ...short];
}

function describe(address: string, handshake: HandshakeAnswer | null) {
  const isConnected = handshake?.kind === 'connected';
  return {
    address,
    family: address.includes(':') ? ('IPv6' as const) : ('IPv4' as const),
    protocol: isConnected ? handshake.protocol : null,
    alpn: isConnected ? handshake.alpn : null,
    reason: handshake?.kind === 'failure' ? handshake.reason : null,
  };
}

/** The letter that the findings about a certificate leave; null where they leave any. */
function letterOf(leaf: string, each: JudgedCertificates['each']): SslLabsLetter | null {
  const judged = each.find(({ presented }) => presented.chain.leaf?.x509.raw.toString('base64') === leaf);
  return judged === undefined ? null : (capsOf(codesBroken(judged.verdicts))[0]?.letter ?? null);
}
