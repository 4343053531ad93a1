import { codesBroken } from '../../../../shared/model/verdict.ts';
import { type KeyKind, kindOfKey, otherKindThan } from '../grammar/key-kind.ts';
import type { JudgedCertificates } from '../judge/certificates.ts';
import { type CertificateSight, readCertificate } from '../sight/certificate-sight.ts';
import { buildChain } from '../sight/chain.ts';
import type { Presented } from '../sight/presented.ts';
import { isSetKnown, type SslSight } from '../sight/sight.ts';
import { describeTrust } from '../sight/trust.ts';
import { describeCertificate } from './describe-certificate.ts';
import { describeRevocation } from './describe-revocation.ts';

type Each = JudgedCertificates['each'];

/** The report's fields about certificates: that of today's clients, and all others. */
export function describeCertificates(sight: SslSight, each: Each) {
  const { at } = sight.evidence;
  const [first, ...others] = each;
  const chain = first?.presented.chain;
  return {
    certificates: chain?.sent.map((certificate) => describeCertificate(certificate, chain)) ?? [],
    otherCertificates: [...others.flatMap((one) => describeOther(one, at)), ...describeUnjudged(sight, each)],
    otherKeyKind: describeOtherKind(sight, each),
    trust:
      first === undefined
        ? { trusted: null, error: null, path: [] }
        : describeTrust(first.presented, codesBroken(first.verdicts)),
    ...describeRevocation(first?.presented, at),
  };
}

/** As the certificates of today's clients are shown, with what the report says of those in fields of its own. */
function describeOther({ presented, verdicts }: Each[number], at: number) {
  const { chain, versions } = presented;
  if (chain.leaf === null) return [];
  return [
    {
      ...describeCertificate(chain.leaf, chain),
      judged: true,
      versions,
      chain: chain.sent.map((certificate) => describeCertificate(certificate, chain)),
      trust: describeTrust(presented, codesBroken(verdicts)),
      ...describeRevocation(presented, at),
    },
  ];
}

/** Leaves that are only told: those of SSL 3.0, which has no SNI, and more than are judged. */
function describeUnjudged({ evidence: { chains } }: SslSight, each: Each) {
  const known = new Set(each.map(({ presented }) => presented.chain.leaf?.sha256));
  const found = new Map(chains.flatMap(([leaf]) => listLeaf(leaf)));
  return [...found.values()]
    .filter(({ sha256 }) => !known.has(sha256))
    .map((leaf) => ({ ...describeCertificate(leaf, buildChain([leaf])), judged: false }));
}

function listLeaf(base64 = ''): [string, CertificateSight][] {
  const leaf = readCertificate(base64);
  return leaf === undefined ? [] : [[leaf.sha256, leaf]];
}

/** Whether the server has a certificate of the kind of key that today's clients are not shown; null without such a client. */
function describeOtherKind(sight: SslSight, [first, ...others]: Each) {
  const shown = first === undefined ? null : kindOfLeaf(first.presented);
  if (sight.client === null || shown === null) return null;
  const kind = otherKindThan(shown);
  const isSeen = others.some(({ presented }) => kindOfLeaf(presented) === kind);
  return { kind, ...(isSeen ? { presence: 'shown' as const, reason: null } : describeUnseen(sight)) };
}

const presences = { refused: 'none', shown: 'shown' } as const;

function describeUnseen(sight: SslSight) {
  const answer = sight.evidence.otherKind?.answer;
  if (answer?.kind === 'unknown') return { presence: 'unknown' as const, reason: answer.reason };
  if (answer) return { presence: presences[answer.kind], reason: null };
  const sets = ['sound', 'withoutForwardSecrecy'] as const;
  const isSpoken = sight.protocols['TLSv1.2'] === true;
  return isSpoken && sets.every((set) => isSetKnown(sight, 'TLSv1.2', set))
    ? { presence: 'none' as const, reason: null }
    : { presence: 'unknown' as const, reason: 'not every suite could be asked for' };
}

function kindOfLeaf({ chain: { leaf } }: Presented): KeyKind | null {
  return leaf === null ? null : kindOfKey(leaf.key.type);
}
