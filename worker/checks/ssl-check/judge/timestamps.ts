import type { CertificateCode } from '#shared/catalogue/ssl-check/rules/certificate';
import { brokenIf, notTested, type Verdict } from '#shared/model/verdict';
import type { Certificate } from '../../../certificates/certificate.ts';
import { isMalformed } from '../../../certificates/grammar/malformed.ts';
import {
  parseSignedTimestamps,
  type SignedTimestamp,
} from '../../../certificates/grammar/signed-timestamps.ts';
import { lifetimeDays } from '../../../certificates/lifetime.ts';
import type { Presented } from '../facts/presented.ts';
import { findLog, logsListedOn, type TransparencyLog } from '../grammar/transparency-logs.ts';

/** Every policy of the CA/Browser Forum; each public server certificate carries one (Baseline Requirements §7.1.6.1). */
const publicPolicies = '2.23.140.1.';

type TimestampVerdicts = Pick<
  Record<CertificateCode, Verdict>,
  'certificate-timestamps-few' | 'certificate-timestamps-not-accepted'
>;

/** Judges by the policy of Chrome which logs have promised to publish the certificate; that of Apple wants the same. Certificates of private CAs need none. */
export function judgeTimestamps(presented: Presented, leaf: Certificate): TimestampVerdicts {
  if (!leaf.extensions.policies.some((policy) => policy.startsWith(publicPolicies)))
    return bothOf('not-applicable');
  const wanted = wantedOf(leaf);
  const { timestamps } = leaf.extensions;
  if (isMalformed(timestamps)) return few({ count: 0, wanted, reason: timestamps.reason });
  const embedded = timestamps ?? [];
  const sent = readSent(presented.timestampList);
  const count = new Set([...embedded, ...sent].map(({ logId }) => logId)).size;
  if (count === 0) {
    const hidden = whereHidden(presented);
    return hidden === null ? few({ count, wanted }) : bothOf(notTested(hidden));
  }
  if (count < wanted) return few({ count, wanted });
  return {
    'certificate-timestamps-few': 'holds',
    'certificate-timestamps-not-accepted': judgeLogs(embedded, sent, wanted),
  };
}

/** Where timestamps may be that are not embedded and were not seen (RFC 6962 §3.3). */
function whereHidden({ isSeenInClear, staple }: Presented): string | null {
  if (!isSeenInClear) return 'timestamps outside the certificate are not visible in TLS 1.3';
  return staple.kind === 'none' ? null : 'timestamps in an OCSP answer are not read';
}

function few(shown: { readonly [key: string]: string | number }): TimestampVerdicts {
  return {
    'certificate-timestamps-few': brokenIf(true, shown),
    'certificate-timestamps-not-accepted': 'not-applicable',
  };
}

function bothOf(verdict: Verdict): TimestampVerdicts {
  return { 'certificate-timestamps-few': verdict, 'certificate-timestamps-not-accepted': verdict };
}

/** Two logs up to 180 days, three above, by the policies of Chrome and Apple. */
function wantedOf(leaf: Certificate): number {
  return lifetimeDays(leaf) > 180 ? 3 : 2;
}

function readSent(base64: string | null): readonly SignedTimestamp[] {
  const list = parseSignedTimestamps(Buffer.from(base64 ?? '', 'base64'));
  return isMalformed(list) ? [] : list.timestamps;
}

/** Embedded timestamps may be of a log that has retired since, but for one; those that are sent along may not. */
function judgeLogs(
  embedded: readonly SignedTimestamp[],
  sent: readonly SignedTimestamp[],
  wanted: number,
): Verdict {
  const earliest = Math.min(...[...embedded, ...sent].map(({ at }) => at));
  const isCounted = ({ retiredAt }: TransparencyLog) => retiredAt === null || earliest < retiredAt;
  const isInService = ({ retiredAt }: TransparencyLog) => retiredAt === null;
  const own = logsOf(embedded).filter(isCounted);
  const others = logsOf(sent).filter(isInService);
  const isEnough =
    (own.length >= wanted && own.some(isInService) && countOperators(own) >= 2) ||
    countOperators(others) >= 2;
  if (isEnough) return 'holds';
  if ([...embedded, ...sent].some(({ logId }) => findLog(logId) === null))
    return notTested(`a timestamp is of a log that is not in the list of ${logsListedOn}`);
  return brokenIf(true, { logs: namesOf([...embedded, ...sent]), reason: reasonOf(own, wanted) });
}

/** Each log once. */
function logsOf(timestamps: readonly SignedTimestamp[]): readonly TransparencyLog[] {
  return [...new Set(timestamps.flatMap(({ logId }) => findLog(logId) ?? []))];
}

function countOperators(logs: readonly TransparencyLog[]): number {
  return new Set(logs.map(({ operator }) => operator)).size;
}

function namesOf(timestamps: readonly SignedTimestamp[]): string {
  return logsOf(timestamps)
    .map(({ operator, name }) => `${operator} ${name}`)
    .join(', ');
}

function reasonOf(counted: readonly TransparencyLog[], wanted: number): string {
  if (counted.length < wanted) return `only ${counted.length} of the ${wanted} that are needed are accepted`;
  if (countOperators(counted) < 2) return 'all of them have the same operator';
  return 'all of them are retired';
}
