import { randomBytes } from 'node:crypto';
import type { Exchange, TlsProbe } from '../../../probes/tls/port.ts';
import type { CertificateFormSeen, HelloAccepted, QuestionEnd } from '../evidence.ts';
import { compressionIds } from '../grammar/certificate-message.ts';
import { type ClientHello, writeClientHello } from '../grammar/client-hello.ts';
import { makeKeyShares } from '../grammar/key-shares.ts';
import { openSealedFlightReader, type SealedFlightReader } from '../grammar/sealed-flight.ts';
import { openFlightReader, type ServerAnswer, type ServerFlight } from '../grammar/server-flight.ts';
import { isSsl2ServerHello, writeSsl2ClientHello } from '../grammar/ssl2.ts';
import { versionNumbers } from '../grammar/tls-names.ts';
import type { Allowance } from './allowance.ts';
import type { Lanes } from './lanes.ts';

export type Target = {
  readonly host: string;
  readonly port: number;
  /** Which of the host's addresses; left out, whichever answers first. */
  readonly address?: string;
};
export type Offered = Pick<ClientHello, 'version' | 'suites' | 'groups'>;
export type HelloAnswer = HelloAccepted | QuestionEnd;

export type AnswerWithForm = {
  readonly answer: HelloAnswer;
  readonly certificateForm: CertificateFormSeen | null;
};

/** Asks a server by single ClientHellos, one connection each. */
export type HelloAsker = {
  readonly ask: (offered: Offered) => Promise<HelloAnswer>;
  /** The same in TLS 1.3 with keys: a server that accepts one of them shows in what form it sends its certificates. */
  readonly askWithKeys: (offered: Offered) => Promise<AnswerWithForm>;
  /** The same from what is kept: the last question of a run. */
  readonly askLast: (offered: Offered) => Promise<HelloAnswer>;
  readonly askSsl2: () => Promise<HelloAnswer>;
  /** Whether a ClientHello was refused for the protocols that it offers. */
  readonly isAlpnRefused: () => boolean;
  /** Distinct chains seen so far, base64 DER. */
  readonly chains: readonly (readonly string[])[];
  readonly addresses: ReadonlySet<string>;
};

const answerLimitBytes = 65_536;
const protocols = ['h2', 'http/1.1'];
/** The alert of RFC 7301 §3.2. */
const noApplicationProtocol = 120;

/** How a target is reached, and what that may cost. */
export type HelloLine = {
  readonly probe: TlsProbe;
  readonly target: Target;
  readonly allowance: Allowance;
  readonly lanes: Lanes;
};

/** One greeting, when enough of the answer has come, and how it is read. */
type Greeting = {
  readonly send: Uint8Array;
  readonly isComplete: (received: Uint8Array) => boolean;
  readonly read: (received: Received) => HelloAnswer;
  readonly take: Allowance['take'];
};

/** One ClientHello, from what it is taken, and how its sealed answer is read. */
type Way = {
  readonly send: Uint8Array;
  readonly take: Allowance['take'];
  readonly sealed?: SealedFlightReader;
};

