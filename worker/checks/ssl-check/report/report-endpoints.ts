import { capsOf } from '#shared/catalogue/ssl-check/grade/grade';
import type { SslLabsLetter } from '#shared/catalogue/ssl-check/report';
import { codesBroken } from '#shared/model/verdict';
import type { EndpointObservation, HandshakeAnswer } from '../evidence.ts';
import type { SslFacts } from '../facts/facts.ts';
import { readTrust } from '../facts/trust.ts';
import type { JudgedCertificates } from '../judge/certificates.ts';
import { isOurs, judgeShortLooks } from '../judge/endpoints.ts';

/** The letters of the addresses that were looked at in full, and the certificates that short looks are graded by. */
export type Grades = {
  readonly own: SslLabsLetter | null;
  /** By address. */
  readonly others: ReadonlyMap<string, SslLabsLetter | null>;
  readonly each: JudgedCertificates['each'];
};

/** Every address of the name that was looked at. */
export function reportEndpoints({ evidence, client }: SslFacts, grades: Grades) {
  const { addresses, endpoints } = evidence;
  const first = addresses.map((address) => ({
    ...describe(address, client?.address === address ? client : null),
    ...trustOf(client, grades),
    look: 'full' as const,
    state: client === null ? ('unreachable' as const) : ('complete' as const),
    grade: grades.own,
  }));
  const others = (endpoints ?? []).map((endpoint) => ({
    ...describe(endpoint.address, endpoint.handshake),
    ...trustOf(endpoint.handshake, grades),
    look: lookOf(endpoint),
    state: stateOf(endpoint),
    grade: gradeOf(endpoint, evidence, grades),
  }));
  return [...first, ...others];
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

function lookOf({ isBrief, oldVersions }: EndpointObservation) {
  if (isBrief) return 'handshake' as const;
  return oldVersions === undefined ? ('full' as const) : ('short' as const);
}

/** Of the certificate that current clients are shown there. */
function trustOf(handshake: HandshakeAnswer | null, { each }: Grades) {
  const judged = handshake?.kind === 'connected' ? findJudged(handshake.certificates, each) : undefined;
  if (judged === undefined) return { trusted: null, trustError: null };
  const { trusted, error } = readTrust(judged.presented, codesBroken(judged.verdicts));
  return { trusted, trustError: error };
}

function findJudged([leaf]: readonly string[], each: Grades['each']) {
  return each.find(({ presented }) => presented.chain.leaf?.x509.raw.toString('base64') === leaf);
}

function stateOf(endpoint: EndpointObservation) {
  if (isOurs(endpoint)) return 'not-tested' as const;
  return endpoint.handshake.kind === 'connected' ? ('complete' as const) : ('unreachable' as const);
}

/** After a short look: the letter that the findings about its certificate and its old versions leave; null where they leave any. */
function gradeOf(
  { address, handshake, full }: EndpointObservation,
  evidence: SslFacts['evidence'],
  { others, each }: Grades,
): SslLabsLetter | null {
  if (full !== undefined) return others.get(address) ?? null;
  if (handshake.kind === 'failure') return null;
  const judged = findJudged(handshake.certificates, each);
  const old = judgeShortLooks(evidence).find((one) => one.address === address)?.verdicts ?? {};
  const codes = [
    ...(judged === undefined ? [] : codesBroken(judged.verdicts)),
    ...codesBroken(old as { 'tls10-offered': 'holds' }),
  ];
  return capsOf(codes)[0]?.letter ?? null;
}
