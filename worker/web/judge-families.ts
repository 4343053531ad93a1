import { type FamilyCode, familyRules } from '#shared/catalogue/redirect-check/families';
import { kindOfFailure } from '#shared/model/failure';
import {
  allOf,
  brokenBy,
  brokenIf,
  type Evidence,
  notTested,
  type Verdict,
  type Verdicts,
} from '#shared/model/verdict';
import {
  comparedFields,
  type FamiliesObservation,
  type FamilyObservation,
  isMuchSlower,
} from './families.ts';
import { indexFields, valuesOf } from './fields.ts';

type AnsweredFamily = Extract<FamilyObservation, { kind: 'answered' }>;
type FailedFamily = Extract<FamilyObservation, { kind: 'failed' }>;

/** Judges whether a page is the same over IPv4 and IPv6. Pure. `seen` is undefined where no page was reached. */
export function judgeFamilies(seen: FamiliesObservation | undefined): Verdicts<FamilyCode> {
  if (!seen) return allOf(familyRules, notTested('no page was compared over IPv4 and IPv6'));
  const six = seen.sights.find(({ family }) => family === 6);
  const four = seen.sights.find(({ family }) => family === 4);
  if (six?.kind === 'failed') return judgeSixFailed(seen.url, six);
  if (seen.late) return allOf(familyRules, notTested('there was no time left to compare IPv4 and IPv6'));
  if (!six || !four) return allOf(familyRules, 'not-applicable');
  if (four.kind === 'failed') return judgeFourFailed(seen.url, six, four);
  return {
    'ipv6-broken': 'holds',
    'address-families-differ': brokenBy(findDifferences(seen.url, four, six)),
    'ipv6-slow': judgePace(seen.url, four, six),
  };
}

function judgeSixFailed(url: string, { code, reason }: FailedFamily): Verdicts<FamilyCode> {
  if (code === 'name-not-found') return allOf(familyRules, 'not-applicable');
  const why = whyUnknown(6, { code, reason });
  if (why !== null) return allOf(familyRules, notTested(why));
  return {
    'ipv6-broken': brokenBy([{ url, reason, code }]),
    'address-families-differ': 'not-applicable',
    'ipv6-slow': 'not-applicable',
  };
}

function judgeFourFailed(url: string, six: AnsweredFamily, four: FailedFamily): Verdicts<FamilyCode> {
  if (four.code === 'name-not-found') return allOf(familyRules, 'not-applicable');
  const why = whyUnknown(4, four);
  const differs: Verdict =
    why === null
      ? brokenBy([{ url, field: 'The status', ipv4: `missing (${four.reason})`, ipv6: six.status }])
      : notTested(why);
  return { 'ipv6-broken': 'holds', 'address-families-differ': differs, 'ipv6-slow': 'not-applicable' };
}

/** Why a failure says nothing of the target; null where it does. A timeout does: the other family answered at the same moment. */
function whyUnknown(family: 4 | 6, { code, reason }: Pick<FailedFamily, 'code' | 'reason'>): string | null {
  if (code === 'network-unreachable') return `this machine has no IPv${family} route`;
  const isTimeout = code.endsWith('-timeout');
  return isTimeout || kindOfFailure(code) === 'definite'
    ? null
    : `IPv${family} could not be tried: ${reason}`;
}

function findDifferences(url: string, four: AnsweredFamily, six: AnsweredFamily): Evidence[] {
  if (four.status !== six.status)
    return [{ url, field: 'The status', ipv4: four.status, ipv6: six.status, ...addresses(four, six) }];
  const [fieldsOfFour, fieldsOfSix] = [indexFields(four.headers), indexFields(six.headers)];
  return comparedFields.flatMap((field) => {
    const [ipv4, ipv6] = [fieldsOfFour, fieldsOfSix].map((fields) => show(valuesOf(fields, field)));
    return ipv4 === ipv6 ? [] : [{ url, field, ipv4: ipv4 ?? '', ipv6: ipv6 ?? '', ...addresses(four, six) }];
  });
}

function addresses(four: AnsweredFamily, six: AnsweredFamily): Evidence {
  return { ipv4Address: four.address, ipv6Address: six.address };
}

// A nonce differs each time, and so may the address that reports go to.
function show(values: readonly string[]): string {
  if (values.length === 0) return 'missing';
  return values
    .map((value) =>
      value.replace(/'nonce-[^']*'/gi, "'nonce-…'").replace(/(?:^|;)\s*report-(?:uri|to)\s[^;]*/gi, ''),
    )
    .join(', ')
    .slice(0, 500);
}

function judgePace(url: string, four: AnsweredFamily, six: AnsweredFamily): Verdict {
  const [ipv4Ms, ipv6Ms] = [four.firstByteMs, six.firstByteMs];
  if (ipv4Ms === null || ipv6Ms === null) return notTested('no new connections were compared twice');
  return brokenIf(isMuchSlower(six, four), { url, ipv4Ms, ipv6Ms });
}