/** Opens an asker for one target; every question is taken from the allowance. */
export function openHelloAsker(line: HelloLine): HelloAsker {
  const { target, allowance } = line;
  const chains: (readonly string[])[] = [];
  const addresses = new Set<string>();
  const askBy = async (offered: Offered, { send, take, sealed }: Way): Promise<AnswerWithForm> => {
    const reader = openFlightReader(answerLimitBytes);
    const readTo = (received: Uint8Array) => {
      reader.readTo(received);
      sealed?.readTo(received);
      return reader;
    };
    const greeting: Greeting = {
      send,
      isComplete: (received) => readTo(received).isComplete() && sealed?.isOver() !== false,
      read: (seen) => readAnswer(seen, readTo(seen.bytes).answer(), offered, chains),
      take,
    };
    const answer = await greet(line, greeting, addresses);
    const form = sealed?.form() ?? null;
    return {
      answer,
      certificateForm: form?.kind === 'malformed' ? { kind: 'malformed', reason: form.reason } : form,
    };
  };
  let isAlpnRefused = false;
  /** The protocols of browsers are left out once a server refused them: the alert says nothing of versions and suites. */
  const ask = async (offered: Offered, wayOf: (alpn: readonly string[]) => Way): Promise<AnswerWithForm> => {
    if (isAlpnRefused) return askBy(offered, wayOf([]));
    const seen = await askBy(offered, wayOf(protocols));
    const { answer } = seen;
    if (answer.kind !== 'refused' || answer.by !== 'alert' || answer.alert !== noApplicationProtocol)
      return seen;
    isAlpnRefused = true;
    return askBy(offered, wayOf([]));
  };
  const plainly = async (offered: Offered, take: Allowance['take']) => {
    const hello = completeHello(offered, target.host);
    const { answer } = await ask(offered, (alpn) => ({ send: writeClientHello({ ...hello, alpn }), take }));
    return answer;
  };
  return {
    isAlpnRefused: () => isAlpnRefused,
    ask: (offered) => plainly(offered, allowance.take),
    askWithKeys: (offered) =>
      ask(offered, (alpn) => ({ ...writeWithKeys(offered, target.host, alpn), take: allowance.take })),
    askLast: (offered) => plainly(offered, allowance.takeKept),
    askSsl2: () => greet(line, { ...ssl2Greeting(), take: allowance.take }, addresses),
    chains,
    addresses,
  };
}

/** A ClientHello with keys, and the reader that opens what is sealed by them. */
function writeWithKeys(offered: Offered, host: string, alpn: readonly string[]): Omit<Way, 'take'> {
  const shares = makeKeyShares();
  const more = { alpn, keyShares: shares.offered, certificateCompressions: compressionIds };
  const send = writeClientHello({ ...completeHello(offered, host), ...more });
  return { send, sealed: openSealedFlightReader(send, shares, answerLimitBytes) };
}

function ssl2Greeting(): Omit<Greeting, 'take'> {
  return {
    send: writeSsl2ClientHello(randomBytes(16)),
    isComplete: (received) => received.length >= 11,
    read: readSsl2Answer,
  };
}

async function greet(
  { probe, target, allowance, lanes }: HelloLine,
  { send, isComplete, read, take }: Greeting,
  addresses: Set<string>,
): Promise<HelloAnswer> {
  const seen = await lanes(async () => {
    const refusal = take();
    if (refusal !== null) return { kind: 'stopped', reason: refusal } as const;
    const limits = { limitBytes: answerLimitBytes, timeoutMs: allowance.timeoutMs() };
    return probe.exchange({ ...target, send, isComplete, ...limits });
  });
  if (seen.kind === 'stopped') return seen;
  if (seen.address !== null) addresses.add(seen.address);
  if (seen.kind === 'failure') return readFailure(seen, allowance);
  if (seen.ended === 'timeout') allowance.noteSilence();
  else allowance.noteAnswer(seen.ms);
  return read(seen);
}

type Received = Extract<Exchange, { readonly kind: 'received' }>;

function completeHello(offered: Offered, host: string): ClientHello {
  return {
    ...offered,
    servername: host,
    alpn: [],
    compression: true,
    random: randomBytes(32),
  };
}

function readFailure(
  { code, reason }: Extract<Exchange, { readonly kind: 'failure' }>,
  allowance: Allowance,
): QuestionEnd {
  if (code === 'connection-timeout') allowance.noteSilence();
  return { kind: 'failure', code, reason };
}

function readAnswer(
  seen: Received,
  answer: ServerAnswer,
  offered: Offered,
  chains: (readonly string[])[],
): HelloAnswer {
  switch (answer.kind) {
    case 'alert':
      return { kind: 'refused', by: 'alert', alert: answer.description };
    case 'malformed':
      return {
        kind: 'not-tls',
        isHttp: Buffer.from(seen.bytes.subarray(0, 5)).toString('latin1') === 'HTTP/',
      };
    case 'incomplete':
      return readSilence(seen);
    case 'flight':
      if (answer.version !== versionNumbers[offered.version]) return readOtherVersion(answer.version);
      return describeFlight(answer, chains);
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

function readSsl2Answer(seen: Received): HelloAnswer {
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
