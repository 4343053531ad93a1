import type { ClientCode } from '#shared/catalogue/ssl-check/rules/client';
import { protocolRules } from '#shared/catalogue/ssl-check/rules/protocol';
import { isNotAsked } from '#shared/model/failure';
import { brokenIf, isBroken, notTested, type Verdict } from '#shared/model/verdict';
import type { HandshakeAnswer, HandshakeObservation } from '../evidence.ts';
import { isAlpnRefused, isChainTooLarge, simulateBrowsers } from '../facts/clients.ts';
import type { ClientOutcome } from '../facts/derive-client.ts';
import type { SslFacts } from '../facts/facts.ts';
import { judgeHelloSize } from '../facts/hello-size.ts';
import type { Engine } from '../grammar/client-profiles.ts';
import { nameNotOffered } from '../grammar/not-offered.ts';
import { type Cipher, suites } from '../grammar/suites.ts';
import { versionNames } from '../grammar/tls-names.ts';

/** Judges whether clients can connect to a server that answers in TLS. */
export function judgeClients(facts: SslFacts): Record<ClientCode, Verdict> {
  const tooLarge = judgeSize(facts);
  return {
    ...judgeBrowsers(facts),
    'handshake-not-completed': judgeHandshakes(facts),
    'server-hello-invalid': judgeHello(facts),
    'chain-too-large': tooLarge,
  };
}

/** Servers without TLS 1.2 and 1.3, and those that refuse what browsers offer beside, have findings of their own. */
function judgeBrowsers(facts: SslFacts) {
  if (isToldElsewhere(facts)) return eachEngine(() => 'not-applicable', 'not-applicable');
  const outcomes = simulateBrowsers(facts);
  const [first] = outcomes;
  const unknown = outcomes.find(({ connects }) => connects === null);
  if (outcomes.every(({ connects }) => connects === false))
    return eachEngine(() => 'not-applicable', judgeAll(facts, first));
  const isAny = outcomes.some(({ connects }) => connects === true);
  return eachEngine(
    (engine) => judgeEngine(outcomes.find((one) => one.engine === engine)),
    isAny ? 'holds' : notTested(unknown?.reason ?? 'not everything could be asked for'),
  );
}

/** Where a short hello works, it is the size of theirs, whatever the server did with it. */
function judgeAll({ client, evidence, protocols }: SslFacts, first: ClientOutcome | undefined): Verdict {
  const spoken = versionNames.findLast((version) => protocols[version] === true);
  const protocol = first?.protocol ?? spoken ?? 'TLS';
  if (client === null || !isBroken(judgeHelloSize(evidence)))
    return brokenIf(true, {
      protocol,
      reason: first?.reason ?? 'they have nothing in common with the server',
    });
  const reason = 'their ClientHello needs two TCP segments, and the server only takes a short one';
  return brokenIf(true, { protocol, reason }, { text: protocolRules['client-hello-size-intolerance'].fix });
}

function isToldElsewhere(facts: SslFacts): boolean {
  const { protocols } = facts;
  const isOld = protocols['TLSv1.2'] === false && protocols['TLSv1.3'] === false;
  return isOld || isChainTooLarge(facts) || isAlpnRefused(facts);
}

function judgeEngine(outcome: ReturnType<typeof simulateBrowsers>[number] | undefined): Verdict {
  if (outcome === undefined || outcome.connects === null)
    return notTested(outcome?.reason ?? 'it is not simulated');
  return brokenIf(!outcome.connects, { client: outcome.name, reason: outcome.reason ?? '' });
}

function eachEngine(judge: (engine: Engine) => Verdict, all: Verdict) {
  return {
    'browsers-cannot-connect': all,
    'chrome-cannot-connect': judge('Chrome'),
    'firefox-cannot-connect': judge('Firefox'),
    'safari-cannot-connect': judge('Safari'),
  } as const satisfies Partial<Record<ClientCode, Verdict>>;
}

/** Why our own TLS library cannot come to a handshake, which says nothing of the server. */
function whatWeLack(facts: SslFacts): string | undefined {
  if (isFiniteFieldOnly(facts))
    return 'the server offers only suites with a prime of its own choice, which we do not compute with';
  return isBeyondUs(facts)
    ? 'the server offers only suites that our TLS library does not have any more'
    : undefined;
}

