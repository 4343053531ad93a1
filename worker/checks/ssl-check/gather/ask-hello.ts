import { randomBytes } from 'node:crypto';
import type { Exchange, TlsProbe } from '../../../probes/tls/port.ts';
import type {
  CertificateFormObservation,
  ClientObservation,
  HelloAccepted,
  QuestionEnd,
} from '../evidence.ts';
import { compressionIds } from '../grammar/certificate-message.ts';
import { type ClientHello, writeClientHello } from '../grammar/client-hello.ts';
import type { ClientProfile } from '../grammar/client-profiles.ts';
import { groupsWithKeys, type KeyShares, makeKeyShares } from '../grammar/key-shares.ts';
import { openSealedFlightReader, type SealedFlightReader } from '../grammar/sealed-flight.ts';
import { openFlightReader } from '../grammar/server-flight.ts';
import { writeSsl2ClientHello } from '../grammar/ssl2.ts';
import { suiteSets } from '../grammar/suites.ts';
import { type VersionName, versionNames } from '../grammar/tls-names.ts';
import type { Allowance } from './allowance.ts';
import type { Lanes } from './lanes.ts';
import { type AnswerContext, readAnswer, readSsl2Answer, type Received } from './read-answer.ts';

export type Target = {
  readonly host: string;
  readonly port: number;
  /** Which of the host's addresses; left out, whichever answers first. */
  readonly address?: string;
};
export type Offered = Pick<ClientHello, 'version' | 'versions' | 'suites' | 'groups'> & {
  /** Whether others have told by now what is asked, so that it need not be sent any more. */
  readonly isMoot?: () => boolean;
};
/** The end of what was not sent for that. */
export const moot = {
  kind: 'stopped',
  reason: 'others told what was to be asked',
} as const satisfies QuestionEnd;
export type HelloAnswer = HelloAccepted | QuestionEnd;

export type AnswerWithForm = {
  readonly answer: HelloAnswer;
  /** In which it was accepted. */
  readonly version: VersionName | null;
  readonly certificateForm: CertificateFormObservation | null;
};

/** With the suites that were offered. */
export type ClientAnswer = ClientObservation &
  Pick<AnswerWithForm, 'certificateForm'> &
  Pick<ClientHello, 'suites'>;

/** Asks a server by single ClientHellos, one connection each. */
export type HelloAsker = {
  readonly ask: (offered: Offered) => Promise<HelloAnswer>;
  /** The same once, whatever goes on beside: how a run begins. */
  readonly askFirst: (offered: Offered) => Promise<HelloAnswer>;
  /** The same in TLS 1.3 with keys: a server that accepts one of them shows in what form it sends its certificates. */
  readonly askWithKeys: (offered: Offered) => Promise<AnswerWithForm>;
  /** Sends the ClientHello of a client, as it is: with its protocols whether they are refused or not. */
  readonly askAs: (profile: ClientProfile, wants: 'answer' | 'form') => Promise<ClientAnswer>;
  /** The same as `ask` from what is kept: the last question of a run. */
  readonly askLast: (offered: Offered) => Promise<HelloAnswer>;
  readonly askSsl2: () => Promise<HelloAnswer>;
  /** No handshake for the other kind of key will be due. */
  readonly noteNoneDue: Allowance['noteNoneDue'];
  /** Whether more may be asked though so many questions are due. */
  readonly isSpare: Allowance['isSpare'];
  /** Whether a ClientHello was refused for the protocols that it offers. */
  readonly isAlpnRefused: () => boolean;
  /** Waits for an answer with such a suite, perhaps for ever. */
  readonly whenChosen: (isWanted: (suite: number) => boolean) => Promise<HelloAccepted>;
  /** Whether such a suite was chosen; null is none. */
  readonly isChosen: (isWanted: ((suite: number) => boolean) | null) => boolean;
  /** Distinct chains seen so far, base64 DER. */
  readonly chains: readonly (readonly string[])[];
  /** What the server chose so far without an offer. */
  readonly notOffered: AnswerContext['notOffered'];
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
  /** No answer to this one does not mean that the server has stopped answering. */
  readonly mayBeSilent?: boolean;
  readonly isMoot?: (() => boolean) | undefined;
  /** What is not answered beside others is not tried again alone. */
  readonly isTriedOnce?: boolean;
};

/** One ClientHello, from what it is taken, and how its sealed answer is read. */
type Way = {
  readonly send: Uint8Array;
  readonly take: Allowance['take'];
  readonly sealed?: SealedFlightReader;
} & Pick<Greeting, 'mayBeSilent' | 'isTriedOnce'>;

