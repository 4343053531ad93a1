import { caps, placeOf } from '#shared/catalogue/ssl-check/grade/caps';
import type { SslLabsLetter } from '#shared/catalogue/ssl-check/report';
import type { SslCode } from '#shared/catalogue/ssl-check/rules';
import type { Verdict } from '#shared/model/verdict';
import { isSetKnown, type SslFacts } from '../../facts/facts.ts';
import type { SuiteSet } from '../../grammar/suites.ts';
import type { VersionName } from '../../grammar/tls-names.ts';

const since11 = ['TLSv1.2', 'TLSv1.1'] as const;
const all = [...since11, 'TLSv1', 'SSLv3'] as const;

/** Rules that hold a letter down, and the suites and versions that each of them is judged by. */
const classes: readonly (readonly [code: SslCode, set: SuiteSet, versions: readonly VersionName[]])[] = [
  ['suite-null-offered', 'nullCipher', all],
  ['suite-anonymous-offered', 'anonymous', all],
  ['suite-export-offered', 'exportGrade', all],
  ['suite-short-key-offered', 'shortKey', all],
  ['suite-rc4-since-tls11', 'rc4', since11],
  ['suite-rc4-offered', 'rc4', all],
  ['suite-3des-since-tls11', 'tripleDes', since11],
  ['key-exchange-breakable', 'finiteField', ['TLSv1.2']],
  ['dh-parameters-small', 'finiteField', ['TLSv1.2']],
  ['forward-secrecy-missing', 'sound', ['TLSv1.2']],
  ['aead-missing', 'aead', ['TLSv1.2']],
];

/** Whether a letter may still fall: in a version that is spoken, nothing is known of a class of suites that would hold it down. */
export function isLetterOpen(
  facts: SslFacts,
  verdicts: { readonly [C in SslCode]?: Verdict },
  letter: SslLabsLetter | null,
): boolean {
  if (letter === null) return false;
  return classes.some(([code, set, versions]) => {
    const verdict = verdicts[code];
    const isUntold = typeof verdict === 'object' && 'notTested' in verdict;
    const isWorse = placeOf(caps[code] ?? 'A+') < placeOf(letter);
    return (
      isUntold &&
      isWorse &&
      versions.some((version) => facts.protocols[version] === true && !isSetKnown(facts, version, set))
    );
  });
}