/** A handshake that fails for want of a client's certificate is meant to; old servers speak nothing that OpenSSL still has. */
function judgeHandshakes(facts: SslFacts): Verdict {
  const { client, clearAnswers, evidence, protocols } = facts;
  const { handshakes } = evidence;
  if (client !== null) return 'holds';
  const isModern = protocols['TLSv1.2'] === true || protocols['TLSv1.3'] === true;
  const isMeant = clearAnswers.some(({ certificateRequested }) => certificateRequested);
  if (!isModern || isMeant || isChainTooLarge(facts)) return 'not-applicable';
  const lack = whatWeLack(facts);
  if (lack !== undefined) return notTested(lack);
  const last = handshakes.at(-1)?.handshake;
  if (last?.kind !== 'failure') return notTested('no handshake was tried');
  return judgeFailure(facts, last);
}

function judgeFailure(
  { evidence: { host, port, handshakes } }: SslFacts,
  last: Extract<HandshakeAnswer, { readonly kind: 'failure' }>,
): Verdict {
  const isStalled = ({ handshake }: HandshakeObservation) =>
    handshake.kind === 'failure' && handshake.isStalled === true;
  if (handshakes.every(isStalled)) return brokenIf(true, { host, port, reason: stalled });
  // Ended by us: for the time that its chain takes, for want of budget, or at our deadline, which is shorter than that of browsers.
  if (isNotAsked(last.code) || last.code === 'tls-timeout') return notTested(last.reason);
  return brokenIf(true, { host, port, reason: last.reason });
}

const stalled = 'the server begins its answer and then sends nothing more';

/** Such a prime can be made to cost its reader seconds (`withoutServerChosenPrimes`), so that OpenSSL is never let try. */
function isFiniteFieldOnly({ clearAnswers, protocols }: SslFacts): boolean {
  if (protocols['TLSv1.3'] === true || clearAnswers.length === 0) return false;
  return clearAnswers.every(({ suite }) => suites.get(suite)?.keyExchange === 'DHE');
}

/** Ciphers that OpenSSL 3 is built without. */
const dropped: readonly (Cipher | undefined)[] = ['RC4', '3DES', 'DES', 'RC2', 'IDEA', 'SEED'];

function isBeyondUs({ clearAnswers, protocols }: SslFacts): boolean {
  if (protocols['TLSv1.3'] === true || clearAnswers.length === 0) return false;
  return clearAnswers.every(({ suite }) => dropped.includes(suites.get(suite)?.cipher));
}

function judgeHello({ evidence, isAlive }: SslFacts): Verdict {
  const faults = isAlive ? [] : (evidence.notOffered ?? []);
  const ofQuestions = evidence.questions.flatMap(({ end }) => {
    if (end.kind !== 'refused') return [];
    if (end.by === 'malformed' && !isAlive) return [`records of TLS with ${end.reason}`];
    if (end.by === 'unknown-version') return [`the version ${hex(end.version)}, which does not exist`];
    // A server that clients can use, and that ignores an odd list of ours, breaks nothing for them.
    if (end.by !== 'not-offered' || isAlive) return [];
    const suite = `the suite ${hex(end.suite)}`;
    return end.group === null
      ? [`${suite}, which was not offered`]
      : [`${suite} and the group ${hex(end.group)}, at least one of which was not offered`];
  });
  const [answer] = [
    ...faults.map((fault) => `${nameNotOffered(fault)}, which was not offered`),
    ...ofQuestions,
  ];
  return brokenIf(answer !== undefined, { answer: answer ?? '' });
}

function hex(number: number): string {
  return `0x${number.toString(16).padStart(4, '0')}`;
}

function judgeSize(facts: SslFacts): Verdict {
  const sizes = facts.clearAnswers.map(({ oversizeBytes }) => oversizeBytes ?? 0);
  if (isChainTooLarge(facts)) {
    const largest = Math.max(0, ...sizes);
    return brokenIf(true, { bytes: largest > 0 ? largest : 'more than 102,400' });
  }
  const isSeen = facts.client !== null || facts.clearAnswers.some(({ chain }) => chain !== null);
  return isSeen ? 'holds' : notTested('no certificate was seen');
}