/** What the hellos of one asker share. */
type AskerState = {
  readonly line: HelloLine;
  readonly chains: (readonly string[])[];
  readonly notOffered: AnswerContext['notOffered'];
  readonly addresses: Set<string>;
  readonly answers: Answers;
  readonly shares: KeyShares;
};

function openState(line: HelloLine): AskerState {
  return {
    line,
    chains: [],
    notOffered: [],
    addresses: new Set(),
    answers: openAnswers(),
    shares: makeKeyShares(),
  };
}

type Answers = {
  readonly note: (answer: HelloAnswer) => void;
} & Pick<HelloAsker, 'whenChosen' | 'isChosen'>;

/** Suites that were chosen, the first answer with each. */
function openAnswers(): Answers {
  const seen = new Map<number, HelloAccepted>();
  const listeners = new Set<(answer: HelloAccepted) => void>();
  return {
    note(answer) {
      if (answer.kind !== 'accepted' || seen.has(answer.suite)) return;
      seen.set(answer.suite, answer);
      for (const listener of listeners) listener(answer);
    },
    isChosen: (isWanted) => isWanted !== null && [...seen.keys()].some(isWanted),
    whenChosen: (isWanted) =>
      new Promise((resolve) => {
        const listener = (answer: HelloAccepted) => {
          if (!isWanted(answer.suite)) return;
          listeners.delete(listener);
          resolve(answer);
        };
        listeners.add(listener);
        for (const answer of seen.values()) listener(answer);
      }),
  };
}

/** Opens an asker for one target; every question is taken from the allowance. */
export function openHelloAsker(line: HelloLine): HelloAsker {
  const { target, allowance } = line;
  const { take, takeKept } = allowance;
  const kept = openState(line);
  let isAlpnRefused = false;
  /** The protocols of browsers are left out once a server refused them: the alert says nothing of versions and suites. */
  const ask = async (offered: Offered, wayOf: (hello: ClientHello) => Way): Promise<AnswerWithForm> => {
    const hello = completeHello(offered, target.host);
    const plainly = () => askBy(kept, offered, wayOf(hello));
    if (isAlpnRefused) return plainly();
    const seen = await askBy(kept, offered, wayOf({ ...hello, alpn: protocols }));
    if (!isRefusedFor(noApplicationProtocol, seen)) return seen;
    isAlpnRefused = true;
    return plainly();
  };
  const answerTo = async (offered: Offered, way: Omit<Way, 'send'>) =>
    (await ask(offered, (hello) => ({ send: writeClientHello(hello), ...way }))).answer;
  let isAnyoneUnanswered = false;
  return {
    isAlpnRefused: () => isAlpnRefused,
    ask: (offered) => answerTo(offered, { take }),
    askFirst: (offered) => answerTo(offered, { take, isTriedOnce: true }),
    askWithKeys: (offered) =>
      ask(offered, (hello) => ({ ...writeSealed(hello, groupsWithKeys, kept.shares), take })),
    async askAs(profile, wants) {
      const hello = helloOf(profile, target.host);
      const { hello: name, suites } = profile;
      // Servers that drop one of them drop more, and each costs its whole time.
      if (isAnyoneUnanswered) return { hello: name, suites, ...unasked };
      const written =
        wants === 'form'
          ? writeSealed(hello, profile.keysFor, kept.shares)
          : { send: writeClientHello({ ...hello, keyShares: kept.shares.of(profile.keysFor) }) };
      const seen = await askBy(kept, hello, { ...written, take, mayBeSilent: true });
      if (seen.answer.kind === 'silent') isAnyoneUnanswered = true;
      return { hello: name, suites, ...asOffered(seen, profile) };
    },
    askLast: (offered) => answerTo(offered, { take: takeKept }),
    askSsl2: () => greet(kept, { ...ssl2Greeting(), take, isTriedOnce: true }),
    noteNoneDue: allowance.noteNoneDue,
    isSpare: allowance.isSpare,
    whenChosen: kept.answers.whenChosen,
    isChosen: kept.answers.isChosen,
    chains: kept.chains,
    notOffered: kept.notOffered,
    addresses: kept.addresses,
  };
}

const unasked: AnswerWithForm = {
  answer: { kind: 'stopped', reason: 'the ClientHello of another client was not answered' },
  version: null,
  certificateForm: null,
};

const tls13Ids: readonly number[] = suiteSets.tls13;

