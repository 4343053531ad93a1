import type { SuiteCode } from '#shared/catalogue/ssl-check/rules/suite';
import { brokenBy, brokenIf, type Evidence, notTested, type Verdict } from '#shared/model/verdict';
import type { CertificateKey } from '../../../certificates/certificate.ts';
import type { Chain } from '../../../certificates/chain.ts';
import { isDecisive } from '../facts/decisive.ts';
import { isSetKnown, type SslFacts, type SuiteObservation } from '../facts/facts.ts';
import { type dangerClasses, hasForwardSecrecy } from '../grammar/suites.ts';
import { findGroup, type VersionName } from '../grammar/tls-names.ts';
import { judgeExchange } from './exchange.ts';

/** Judges cipher suites, key lengths and groups. */
export function judgeSuites(facts: SslFacts, chains: readonly Chain[]): Record<SuiteCode, Verdict> {
  const weak = (set: DangerClass, picks: (seen: SuiteObservation) => boolean) =>
    judgeWeak(facts, { set, picks });
  return {
    'suite-null-offered': judgeNull(
      facts,
      weak('nullCipher', ({ suite }) => suite.cipher === 'NULL'),
    ),
    'suite-anonymous-offered': weak('anonymous', ({ suite }) => suite.isAnonymous),
    'suite-export-offered': weak('exportGrade', ({ suite }) => suite.isExport),
    'suite-short-key-offered': weak(
      'shortKey',
      ({ suite }) => suite.bits > 0 && suite.bits < 112 && !suite.isExport,
    ),
    'suite-rc4-since-tls11': judgeSince(facts, 'rc4', ({ suite }) => suite.cipher === 'RC4'),
    'suite-rc4-offered': weak('rc4', ({ suite }) => suite.cipher === 'RC4'),
    'suite-3des-since-tls11': judgeSince(facts, 'tripleDes', ({ suite }) => suite.cipher === '3DES'),
    'suite-3des-offered': weak('tripleDes', ({ suite }) => suite.cipher === '3DES'),
    ...judgeKeys(facts, chains),
    ...judgeSoundness(facts),
    ...judgeExchange(facts),
    'group-post-quantum-missing': judgePostQuantum(facts),
  };
}

const incomplete = 'not every suite could be asked for';

type DangerClass = (typeof dangerClasses)[number];
type Weak = { readonly set: DangerClass; readonly picks: (seen: SuiteObservation) => boolean };
const sinceTls11 = ['TLSv1.2', 'TLSv1.1'] as const;
const beforeTls13 = [...sinceTls11, 'TLSv1', 'SSLv3'] as const;

/** A weak kind is ruled out only when its suites were asked for to the end in every version. */
function judgeWeak(
  facts: SslFacts,
  { set, picks }: Weak,
  versions: readonly VersionName[] = beforeTls13,
): Verdict {
  const broken = facts.suites.filter(picks);
  if (broken.length > 0) return brokenBy(broken.map(showSuite));
  return versions.every((version) => isSetKnown(facts, version, set)) ? 'holds' : notTested(incomplete);
}

function judgeSince(facts: SslFacts, set: DangerClass, picks: Weak['picks']): Verdict {
  const isSince = ({ version }: SuiteObservation) => sinceTls11.some((one) => one === version);
  return judgeWeak(facts, { set, picks: (seen) => picks(seen) && isSince(seen) }, sinceTls11);
}

/** TLS 1.3 has such suites too (RFC 9150), and no other weak ones. */
function judgeNull(facts: SslFacts, verdict: Verdict): Verdict {
  return verdict === 'holds' && !isSetKnown(facts, 'TLSv1.3', 'tls13') ? notTested(incomplete) : verdict;
}

function showSuite({ suite, version, dhBits }: SuiteObservation) {
  return { suite: suite.name, version, bits: dhBits ?? suite.bits } satisfies Evidence;
}

/** Where the rating guide's part for keys falls to 40. In public 829 bits were factored (RSA-250), and curves of 117 bits solved. */
const brokenBits = { modulus: 1024, curve: 123 };

function judgeKeys(facts: SslFacts, chains: readonly Chain[]) {
  const primes = facts.suites.flatMap((seen) =>
    seen.dhBits === null ? [] : [{ ...seen, bits: seen.dhBits }],
  );
  const broken = [
    ...primes
      .filter(({ bits }) => bits < brokenBits.modulus)
      .map(({ bits }) => ({ what: 'The Diffie-Hellman prime', bits })),
    ...chains.flatMap(({ leaf }) => (leaf === null ? [] : findBreakableKey(leaf.key))),
  ];
  const isKnown = primes.length > 0 || areExchangesKnown(facts);
  const unless = (verdict: Verdict): Verdict =>
    verdict === 'holds' && !isKnown ? notTested(incomplete) : verdict;
  return {
    'key-exchange-breakable': unless(brokenBy(broken)),
    'dh-parameters-small': unless(brokenBy(primes.filter(({ bits }) => bits < 2048).map(showSuite))),
    'dh-prime-shared': unless(judgeSharedPrimes(primes)),
  } as const satisfies Partial<Record<SuiteCode, Verdict>>;
}

