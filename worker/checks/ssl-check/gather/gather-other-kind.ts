import { readCertificate } from '../../../certificates/certificate.ts';
import type { ReadChain } from '../../../certificates/read-chain.ts';
import type { HttpProbe } from '../../../probes/http/port.ts';
import type { TlsProbe } from '../../../probes/tls/port.ts';
import type { OtherKindAnswer, OtherKindObservation, Question, Refusal } from '../evidence.ts';
import { isDecisive } from '../facts/decisive.ts';
import type { SslFacts } from '../facts/facts.ts';
import { type KeyKind, kindOfKey, kindOfSuite, otherKindThan } from '../grammar/key-kind.ts';
import { suites, suiteSets } from '../grammar/suites.ts';
import type { Allowance } from './allowance.ts';
import type { Target } from './ask-hello.ts';
import { type KindWanted, shakeForKind } from './gather-handshakes.ts';
import { gatherRevocationList } from './gather-revocation-list.ts';

/** What is known when the questions are over. */
export type AskedBefore = {
  readonly client: SslFacts['client'];
  readonly questions: readonly Question[];
  readonly refusals?: readonly Refusal[];
};

export type OtherKindContext = {
  readonly tls: TlsProbe;
  readonly http: HttpProbe;
  readonly target: Target;
  readonly allowance: Allowance;
  readonly readChain: ReadChain;
};

/**
 * Looks for the certificate that clients are shown who know only the other kind of key: one connection more where there is one, or where the questions left it open.
 * It is asked for in TLS 1.3 only where nothing older is spoken: up to TLS 1.2 the suites tell what there is.
 */
export async function gatherOtherKind(
  look: OtherKindContext,
  answered: AskedBefore,
): Promise<OtherKindObservation | null> {
  const { client } = answered;
  const leaf = client === null ? undefined : readCertificate(client.certificates[0] ?? '');
  if (client === null || leaf === undefined) return null;
  const kind = otherKindThan(kindOfKey(leaf.key.type));
  const isSpokenBefore13 = answered.questions.some(
    ({ version, accepted }) => version !== 'TLSv1.3' && version !== 'SSLv2' && accepted.length > 0,
  );
  if (isRuledOut(kind, answered)) return null;
  const version = client.protocol === 'TLSv1.3' && !isSpokenBefore13 ? '1.3' : 'up-to-1.2';
  return { kind, answer: await shake(look, { kind, offer: client.offer, version }) };
}

/** Tells whether a suite needs the other kind of key than today's clients are shown; null where they are shown none. */
export function isOfOtherKind(client: SslFacts['client']): ((suite: number) => boolean) | null {
  const leaf = readCertificate(client?.certificates[0] ?? '');
  if (leaf === undefined) return null;
  const kind = otherKindThan(kindOfKey(leaf.key.type));
  return (suite) => isOfKind(suite, kind);
}

function isOfKind(suite: number, kind: KeyKind): boolean {
  return kindOfSuite(suites.get(suite)?.name ?? '') === kind;
}

function hasSuiteOf(kind: KeyKind, accepted: Question['accepted']): boolean {
  return accepted.some(({ suite }) => isOfKind(suite, kind));
}

/** TLS 1.2 is spoken, every suite of this kind was asked for in it, and the server chose none. Older versions are not asked for all. */
function isRuledOut(kind: KeyKind, { questions, refusals = [] }: AskedBefore): boolean {
  const isSpoken = questions.some(({ version, accepted }) => version === 'TLSv1.2' && accepted.length > 0);
  const isChosen = questions.some(({ accepted }) => hasSuiteOf(kind, accepted));
  const settled = [
    ...questions.flatMap(({ version, set, end }) =>
      version === 'TLSv1.2' && set !== 'ssl2' && isDecisive(end) ? suiteSets[set] : [],
    ),
    ...refusals.flatMap((one) => (one.version === 'TLSv1.2' ? one.suites : [])),
  ];
  const wanted = [...suiteSets.sound, ...suiteSets.withoutForwardSecrecy].filter(
    (id) => kindOfSuite(suites.get(id)?.name ?? '') === kind,
  );
  return isSpoken && !isChosen && wanted.every((id) => settled.includes(id));
}

/** Alerts that say "of what you offer I have nothing"; the last is what rustls sends when it finds no certificate. */
const refusals = ['HANDSHAKE_FAILURE', 'INSUFFICIENT_SECURITY', 'ACCESS_DENIED'];

async function shake(
  { tls, http, target, allowance, readChain }: OtherKindContext,
  wanted: KindWanted,
): Promise<OtherKindAnswer> {
  const refusal = allowance.takeKept();
  if (refusal !== null) return { kind: 'unknown', reason: refusal };
  const handshake = await shakeForKind(tls, target, wanted);
  if (handshake.kind === 'connected')
    return {
      kind: 'shown',
      handshake,
      revocationList: await gatherRevocationList(http, readChain(handshake.certificates), allowance),
    };
  const { opensslCode, reason } = handshake;
  if (refusals.some((alert) => opensslCode?.includes(alert))) return { kind: 'refused' };
  return { kind: 'unknown', reason: `a handshake for ${wanted.kind} alone failed: ${reason}` };
}
