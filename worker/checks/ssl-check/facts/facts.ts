import { readCertificate } from '../../../certificates/certificate.ts';
import type { ChainContext } from '../../../certificates/chain.ts';
import type {
  Connected,
  HandshakeObservation,
  HelloAccepted,
  QuestionEnd,
  SslEvidence,
} from '../evidence.ts';
import { nameOfPrime } from '../grammar/shared-primes.ts';
import { type Suite, type SuiteSet, suites, suitesIn } from '../grammar/suites.ts';
import { type VersionName, versionNames } from '../grammar/tls-names.ts';
import { listedLogs, type TransparencyLog } from '../grammar/transparency-logs.ts';
import { isDecisive } from './decisive.ts';
import type { KnownServer } from './derive-client.ts';
import { listAnswers, readKnown } from './known.ts';

/** A suite that the server accepted in a version. */
export type SuiteObservation = {
  readonly suite: Suite;
  readonly version: VersionName;
  readonly dhBits: number | null;
  /** Name of a prime that many servers share, null for any other; undefined where the prime was not kept. */
  readonly dhPrime?: string | null;
};

/** The evidence read once: what all judgements share. */
export type SslFacts = {
  readonly evidence: SslEvidence;
  /** The certificates that trust is judged by, and the clock. */
  readonly context: ChainContext;
  /** The transparency logs that are known. */
  readonly logs: readonly TransparencyLog[];
  /** The handshake of a client, and what it had to offer for it; null when none came about. */
  readonly client: (Connected & { readonly offer: HandshakeObservation['offer'] }) | null;
  /** null when it is not known. */
  readonly protocols: { readonly [V in VersionName]: boolean | null };
  readonly known: KnownServer;
  readonly suites: readonly SuiteObservation[];
  /** The server answered something in TLS or SSL that a client can go on with. */
  readonly isAlive: boolean;
  /** Answers to ClientHellos of TLS 1.2 and older: what is sent in clear. */
  readonly clearAnswers: readonly (HelloAccepted & { readonly version: VersionName })[];
};

/** The handshake of a client: the last that was completed. */
export function findClient(handshakes: SslEvidence['handshakes']): SslFacts['client'] {
  const last = handshakes.findLast(({ handshake }) => handshake.kind === 'connected');
  return last?.handshake.kind === 'connected' ? { ...last.handshake, offer: last.offer } : null;
}

/** Reads what the evidence says, without judging it. */
export function readFacts(seen: SslEvidence): SslFacts {
  const evidence = seen.stillAnswers === false ? doubtAll(seen) : seen;
  const client = findClient(evidence.handshakes);
  const known = readKnown(evidence, client?.protocol ?? null);
  const answers = listAnswers({ ...evidence, clients: [] });
  return {
    evidence,
    context: {
      anchors: evidence.anchors.flatMap((one) => readCertificate(one) ?? []),
      at: evidence.at,
    },
    logs: evidence.logs ?? listedLogs,
    client,
    known,
    protocols: known.protocols,
    suites: collectSuites(listAnswers(evidence), client),
    isAlive: client !== null || answers.length > 0,
    clearAnswers: answers.filter(({ version }) => version !== 'TLSv1.3' && version !== 'SSLv2'),
  };
}

/** A connection that was cut off says nothing once the server had stopped talking to us. */
function doubtAll(seen: SslEvidence): SslEvidence {
  const questions = seen.questions.map((question) => ({ ...question, end: doubt(question.end) }));
  const clients = (seen.clients ?? []).map((one) =>
    one.answer.kind === 'accepted' ? one : { ...one, answer: doubt(one.answer) },
  );
  return { ...seen, questions, refusals: [], ...(seen.clients === undefined ? {} : { clients }) };
}

function doubt(end: QuestionEnd): QuestionEnd {
  const isCut = end.kind === 'refused' && (end.by === 'closed' || end.by === 'reset');
  return isCut ? { kind: 'stopped', reason: 'the server stopped answering' } : end;
}

/** Whether every question was answered. Many servers do not answer an SSL 2.0 hello at all, so silence there counts as an answer. */
export function isAllAnswered({ evidence }: SslFacts): boolean {
  return evidence.questions.every(
    ({ version, accepted, end }) => accepted.length > 0 || isDecisive(end) || version === 'SSLv2',
  );
}

/** Whether all suites of a set are known in a version: it is not spoken, or each was chosen or refused. */
export function isSetKnown({ known, protocols }: SslFacts, version: VersionName, set: SuiteSet): boolean {
  const settled = known.settled[version];
  return protocols[version] === false || suitesIn(set, version).every((id) => settled.has(id));
}

function collectSuites(
  answers: readonly (HelloAccepted & { readonly version: VersionName })[],
  client: Connected | null,
): SuiteObservation[] {
  const seen = answers.flatMap(({ suite: id, version, dhBits, dhPrimeSha256 = null }) => {
    const suite = suites.get(id);
    const prime = dhPrimeSha256 === null ? {} : { dhPrime: nameOfPrime(dhPrimeSha256) };
    return suite === undefined ? [] : [{ suite, version, dhBits, ...prime }];
  });
  const each = seen.filter(
    (one, index) =>
      seen.findIndex((other) => other.suite === one.suite && other.version === one.version) === index,
  );
  const own = [...suites.values()].find(({ name }) => name === client?.cipher.standardName);
  const version = versionNames.find((name) => name === client?.protocol);
  const isNew = !each.some((one) => one.suite === own && one.version === version);
  return own && version && isNew ? [{ suite: own, version, dhBits: null }, ...each] : each;
}
