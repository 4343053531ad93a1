import type { HandshakeSeen, HelloAccepted, Question, QuestionEnd, SslEvidence } from './evidence.ts';
import { isMalformed } from './malformed.ts';
import { type Suite, type SuiteSet, suites } from './suites.ts';
import { type VersionName, versionNames } from './tls-names.ts';
import { parseTlsSession } from './tls-session.ts';

type Connected = Extract<HandshakeSeen['handshake'], { readonly kind: 'connected' }>;

/** A suite that the server accepted in a version. */
export type SuiteSeen = {
  readonly suite: Suite;
  readonly version: VersionName;
  readonly dhBits: number | null;
};

/** The evidence read once: what all judgements share. */
export type SslSight = {
  readonly evidence: SslEvidence;
  /** The handshake of a client, and what it had to offer for it; null when none came about. */
  readonly client: (Connected & { readonly offer: HandshakeSeen['offer'] }) | null;
  /** null when it could not be told. */
  readonly protocols: { readonly [V in VersionName]: boolean | null };
  readonly suites: readonly SuiteSeen[];
  /** The server answered something in TLS or SSL. */
  readonly isAlive: boolean;
  /** Answers to ClientHellos of TLS 1.2 and older: what is sent in clear. */
  readonly clearAnswers: readonly (HelloAccepted & { readonly version: VersionName })[];
  /** null when no ticket came. */
  readonly maxEarlyDataBytes: number | null;
};

/** Reads what the evidence says, without judging it. */
export function readSight(evidence: SslEvidence): SslSight {
  const last = evidence.handshakes.findLast(({ handshake }) => handshake.kind === 'connected');
  const client = last?.handshake.kind === 'connected' ? { ...last.handshake, offer: last.offer } : null;
  const protocols = Object.fromEntries(
    versionNames.map((version) => [version, isOffered(version, evidence, client)]),
  ) as SslSight['protocols'];
  const answers = evidence.questions.flatMap(({ version, accepted }) =>
    accepted.map((answer) => ({ ...answer, version })),
  );
  return {
    evidence,
    client,
    protocols,
    suites: collectSuites(answers, client),
    isAlive: client !== null || answers.length > 0,
    clearAnswers: answers.filter(({ version }) => version !== 'TLSv1.3' && version !== 'SSLv2'),
    maxEarlyDataBytes: client === null ? null : readEarlyData(client),
  };
}

function isOffered(
  version: VersionName,
  { questions }: SslEvidence,
  client: Connected | null,
): boolean | null {
  const asked = questions.filter((question) => question.version === version);
  if (client?.protocol === version || asked.some(({ accepted }) => accepted.length > 0)) return true;
  // Before any answer a closed connection may mean anything; beside a living server it is a refusal.
  return asked.length > 0 && asked.every(({ end }) => isDecisive(end)) ? false : null;
}

/** The question was answered to its end. */
export function isDecisive({ kind }: QuestionEnd): boolean {
  return kind === 'refused' || kind === 'exhausted';
}

/** Whether all suites of a set are known in a version: it is not spoken, or the question was answered to its end. */
export function isSetKnown({ evidence, protocols }: SslSight, version: VersionName, set: SuiteSet): boolean {
  if (protocols[version] === false) return true;
  return evidence.questions.some(
    (question) => question.version === version && question.set === set && isDecisive(question.end),
  );
}

function collectSuites(
  answers: readonly (HelloAccepted & { readonly version: VersionName })[],
  client: Connected | null,
): SuiteSeen[] {
  const seen = answers.flatMap(({ suite: id, version, dhBits }) => {
    const suite = suites.get(id);
    return suite === undefined ? [] : [{ suite, version, dhBits }];
  });
  const own = [...suites.values()].find(({ name }) => name === client?.cipher.standardName);
  const version = versionNames.find((name) => name === client?.protocol);
  const isNew = !seen.some((one) => one.suite === own && one.version === version);
  return own && version && isNew ? [{ suite: own, version, dhBits: null }, ...seen] : seen;
}

function readEarlyData({ session, protocol }: Connected): number | null {
  if (session === null) return null;
  if (protocol !== 'TLSv1.3') return 0;
  const read = parseTlsSession(Buffer.from(session, 'base64'));
  return isMalformed(read) ? null : read.maxEarlyDataBytes;
}

/** The questions of a version and set; one at most. */
export function questionOf(
  { evidence }: SslSight,
  version: VersionName,
  set: Question['set'],
): Question | undefined {
  return evidence.questions.find((question) => question.version === version && question.set === set);
}
