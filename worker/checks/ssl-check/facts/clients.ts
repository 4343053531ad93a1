import { type ClientProfile, clientProfiles } from '../grammar/client-profiles.ts';
import { type SuiteSet, suites } from '../grammar/suites.ts';
import { type VersionName, versionNames } from '../grammar/tls-names.ts';
import { isDecisive, isSetKnown, type SslFacts } from './facts.ts';

/** What a client gets from the server. */
export type ClientOutcome = {
  readonly name: string;
  /** null when it cannot be told. */
  readonly connects: boolean | null;
  readonly protocol: VersionName | null;
  /** null also where it depends on an order that is not known. */
  readonly suite: string | null;
  /** Why it does not connect, or why that is not known; null when it connects. */
  readonly reason: string | null;
};

/** More than this of certificates OpenSSL and the libraries made from it do not read. */
export const largestChainBytes = 102_400;

/** Simulates every client of the table. What the certificate is worth is not part of it. */
export function simulateClients(facts: SslFacts): readonly ClientOutcome[] {
  return clientProfiles.map((profile) => simulate(profile, facts));
}

/** The same for the browsers of today. */
export function simulateBrowsers(facts: SslFacts): readonly ClientOutcome[] {
  return clientProfiles.filter((profile) => profile.isCurrentBrowser).map((one) => simulate(one, facts));
}

function simulate(profile: ClientProfile, facts: SslFacts): ClientOutcome {
  const { name } = profile;
  const fail = (protocol: VersionName | null, reason: string): ClientOutcome => ({
    name,
    connects: false,
    protocol,
    suite: null,
    reason,
  });
  const unknown = (reason: string): ClientOutcome => ({
    name,
    connects: null,
    protocol: null,
    suite: null,
    reason,
  });
  const version = versionNames.findLast(
    (one) => profile.versions.includes(one) && facts.protocols[one] !== false,
  );
  if (version === undefined) return fail(null, 'no version in common');
  if (facts.protocols[version] === null) return unknown(`whether ${version} is offered is not known`);
  if (profile.offersHttp && isAlpnRefused(facts)) return fail(version, 'the server refuses h2 and http/1.1');
  if (isChainTooLarge(facts)) return fail(version, 'the certificates are larger than clients read');
  const common = commonSuites(profile, version, facts);
  if (common.length === 0)
    return areSuitesKnown(version, facts)
      ? fail(version, 'no cipher suite in common')
      : unknown('not every suite could be asked for');
  const group = version === 'TLSv1.3' ? judgeGroups(profile, facts) : 'common';
  if (group === 'none') return fail(version, 'no key exchange group in common');
  if (group === 'unknown') return unknown('not every group could be asked for');
  return { name, connects: true, protocol: version, suite: chooseSuite(common, facts), reason: null };
}

/** In the order of the server's choices where it has one of its own, else in the client's. */
function commonSuites(profile: ClientProfile, version: VersionName, facts: SslFacts): readonly number[] {
  const accepted = facts.suites.filter((seen) => seen.version === version).map(({ suite }) => suite.id);
  return facts.evidence.preference === 'client'
    ? profile.suites.filter((id) => accepted.includes(id))
    : accepted.filter((id) => profile.suites.includes(id));
}

function chooseSuite(common: readonly number[], { evidence }: SslFacts): string | null {
  const [first] = common;
  const isKnown = evidence.preference !== null || common.length === 1;
  return first === undefined || !isKnown ? null : (suites.get(first)?.name ?? null);
}

const setsOfTls12: readonly SuiteSet[] = ['sound', 'withoutForwardSecrecy', 'dangerous'];

function areSuitesKnown(version: VersionName, facts: SslFacts): boolean {
  if (version === 'TLSv1.3') return isSetKnown(facts, version, 'tls13');
  // Older versions are asked for their first choice and for dangerous suites only.
  return version === 'TLSv1.2' && setsOfTls12.every((set) => isSetKnown(facts, version, set));
}

function judgeGroups(
  { groups: offered }: ClientProfile,
  { evidence }: SslFacts,
): 'common' | 'none' | 'unknown' {
  const { groups } = evidence;
  if (groups === null) return 'unknown';
  if (groups.accepted.some((id) => offered.includes(id))) return 'common';
  return groups.accepted.length > 0 && isDecisive(groups.end) ? 'none' : 'unknown';
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
