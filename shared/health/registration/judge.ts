import type { Registration } from '../../catalogue/domain-health/registration.ts';
import {
  type RegistrationCode,
  registrationRules,
} from '../../catalogue/domain-health/rules-registration.ts';
import { spanWords } from '../../model/counts.ts';
import {
  brokenIf,
  codesOf,
  eachOf,
  type Evidence,
  notTested,
  type Verdict,
  type Verdicts,
} from '../../model/verdict.ts';
import { endingOfRegistration } from '../expiries/registration.ts';
import { showEnding } from '../expiries/state.ts';
import type { RegistrationFacts } from '../facts/health.ts';
import { compareDs, compareNameServers } from './compare.ts';

/** Judges what the registry tells of a domain. Where it was not asked, nothing is concluded. */
export function judgeRegistration({
  registration,
  delegation,
  at,
}: RegistrationFacts): Verdicts<RegistrationCode> {
  const codes = codesOf(registrationRules);
  if (registration === undefined) return eachOf(codes, notTested('the registration was not looked at'));
  const { state, reason = 'the registry was not asked' } = registration;
  if (state !== 'ok' && state !== 'no-date') return eachOf(codes, notTested(reason));
  return {
    ...judgeEnd(registration, at),
    ...judgeStatuses(registration),
    'registration-name-servers-differ': compareNameServers(registration, delegation),
    'registration-ds-differs': compareDs(registration, delegation),
  };
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** Registrars renew a domain by themselves until its last days, but some do so on the last day only. */
const urgentMs = 7 * dayMs;

type EndCode = 'registration-expired' | 'registration-expires-within-days' | 'registration-expires-soon';

function judgeEnd(registration: Registration, at: number): Verdicts<EndCode> {
  const ending = endingOfRegistration(registration);
  const codes = [
    'registration-expired',
    'registration-expires-within-days',
    'registration-expires-soon',
  ] as const;
  if (ending === undefined)
    return eachOf(
      codes,
      notTested(registration.reason ?? 'the registry does not tell when the registration ends'),
    );
  const { state, expiresAt, daysLeft } = showEnding(ending, at);
  const leftMs = ending.endsAt - at;
  const hours = Math.floor(leftMs / hourMs);
  const shown = { name: ending.name, expiresAt, days: daysLeft, hours, left: spanWords(leftMs) };
  const isUrgent = state === 'soon' && leftMs < urgentMs;
  const [expired, within, soon] = [state === 'past', isUrgent, state === 'soon' && !isUrgent];
  // What is reported by a stricter rule is not told twice.
  return {
    'registration-expired': isDeleted(registration) ? 'not-applicable' : brokenIf(expired, shown),
    'registration-expires-within-days': expired ? 'not-applicable' : brokenIf(within, shown),
    'registration-expires-soon': expired || within ? 'not-applicable' : brokenIf(soon, shown),
  };
}

function isDeleted({ statuses }: Registration): boolean {
  return statuses.includes('redemptionPeriod') || statuses.includes('pendingDelete');
}

type StatusCode =
  | 'registration-on-hold'
  | 'registration-redemption'
  | 'registration-pending-delete'
  | 'registration-transfer-unlocked';

function judgeStatuses({ statuses, name }: Registration): Verdicts<StatusCode> {
  const codes = [
    'registration-on-hold',
    'registration-redemption',
    'registration-pending-delete',
    'registration-transfer-unlocked',
  ] as const;
  if (statuses.length === 0) return eachOf(codes, notTested('the registry tells no status'));
  const shown: Evidence = { name };
  const holds = statuses.filter((status) => status === 'clientHold' || status === 'serverHold');
  // A restore takes both back: the registrar has asked for it, and the registry waits for its report (RFC 3915 §3.1).
  const isRestored = statuses.includes('pendingRestore');
  const isRedeemable = statuses.includes('redemptionPeriod') && !isRestored;
  const isPending = statuses.includes('pendingDelete') && !isRestored;
  return {
    'registration-on-hold': brokenIf(holds.length > 0, { ...shown, status: holds.join(' and ') }),
    'registration-redemption': brokenIf(isRedeemable, shown),
    'registration-pending-delete': isRedeemable ? 'not-applicable' : brokenIf(isPending, shown),
    'registration-transfer-unlocked': judgeLock(statuses, name),
  };
}

const locks: readonly string[] = [
  'clientTransferProhibited',
  'serverTransferProhibited',
  'transferProhibited',
  'locked',
];

// Registries of countries have other ways to keep a domain where it is.
function judgeLock(statuses: readonly string[], name: string | null): Verdict {
  const topLevel = name?.split('.').at(-1) ?? '';
  if (topLevel.length === 2 || topLevel.startsWith('xn--')) return 'not-applicable';
  return brokenIf(!statuses.some((status) => locks.includes(status)), { name });
}