/** A server that chooses what a client does not have has not accepted it. */
function asOffered(seen: AnswerWithForm, { suites, groups }: ClientProfile): AnswerWithForm {
  const { answer, version } = seen;
  if (answer.kind !== 'accepted') return seen;
  const { suite, group, notOffered } = answer;
  const isGroup = version !== 'TLSv1.3' || group === null || groups.includes(group);
  const isOfVersion = tls13Ids.includes(suite) === (version === 'TLSv1.3');
  if (suites.includes(suite) && isOfVersion && isGroup) return seen;
  const told = notOffered === undefined ? {} : { notOffered };
  return { ...unasked, answer: { kind: 'refused', by: 'not-offered', suite, group, ...told } };
}

function isRefusedFor(alert: number, { answer }: AnswerWithForm): boolean {
  return answer.kind === 'refused' && answer.by === 'alert' && answer.alert === alert;
}

/** Sends one ClientHello and reads the answer. */
async function askBy(
  kept: AskerState,
  offered: Offered,
  { send, sealed, ...way }: Way,
): Promise<AnswerWithForm> {
  const reader = openFlightReader(answerLimitBytes);
  const readTo = (received: Uint8Array) => {
    reader.readTo(received);
    sealed?.readTo(received);
    return reader;
  };
  let version: VersionName | null = null;
  const answer = await greet(kept, {
    send,
    isComplete: (received) => readTo(received).isComplete() && sealed?.isOver() !== false,
    read: (seen) => {
      const { versions = [offered.version] } = offered;
      const { chains, notOffered } = kept;
      const found = readAnswer(seen, readTo(seen.bytes).answer(), {
        sent: send,
        versions,
        chains,
        notOffered,
      });
      version = found.version;
      return found.answer;
    },
    ...way,
    isMoot: offered.isMoot,
  });
  kept.answers.note(answer);
  const form = sealed?.form() ?? null;
  return {
    answer,
    version,
    certificateForm: form?.kind === 'malformed' ? { kind: 'malformed', reason: form.malformed } : form,
  };
}

/** A ClientHello with keys for these groups, and the reader that opens what is sealed by them. */
function writeSealed(
  hello: ClientHello,
  groups: readonly number[],
  shares: KeyShares,
): Pick<Way, 'send' | 'sealed'> {
  const more = { keyShares: shares.of(groups), certificateCompressions: compressionIds };
  const send = writeClientHello({ ...hello, ...more });
  return { send, sealed: openSealedFlightReader(send, shares, answerLimitBytes) };
}

/** What a client sends, as far as the choice of a server depends on it. */
function helloOf(profile: ClientProfile, host: string): ClientHello {
  const { versions, suites, groups, signatures, greases } = profile;
  const known = versions.filter((version) => version !== 'SSLv2');
  const best = versionNames.findLast((version) => known.some((one) => one === version));
  const offered = { version: (best ?? 'TLSv1.2') as ClientHello['version'], versions, suites, groups };
  const alpn = profile.offersHttp ? protocols : [];
  return { ...completeHello(offered, host), signatures, greases, alpn, compression: false };
}

function ssl2Greeting(): Omit<Greeting, 'take'> {
  return {
    send: writeSsl2ClientHello(randomBytes(16)),
    isComplete: (received) => received.length >= 11,
    read: readSsl2Answer,
  };
}

async function greet(
  { line: { probe, target, allowance, lanes }, addresses }: AskerState,
  { send, isComplete, read, take, isMoot, mayBeSilent = false, isTriedOnce = false }: Greeting,
): Promise<HelloAnswer> {
  const exchange = async () => {
    if (isMoot?.()) return moot;
    const refusal = take();
    if (refusal !== null) return { kind: 'stopped', reason: refusal } as const;
    const limits = { limitBytes: answerLimitBytes, timeoutMs: allowance.timeoutMs() };
    return probe.exchange({ ...target, send, isComplete, ...limits });
  };
  /** Not a single byte came, which may be due to the connections beside it. */
  const isUnanswered = (one: Awaited<ReturnType<typeof exchange>>) =>
    one.kind === 'failure' || (one.kind === 'received' && one.bytes.length === 0);
  const seen = await (isTriedOnce ? lanes(exchange) : lanes.orAlone(exchange, isUnanswered));
  if (seen.kind === 'stopped') return seen;
  if (seen.address !== null) addresses.add(seen.address);
  if (seen.kind === 'failure') return readFailure(seen, allowance);
  if (seen.ended !== 'timeout') allowance.noteAnswer(seen.ms);
  else if (!mayBeSilent || seen.bytes.length > 0) allowance.noteSilence();
  const answer = read(seen);
  if (isCutOff(answer)) allowance.noteCutOff();
  return answer;
}

/** Such an answer may be due to what was offered, or to us. */
export function isCutOff(answer: HelloAnswer): boolean {
  return answer.kind === 'refused' && (answer.by === 'closed' || answer.by === 'reset');
}

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
