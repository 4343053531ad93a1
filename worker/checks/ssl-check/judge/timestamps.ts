import type { CertificateCode } from '#shared/catalogue/ssl-check/rules/certificate';
import { lifetimeDays } from '#shared/model/lifetime';
import { brokenBy, brokenIf, isMalformed, notTested, type Verdict } from '#shared/model/verdict';
import type { Certificate } from '../../../certificates/certificate.ts';
import type { Presented } from '../facts/presented.ts';
import type { TimestampRead } from '../facts/timestamps.ts';
import { logsListedOn } from '../grammar/listed-logs.ts';
import type { TransparencyLog } from '../grammar/transparency-logs.ts';

/** Every policy of the CA/Browser Forum; each public server certificate carries one (Baseline Requirements §7.1.6.1). */
const publicPolicies = '2.23.140.1.';

type PolicyVerdicts = Pick<
  Record<CertificateCode, Verdict>,
  'certificate-timestamps-few' | 'certificate-timestamps-not-accepted'
>;
type TimestampVerdicts = PolicyVerdicts &
  Pick<Record<CertificateCode, Verdict>, 'certificate-timestamp-signature-wrong'>;

/** Judges by the policy of Chrome which logs have promised to publish the certificate; that of Apple wants the same. Certificates of private CAs need none. */
export function judgeTimestamps(presented: Presented, leaf: Certificate): TimestampVerdicts {
  if (!leaf.extensions.policies.some((policy) => policy.startsWith(publicPolicies)))
    return { ...bothOf('not-applicable'), 'certificate-timestamp-signature-wrong': 'not-applicable' };
  return {
    ...judgePolicy(presented, leaf),
    'certificate-timestamp-signature-wrong': judgeSignatures(presented.timestamps),
  };
}

function judgePolicy(presented: Presented, leaf: Certificate): PolicyVerdicts {
  const wanted = wantedOf(leaf);
  const { timestamps } = leaf.extensions;
  if (isMalformed(timestamps)) return few({ count: 0, wanted, reason: timestamps.malformed });
  // Browsers pass over what the log did not sign.
  const counted = presented.timestamps.filter(({ signature }) => signature !== 'bad');
  const count = new Set(counted.map(({ logId }) => logId)).size;
  if (presented.timestamps.length === 0) {
    const hidden = whereHidden(presented);
    return hidden === null ? few({ count, wanted }) : bothOf(notTested(hidden));
  }
  if (count < wanted) return few({ count, wanted });
  return {
    'certificate-timestamps-few': 'holds',
    'certificate-timestamps-not-accepted': judgeLogs(counted, wanted),
  };
}

function judgeSignatures(timestamps: readonly TimestampRead[]): Verdict {
  const known = timestamps.flatMap(({ log, signature }) => (log === null ? [] : [{ log, signature }]));
  if (timestamps.length === 0) return 'not-applicable';
  if (known.length === 0) return notTested(unknownLog);
  const wrong = known.filter(({ signature }) => signature === 'bad');
  if (wrong.length === 0 && known.some(({ signature }) => signature === 'unknown'))
    return notTested(unchecked);
  return brokenBy(wrong.map(({ log: { operator, name } }) => ({ log: `${operator} ${name}` })));
}

const unknownLog = `a timestamp is of a log that is not in the list of ${logsListedOn}`;
const unchecked = 'the signatures of the timestamps cannot be checked without the certificate of the issuer';

/** Where timestamps may be that are not embedded and were not seen (RFC 6962 §3.3). */
function whereHidden({ isSeenInClear, staple }: Presented): string | null {
  if (!isSeenInClear) return 'timestamps outside the certificate are not visible in TLS 1.3';
  return staple.kind === 'none' ? null : 'timestamps in an OCSP answer are not read';
}

function few(shown: { readonly [key: string]: string | number }): PolicyVerdicts {
  return {
    'certificate-timestamps-few': brokenIf(true, shown),
    'certificate-timestamps-not-accepted': 'not-applicable',
  };
}

function bothOf(verdict: Verdict): PolicyVerdicts {
  return { 'certificate-timestamps-few': verdict, 'certificate-timestamps-not-accepted': verdict };
}

/** Two logs up to 180 days, three above, by the policies of Chrome and Apple. */
function wantedOf(leaf: Certificate): number {
  return lifetimeDays(leaf) > 180 ? 3 : 2;
}

/** Embedded timestamps may be of a log that has retired since, but for one; those that are sent along may not. */
function judgeLogs(timestamps: readonly TimestampRead[], wanted: number): Verdict {
  const earliest = Math.min(...timestamps.map(({ at }) => at));
  const isCounted = ({ retiredAt }: TransparencyLog) => retiredAt === null || earliest < retiredAt;
  const isEnough = (some: readonly TimestampRead[]) => {
    const own = logsOf(some.filter(({ isEmbedded }) => isEmbedded)).filter(isCounted);
    const others = logsOf(some.filter(({ isEmbedded }) => !isEmbedded)).filter(isInService);
    const isEnoughInside = own.length >= wanted && own.some(isInService) && countOperators(own) >= 2;
    return isEnoughInside || countOperators(others) >= 2;
  };
  if (isEnough(timestamps.filter(({ signature }) => signature === 'good'))) return 'holds';
  if (isEnough(timestamps)) return notTested(unchecked);
  if (timestamps.some(({ log }) => log === null)) return notTested(unknownLog);
  const own = logsOf(timestamps.filter(({ isEmbedded }) => isEmbedded)).filter(isCounted);
  return brokenIf(true, { logs: namesOf(timestamps), reason: reasonOf(own, wanted) });
}

function isInService({ retiredAt }: TransparencyLog): boolean {
  return retiredAt === null;
}

/** Each log once. */
function logsOf(timestamps: readonly TimestampRead[]): readonly TransparencyLog[] {
  return [...new Set(timestamps.flatMap(({ log }) => log ?? []))];
}

function countOperators(logs: readonly TransparencyLog[]): number {
  return new Set(logs.map(({ operator }) => operator)).size;
}

function namesOf(timestamps: readonly TimestampRead[]): string {
  return logsOf(timestamps)
    .map(({ operator, name }) => `${operator} ${name}`)
    .join(', ');
}

function reasonOf(counted: readonly TransparencyLog[], wanted: number): string {
  if (counted.length < wanted) return `only ${counted.length} of the ${wanted} that are needed are accepted`;
  if (countOperators(counted) < 2) return 'all of them have the same operator';
  return 'all of them are retired';
}
