import { readCertificate } from '../../../certificates/certificate.ts';
import { buildChain, type Chain, type ChainContext } from '../../../certificates/chain.ts';
import { readStaple, type Staple } from '../../../certificates/staple.ts';
import type { Connected, HelloAccepted, RevocationListObservation, SslEvidence } from '../evidence.ts';
import { type VersionName, versionNames } from '../grammar/tls-names.ts';
import type { SslFacts } from './facts.ts';
import { readTimestamps, type TimestampRead } from './timestamps.ts';

/** A certificate that the server presents to some clients, with its chain as sent and all that was learnt about it. */
export type Presented = {
  readonly chain: Chain;
  /** The OCSP answer that was stapled to it. */
  readonly staple: Staple;
  /** Those in the certificate, then those that came beside it. */
  readonly timestamps: readonly TimestampRead[];
  /** Versions in which it was seen. */
  readonly versions: readonly VersionName[];
  /** It was seen in an answer up to TLS 1.2, where extensions are in clear too. */
  readonly isSeenInClear: boolean;
  readonly revocationList: RevocationListObservation;
};

/** As many as addresses are looked at; those of a farm whose machines differ still more are reported, not judged, from here on. */
const judgedAtMost = 32;

/** All certificates that clients may be shown, that of today's clients first; and how many more there are than are judged. */
export function listPresented(facts: SslFacts): { presented: readonly Presented[]; unjudged: number } {
  const chains = chainsByLeaf(facts);
  const all = [...chains.values()];
  return {
    presented: all.slice(0, judgedAtMost).map((base64) => present(base64, facts)),
    unjudged: Math.max(0, all.length - judgedAtMost),
  };
}

/**
 * The first chain of each leaf.
 * SSL 3.0 has no SNI: the certificate it shows belongs to the default host, and says nothing about this one.
 */
function chainsByLeaf(facts: SslFacts): Map<string, readonly string[]> {
  const { clearAnswers, evidence } = facts;
  const isNamed = (answer: SslFacts['clearAnswers'][number]) => answer.version !== 'SSLv3';
  const hasOthers = facts.client !== null || clearAnswers.some(isNamed);
  const seen = [
    ...showingsOf(facts).map(({ handshake }) => handshake.certificates),
    ...clearAnswers
      .filter((answer) => !hasOthers || isNamed(answer))
      .map((answer) => chainOf(answer, evidence)),
    ...(hasOthers ? chainsInPassing(facts) : []),
  ];
  const chains = new Map<string, readonly string[]>();
  for (const chain of seen) {
    const leaf = chain?.[0];
    if (chain !== undefined && leaf !== undefined && !chains.has(leaf)) chains.set(leaf, chain);
  }
  return chains;
}

/** Chains of answers of which nothing else was kept, such as a second one with the same suite: of several machines behind one address, one may show another certificate. */
function chainsInPassing({ clearAnswers, evidence }: SslFacts): readonly (readonly string[])[] {
  const ofDefaultHost = clearAnswers.flatMap(({ version, chain }) => (version === 'SSLv3' ? [chain] : []));
  return evidence.chains.filter((_, index) => !ofDefaultHost.includes(index));
}

function present(base64: readonly string[], facts: SslFacts): Presented {
  const { evidence } = facts;
  const [leaf = ''] = base64;
  const answers = facts.clearAnswers.filter((answer) => chainOf(answer, evidence)?.[0] === leaf);
  const showing = showingsOf(facts).find(({ handshake }) => handshake.certificates[0] === leaf);
  const chain = readChain(base64, facts.context);
  return {
    chain,
    staple: readStapleOf(
      chain,
      showing?.handshake.ocspResponse ?? firstOf(answers, 'ocspResponse'),
      evidence.at,
    ),
    timestamps: readTimestamps(chain, firstOf(answers, 'timestampList'), facts.logs),
    versions: versionsOf(showing?.handshake.protocol, answers),
    isSeenInClear: answers.length > 0,
    revocationList: showing?.revocationList ?? notLookedFor,
  };
}

type Showing = { readonly handshake: Connected; readonly revocationList: RevocationListObservation };

/** Handshakes that were completed, and what was learnt of revocation after each. */
function showingsOf({ client, evidence }: SslFacts): readonly Showing[] {
  const first = client === null ? [] : [{ handshake: client, revocationList: evidence.revocationList }];
  const other = evidence.otherKind?.answer.kind === 'shown' ? [evidence.otherKind.answer] : [];
  const elsewhere = (evidence.endpoints ?? []).flatMap(({ handshake, full }) =>
    handshake.kind === 'connected'
      ? [{ handshake, revocationList: full?.revocationList ?? notLookedFor }]
      : [],
  );
  return [...first, ...other, ...elsewhere];
}

/** Without a leaf that can be read the others are no chain of anything. */
function readChain([leaf = '', ...more]: readonly string[], context: ChainContext): Chain {
  const first = readCertificate(leaf);
  return buildChain(
    first === undefined ? [] : [first, ...more.flatMap((one) => readCertificate(one) ?? [])],
    context,
  );
}

const notLookedFor: RevocationListObservation = {
  kind: 'unknown',
  url: null,
  reason: 'its CRL was not looked for, because no handshake showed the certificate',
};

function readStapleOf({ leaf, trust }: Chain, staple: string | null, at: number): Staple {
  return leaf === null ? { kind: 'none' } : readStaple(staple, { leaf, issuer: trust?.path[1] ?? null, at });
}

function chainOf({ chain }: HelloAccepted, { chains }: SslEvidence): readonly string[] | undefined {
  return chain === null ? undefined : chains[chain];
}

function versionsOf(
  protocol: string | undefined,
  answers: readonly { readonly version: VersionName }[],
): readonly VersionName[] {
  return versionNames.filter((name) => name === protocol || answers.some(({ version }) => version === name));
}

function firstOf(answers: readonly HelloAccepted[], field: 'ocspResponse' | 'timestampList'): string | null {
  return answers.find((answer) => answer[field] !== null)?.[field] ?? null;
}
