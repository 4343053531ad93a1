import type { Exchange } from '../../../probes/tls/port.ts';
import type { HelloAccepted, QuestionEnd } from '../evidence.ts';
import { findNotOffered, type NotOffered } from '../grammar/not-offered.ts';
import { readSentHello } from '../grammar/sent-hello.ts';
import type { ServerAnswer, ServerFlight } from '../grammar/server-flight.ts';
import { isSsl2ServerHello } from '../grammar/ssl2.ts';
import { type VersionName, versionNames, versionNumbers } from '../grammar/tls-names.ts';

/** What came over the wire. */
export type Received = Extract<Exchange, { readonly kind: 'received' }>;

/** What a server said, and the version it chose of those that were offered. */
export type AnswerRead = {
  readonly answer: HelloAccepted | QuestionEnd;
  readonly version: VersionName | null;
};

/** How an answer is read: by what was offered, and with the chains and faults that are kept. */
export type AnswerContext = {
  /** The ClientHello, as it was sent. */
  readonly sent: Uint8Array;
  readonly versions: readonly VersionName[];
  readonly chains: (readonly string[])[];
  readonly notOffered: (NotOffered & { readonly version: VersionName })[];
};

/** Reads what came as the answer to a ClientHello. */
export function readAnswer(
  seen: Received,
  answer: ServerAnswer,
  { sent, versions, chains, notOffered }: AnswerContext,
): AnswerRead {
  const version = answer.kind === 'flight' ? versionOf(answer.version) : undefined;
  if (answer.kind !== 'flight' || version === undefined || !versions.includes(version))
    return { answer: readEnd(seen, answer), version: null };
  const fault = findNotOffered(answer, readSentHello(sent));
  if (fault !== null) keepFault({ version, ...fault }, notOffered);
  const told = { ...unfinished(seen, answer), ...(fault === null ? {} : { notOffered: fault }) };
  return { answer: { ...describeFlight(answer, chains), ...told }, version };
}

function keepFault(fault: AnswerContext['notOffered'][number], kept: AnswerContext['notOffered']): void {
  const { version, what, chosen } = fault;
  const isSame = (one: typeof fault) => one.version === version && one.what === what && one.chosen === chosen;
  if (!kept.some(isSame)) kept.push(fault);
}

function unfinished({ ended }: Received, { isComplete }: ServerFlight): { isUnfinished?: true } {
  return ended === 'timeout' && !isComplete ? { isUnfinished: true } : {};
}

/** Whether the first bytes are the head of a record (RFC 8446 §5.1): then it is TLS, if damaged. */
function isRecord([type = 0, major, , high = 255]: Uint8Array): boolean {
  return type >= 20 && type <= 24 && major === 3 && high <= 0x48;
}

function versionOf(number: number): VersionName | undefined {
  return versionNames.find((name) => versionNumbers[name] === number);
}

function readEnd(seen: Received, answer: ServerAnswer): QuestionEnd {
  switch (answer.kind) {
    case 'alert':
      return { kind: 'refused', by: 'alert', alert: answer.description };
    case 'malformed':
      if (isRecord(seen.bytes)) return { kind: 'refused', by: 'malformed', reason: answer.malformed };
      return {
        kind: 'not-tls',
        isHttp: Buffer.from(seen.bytes.subarray(0, 5)).toString('latin1') === 'HTTP/',
      };
    case 'incomplete':
      return readSilence(seen);
    case 'flight':
      return readOtherVersion(answer.version);
  }
}

const knownVersions: readonly number[] = Object.values(versionNumbers);

function readOtherVersion(version: number): QuestionEnd {
  return knownVersions.includes(version) && version !== versionNumbers.SSLv2
    ? { kind: 'refused', by: 'other-version' }
    : { kind: 'refused', by: 'unknown-version', version };
}

function readSilence({ ended }: Received): QuestionEnd {
  if (ended === 'closed' || ended === 'reset') return { kind: 'refused', by: ended };
  return { kind: 'silent' };
}

function describeFlight(flight: ServerFlight, chains: (readonly string[])[]): HelloAccepted {
  const { suite, group, dhBits, dhPrimeSha256, signatureScheme, compression } = flight;
  const { secureRenegotiation, extendedMasterSecret, alpn } = flight;
  return {
    kind: 'accepted',
    suite,
    group,
    dhBits,
    dhPrimeSha256,
    signatureScheme,
    compression,
    secureRenegotiation,
    extendedMasterSecret,
    alpn,
    chain: flight.certificates.length === 0 ? null : keepChain(flight.certificates.map(toBase64), chains),
    ocspResponse: flight.ocspResponse && toBase64(flight.ocspResponse),
    timestampList: flight.timestampList && toBase64(flight.timestampList),
    certificateRequested: flight.certificateRequested,
    givesSessionId: flight.givesSessionId,
    givesTicket: flight.givesTicket,
    oversizeBytes: flight.oversizeBytes,
  };
}

/** The place of a chain among those seen, where it is put if it is new. */
function keepChain(chain: readonly string[], chains: (readonly string[])[]): number {
  const known = chains.findIndex((other) => other.join() === chain.join());
  return known >= 0 ? known : chains.push(chain) - 1;
}

/** The same for a hello of SSL 2.0. */
export function readSsl2Answer(seen: Received): HelloAccepted | QuestionEnd {
  if (isSsl2ServerHello(seen.bytes)) return nothingSeen;
  if (seen.bytes.length === 0) return readSilence(seen);
  return { kind: 'refused', by: 'other-version' };
}

const nothingSeen: HelloAccepted = {
  kind: 'accepted',
  suite: 0,
  group: null,
  dhBits: null,
  dhPrimeSha256: null,
  signatureScheme: null,
  compression: 0,
  secureRenegotiation: false,
  extendedMasterSecret: false,
  alpn: null,
  chain: null,
  ocspResponse: null,
  timestampList: null,
  certificateRequested: false,
  oversizeBytes: null,
};

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
}