/** Up to this length a state can afford the computation (Logjam §4); longer shared primes are what RFC 7919 recommends. */
const affordableBits = 1024;

function judgeSharedPrimes(primes: readonly (SuiteObservation & { readonly bits: number })[]): Verdict {
  const short = primes.filter(({ bits }) => bits <= affordableBits);
  const shared = short.flatMap((seen) =>
    typeof seen.dhPrime === 'string' ? [{ ...showSuite(seen), prime: seen.dhPrime }] : [],
  );
  const isKept = short.every(({ dhPrime }) => dhPrime !== undefined);
  return isKept || shared.length > 0 ? brokenBy(shared) : notTested('the prime was not kept');
}

function findBreakableKey({ type, bits }: CertificateKey): Evidence[] {
  const limit = type === 'EC' ? brokenBits.curve : brokenBits.modulus;
  const isMeasured = type === 'EC' || type === 'RSA' || type === 'DSA';
  return isMeasured && bits !== null && bits > 0 && bits < limit
    ? [{ what: 'The key of the certificate', bits }]
    : [];
}

/** Whether a finite-field exchange would have shown: TLS 1.3 names its groups, TLS 1.2 was asked for it. */
function areExchangesKnown(facts: SslFacts): boolean {
  const { protocols } = facts;
  const isModern = protocols['TLSv1.3'] === true || protocols['TLSv1.2'] === true;
  return isModern && isSetKnown(facts, 'TLSv1.2', 'finiteField');
}

/** What a sound server has or has not, judged by TLS 1.2; TLS 1.3 has nothing but sound suites. */
function judgeSoundness(facts: SslFacts) {
  const { suites, protocols } = facts;
  const speaksTls13 = protocols['TLSv1.3'] === true;
  const isSeen = suites.length > 0 && protocols['TLSv1.3'] !== null;
  const isSoundKnown = isSeen && isSetKnown(facts, 'TLSv1.2', 'sound');
  const isKnown = isSoundKnown && isSetKnown(facts, 'TLSv1.2', 'withoutForwardSecrecy');
  // Versions before TLS 1.2 are asked for their first choice and for dangerous suites only.
  const isModern = speaksTls13 || protocols['TLSv1.2'] === true;
  const missing = (has: (seen: SuiteObservation) => boolean, isSeen: boolean): Verdict => {
    if (speaksTls13 || suites.some(has)) return 'holds';
    return isSeen ? brokenIf(true) : notTested(incomplete);
  };
  const offered = (picks: (seen: SuiteObservation) => boolean, isAsked: boolean): Verdict => {
    const found = suites.filter(picks);
    if (found.length > 0) return brokenBy(found.map(showSuite));
    return isAsked ? 'holds' : notTested(incomplete);
  };
  const isStaticKnown = isModern && isSetKnown(facts, 'TLSv1.2', 'withoutForwardSecrecy');
  return {
    'forward-secrecy-missing': missing(
      ({ suite }) => hasForwardSecrecy(suite) && !suite.isAnonymous,
      isSoundKnown && isModern,
    ),
    'suite-without-forward-secrecy-offered': offered(({ suite }) => !hasForwardSecrecy(suite), isStaticKnown),
    'aead-missing': missing(({ suite }) => suite.isAead, isSeen && isSetKnown(facts, 'TLSv1.2', 'aead')),
    'suite-cbc-offered':
      protocols['TLSv1.2'] === false
        ? 'not-applicable'
        : offered(
            ({ suite, version }) =>
              version === 'TLSv1.2' && !suite.isAead && suite.cipher !== 'RC4' && suite.bits > 0,
            isKnown,
          ),
  } as const satisfies Partial<Record<SuiteCode, Verdict>>;
}

function judgePostQuantum({ evidence: { groups }, protocols, client }: SslFacts): Verdict {
  const named = client?.ephemeralKey.name ?? '';
  if (named.includes('MLKEM') || groups?.accepted.some((id) => findGroup(id).isPostQuantum)) return 'holds';
  if (protocols['TLSv1.3'] === false) return 'not-applicable';
  return groups !== null && isDecisive(groups.end) && groups.accepted.length > 0
    ? brokenIf(true)
    : notTested('not every group could be asked for');
}
