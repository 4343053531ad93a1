import type { SuiteCode } from '#shared/catalogue/ssl-check/rules/suite';
import { brokenBy, type Evidence, notTested, type Verdict } from '#shared/model/verdict';
import type { HelloAccepted } from '../evidence.ts';
import { isSetKnown, type SslFacts } from '../facts/facts.ts';
import { suites } from '../grammar/suites.ts';
import { findGroup, type VersionName } from '../grammar/tls-names.ts';

type ClearAnswer = HelloAccepted & { readonly version: VersionName };

/** Judges how keys are exchanged up to TLS 1.2: what a server chose, though better was offered. */
export function judgeExchange(facts: SslFacts) {
  return {
    'key-exchange-signature-weak': judgeSignature(facts),
    'group-deprecated-chosen': judgeCurve(facts),
    'suite-finite-field-offered': judgeFiniteField(facts),
  } as const satisfies Partial<Record<SuiteCode, Verdict>>;
}

/** HashAlgorithm of the first byte of a scheme (RFC 5246 §7.4.1.4.1). */
const weakHashes = new Map([
  [1, 'MD5'],
  [2, 'SHA-1'],
]);

function judgeSignature({ clearAnswers, protocols }: SslFacts): Verdict {
  if (protocols['TLSv1.2'] === false) return 'not-applicable';
  const answers = clearAnswers.filter(({ version }) => version === 'TLSv1.2');
  const signed = answers.filter(({ signatureScheme }) => typeof signatureScheme === 'number');
  const broken = signed.flatMap((answer) => {
    const hash = weakHashes.get((answer.signatureScheme ?? 0) >> 8);
    return hash === undefined ? [] : [{ ...showSuite(answer), hash }];
  });
  if (signed.length > 0) return brokenBy(broken);
  // Where the key of the certificate itself is used nothing needs a signature.
  const isNoneDue = answers.length > 0 && answers.every(({ suite }) => !isSigning(suite));
  return isNoneDue ? 'not-applicable' : notTested('no signature of a key exchange was seen');
}

function isSigning(id: number): boolean {
  const suite = suites.get(id);
  return (suite?.keyExchange === 'ECDHE' || suite?.keyExchange === 'DHE') && !suite.isAnonymous;
}

/** RFC 8422 §5.1.1 deprecates all curves up to this number. */
const lastDeprecatedCurve = 22;

function judgeCurve({ clearAnswers, protocols }: SslFacts): Verdict {
  const named = clearAnswers.filter(({ group }) => group !== null);
  const broken = named.flatMap((answer) =>
    answer.group !== null && answer.group <= lastDeprecatedCurve
      ? [{ ...showSuite(answer), group: findGroup(answer.group).name }]
      : [],
  );
  if (named.length > 0) return brokenBy(broken);
  const isTls13Only = protocols['TLSv1.3'] === true && protocols['TLSv1.2'] === false;
  return isTls13Only || clearAnswers.length > 0
    ? 'not-applicable'
    : notTested('no ServerKeyExchange in clear was seen');
}

function judgeFiniteField(facts: SslFacts): Verdict {
  const found = facts.suites.filter(({ suite }) => suite.keyExchange === 'DHE' && !suite.isAnonymous);
  if (found.length > 0) return brokenBy(found.map(({ suite, version }) => ({ suite: suite.name, version })));
  if (facts.protocols['TLSv1.2'] === false) return 'not-applicable';
  return isSetKnown(facts, 'TLSv1.2', 'finiteField')
    ? 'holds'
    : notTested('not every suite could be asked for');
}

function showSuite({ suite, version }: ClearAnswer) {
  return { suite: suites.get(suite)?.name ?? `0x${suite.toString(16)}`, version } satisfies Evidence;
}
