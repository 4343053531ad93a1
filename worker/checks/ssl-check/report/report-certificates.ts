import { codesBroken } from '#shared/model/verdict';
import { type Certificate, readCertificate } from '../../../certificates/certificate.ts';
import { buildChain } from '../../../certificates/chain.ts';
import { reportCertificate } from '../../../certificates/report-certificate.ts';
import { findPathByStore } from '../../../certificates/trust/by-store.ts';
import { isSetKnown, type SslFacts } from '../facts/facts.ts';
import type { Presented } from '../facts/presented.ts';
import { readTimestamps, type TimestampRead } from '../facts/timestamps.ts';
import { readTrust } from '../facts/trust.ts';
import { type KeyKind, kindOfKey, otherKindThan } from '../grammar/key-kind.ts';
import type { JudgedCertificates } from '../judge/certificates.ts';
import { reportRevocation } from './report-revocation.ts';

type Each = JudgedCertificates['each'];

/** The report's fields about certificates: that of today's clients, and all others. */
export function reportCertificates(facts: SslFacts, each: Each) {
  const { at } = facts.context;
  const [first, ...others] = each;
  const shown = first?.presented;
  return {
    certificates: shown === undefined ? [] : reportChain(shown),
    otherCertificates: [...others.flatMap((one) => reportOther(one, at)), ...reportUnjudged(facts, each)],
    otherKeyKind: reportOtherKind(facts, each),
    trust:
      first === undefined
        ? { trusted: null, error: null, reason: null, path: [] }
        : { ...worstTrust(facts, each), stores: reportStores(first.presented, facts) },
    ...reportRevocation(first?.presented, at),
  };
}

/** The trust of what current clients are shown: at the address where it is worst. */
function worstTrust({ client, evidence }: SslFacts, each: Each) {
  const shown = [client, ...(evidence.endpoints ?? []).map(({ handshake }) => handshake)].flatMap((one) =>
    one?.kind === 'connected' ? [one.certificates[0]] : [],
  );
  const trusts = each
    .filter(({ presented }, index) => index === 0 || shown.includes(base64Of(presented)))
    .map(({ presented, verdicts }) => readTrust(presented, codesBroken(verdicts)));
  return (
    trusts.find(({ trusted }) => trusted === false) ??
    trusts[0] ?? { trusted: null, error: null, reason: null, path: [] }
  );
}

function base64Of({ chain: { leaf } }: Presented): string | undefined {
  return leaf?.x509.raw.toString('base64');
}

/** Which stores have a root above the certificate; of one that Mozilla's does not lead to nothing is known. */
function reportStores({ chain: { leaf, sent, trust } }: Presented, { context, evidence }: SslFacts) {
  const root = trust?.kind === 'trusted' ? trust.path.at(-1) : undefined;
  if (leaf === null || root === undefined) return null;
  const isOwn = evidence.ownAnchors?.includes(root.x509.raw.toString('base64')) === true;
  return { Mozilla: !isOwn, ...findPathByStore({ leaf, sent: sent.slice(1), ...context }, root) };
}

/** As the certificates of today's clients are shown, with what the report says of those in fields of its own. */
function reportOther({ presented, verdicts }: Each[number], at: number) {
  const { chain, versions, timestamps } = presented;
  if (chain.leaf === null) return [];
  return [
    {
      ...reportCertificate(chain.leaf, chain, reportTimestamps(timestamps)),
      judged: true,
      versions,
      chain: reportChain(presented),
      trust: readTrust(presented, codesBroken(verdicts)),
      ...reportRevocation(presented, at),
    },
  ];
}

/** Leaves that are only told: those of SSL 3.0, which has no SNI, and more than are judged. */
function reportUnjudged({ evidence: { chains }, context, logs }: SslFacts, each: Each) {
  const known = new Set(each.map(({ presented }) => presented.chain.leaf?.sha256));
  const found = new Map(chains.flatMap(([leaf]) => listLeaf(leaf)));
  return [...found.values()]
    .filter(({ sha256 }) => !known.has(sha256))
    .map((leaf) => {
      const chain = buildChain([leaf], context);
      return {
        ...reportCertificate(leaf, chain, reportTimestamps(readTimestamps(chain, null, logs))),
        judged: false,
      };
    });
}

/** A chain as it was sent. */
function reportChain({ chain, timestamps }: Presented) {
  const shown = reportTimestamps(timestamps);
  return chain.sent.map((certificate) => reportCertificate(certificate, chain, shown));
}

/** Those in the certificate itself, with the log and its operator, where they are known. */
function reportTimestamps(timestamps: readonly TimestampRead[]) {
  return timestamps
    .filter(({ isEmbedded }) => isEmbedded)
    .map(({ logId, at, log, signature }) => ({
      logId,
      at,
      log: log?.name ?? null,
      operator: log?.operator ?? null,
      signature,
    }));
}

function listLeaf(base64 = ''): [string, Certificate][] {
  const leaf = readCertificate(base64);
  return leaf === undefined ? [] : [[leaf.sha256, leaf]];
}

/** Whether the server has a certificate of the kind of key that today's clients are not shown; null without such a client. */
function reportOtherKind(facts: SslFacts, [first, ...others]: Each) {
  const shown = first === undefined ? null : kindOfLeaf(first.presented);
  if (facts.client === null || shown === null) return null;
  const kind = otherKindThan(shown);
  const isSeen = others.some(({ presented }) => kindOfLeaf(presented) === kind);
  return { kind, ...(isSeen ? { presence: 'shown' as const, reason: null } : reportUnseen(facts)) };
}

const presences = { refused: 'none', shown: 'shown' } as const;

function reportUnseen(facts: SslFacts) {
  const answer = facts.evidence.otherKind?.answer;
  if (answer?.kind === 'unknown') return { presence: 'unknown' as const, reason: answer.reason };
  if (answer) return { presence: presences[answer.kind], reason: null };
  const sets = ['sound', 'withoutForwardSecrecy'] as const;
  const isSpoken = facts.protocols['TLSv1.2'] === true;
  return isSpoken && sets.every((set) => isSetKnown(facts, 'TLSv1.2', set))
    ? { presence: 'none' as const, reason: null }
    : { presence: 'unknown' as const, reason: 'not every suite could be asked for' };
}

function kindOfLeaf({ chain: { leaf } }: Presented): KeyKind | null {
  return leaf === null ? null : kindOfKey(leaf.key.type);
}
