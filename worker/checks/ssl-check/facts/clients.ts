import type { ClientObservation, QuestionEnd } from '../evidence.ts';
import { type ClientProfile, clientProfiles, type Engine, engines } from '../grammar/client-profiles.ts';
import { type NotOffered, whyRefused } from '../grammar/not-offered.ts';
import { suites } from '../grammar/suites.ts';
import { alertName } from '../grammar/tls-names.ts';
import { isBrokenAnswer } from './decisive.ts';
import { type ClientOutcome, deriveClient } from './derive-client.ts';
import type { SslFacts } from './facts.ts';

/** More than this of certificates OpenSSL and the libraries made from it do not read. */
export const largestChainBytes = 102_400;

/** Tells what every client of the table gets: as its own ClientHello showed, or as it follows from what is known. What the certificate is worth is not part of it. */
export function simulateClients(facts: SslFacts): readonly ClientOutcome[] {
  return clientProfiles.map((profile) => simulate(profile, facts));
}

/** The same for the newest browser of each engine. */
export function simulateBrowsers(facts: SslFacts): readonly (ClientOutcome & { readonly engine: Engine })[] {
  return clientProfiles
    .filter((profile) => profile.isCurrentBrowser && profile.matters)
    .flatMap((one) => {
      const engine = engines.find((name) => one.name.startsWith(name));
      return engine === undefined ? [] : [{ ...simulate(one, facts), engine }];
    });
}

function simulate(profile: ClientProfile, facts: SslFacts): ClientOutcome {
  const derived = deriveClient(profile, facts.known);
  const fail = (reason: string): ClientOutcome => ({ ...derived, connects: false, suite: null, reason });
  const isTold = derived.connects === false && derived.protocol === null;
  if (!isTold && profile.offersHttp && isAlpnRefused(facts))
    return fail('the server refuses h2 and http/1.1');
  if (!isTold && isChainTooLarge(facts)) return fail('the certificates are larger than clients read');
  const seen = facts.evidence.clients?.find(({ hello }) => hello === profile.hello);
  if (seen === undefined) return derived;
  return readSeen(seen, profile, derived);
}

/** What the client's own ClientHello brought. */
function readSeen(
  { answer, version }: ClientObservation,
  profile: ClientProfile,
  derived: ClientOutcome,
): ClientOutcome {
  const { name } = derived;
  if (answer.kind !== 'accepted') return readRefusal(answer, derived);
  // Another client with the same hello may offer fewer versions.
  if (version === null || !profile.versions.includes(version)) return derived;
  const { notOffered } = answer;
  if (notOffered !== undefined) return { ...failFor(notOffered, derived), protocol: version };
  return { name, connects: true, protocol: version, suite: nameOfSuite(answer.suite), reason: null };
}

function failFor(fault: NotOffered, derived: ClientOutcome): ClientOutcome {
  return { ...derived, connects: false, suite: null, reason: whyRefused(fault) };
}

function nameOfSuite(id: number): string | null {
  return suites.get(id)?.name ?? null;
}

/** What was refused is reported by the reason that explains it, where one is known. */
function readRefusal(end: QuestionEnd, derived: ClientOutcome): ClientOutcome {
  if (end.kind === 'refused' && end.by === 'not-offered' && end.notOffered !== undefined)
    return failFor(end.notOffered, derived);
  // What breaks the protocol has a finding of its own.
  if (isBrokenAnswer(end)) return derived;
  if (end.kind === 'refused')
    return { ...derived, connects: false, suite: null, reason: whyNot(derived) ?? reasonOf(end) };
  if (end.kind === 'silent')
    return { ...derived, connects: null, suite: null, reason: 'its ClientHello was not answered in time' };
  return derived;
}

function whyNot({ connects, reason }: ClientOutcome): string | null {
  return connects === false ? reason : null;
}

function reasonOf(end: Extract<QuestionEnd, { kind: 'refused' }>): string {
  if (end.by === 'alert') return `the server refuses its ClientHello with the alert ${alertName(end.alert)}`;
  return end.by === 'closed' || end.by === 'reset'
    ? 'the server cuts the connection off after its ClientHello'
    : 'the server answers with what it did not offer';
}

/** Whether the server ended a handshake because it wants neither h2 nor http/1.1. */
export function isAlpnRefused({ evidence }: SslFacts): boolean {
  const isByOpenssl = evidence.handshakes.some(
    ({ handshake }) =>
      handshake.kind === 'failure' && handshake.opensslCode?.includes('NO_APPLICATION_PROTOCOL') === true,
  );
  return isByOpenssl || evidence.alpnRefused;
}

/** Whether the Certificate message is larger than clients read. */
export function isChainTooLarge({ evidence, clearAnswers }: SslFacts): boolean {
  const isByOpenssl = evidence.handshakes.some(
    ({ handshake }) =>
      handshake.kind === 'failure' && handshake.opensslCode?.includes('EXCESSIVE_MESSAGE_SIZE') === true,
  );
  return isByOpenssl || clearAnswers.some(({ oversizeBytes }) => (oversizeBytes ?? 0) > largestChainBytes);
}
