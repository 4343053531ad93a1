import type { RedirectCode } from '../../../shared/catalogue/redirect-check/rules.ts';
import {
  brokenBy,
  brokenIf,
  type Evidence,
  isBroken,
  notTested,
  type Verdict,
} from '../../../shared/model/verdict.ts';
import { type AnsweredHop, answeredHops } from './chain.ts';
import type { RedirectEvidence } from './evidence.ts';

type Code = Extract<RedirectCode, `location-${string}`>;

const redirectStatuses = [301, 302, 303, 307, 308];

/** Judges the Location fields of all redirect answers. */
export function judgeLocations({ hops, stop }: RedirectEvidence): Record<Code, Verdict> {
  const answered = answeredHops(hops);
  const redirecting = answered.filter(({ seen }) => redirectStatuses.includes(seen.status));
  const last = answered.at(-1);
  // What was seen to be broken stays so; what was not seen to the end does not hold.
  const seen = (verdict: Verdict): Verdict => {
    if (isBroken(verdict)) return verdict;
    if (stop.kind === 'failure') return notTested('the chain could not be walked to its end');
    return redirecting.length === 0 && stop.kind === 'arrived' ? 'not-applicable' : verdict;
  };
  const each = (picks: (hop: AnsweredHop) => boolean) =>
    seen(brokenBy(redirecting.filter(picks).map(showLocation)));
  return {
    'location-missing': each(({ seen }) => seen.locations.length === 0),
    'location-empty': each(({ seen }) => seen.locations[0] === ''),
    'location-ambiguous': each(({ seen }) => new Set(seen.locations).size > 1),
    'location-not-encoded': each(({ seen }) => seen.locations.some((location) => !isUriReference(location))),
    'location-credentials': each(({ seen }) => seen.hasCredentials),
    'location-invalid': seen(brokenIf(stop.kind === 'invalid-location', last ? showLocation(last) : {})),
    'location-scheme-not-allowed': seen(
      brokenIf(stop.kind === 'foreign-scheme', {
        ...(last ? showLocation(last) : {}),
        scheme: stop.kind === 'foreign-scheme' ? stop.scheme : '',
      }),
    ),
  };
}

function showLocation({ number, url, seen }: AnsweredHop): Evidence {
  const count = new Set(seen.locations).size;
  return {
    hop: number,
    url,
    status: seen.status,
    location: seen.locations[0] ?? null,
    ...(count > 1 ? { count, locations: seen.locations } : {}),
  };
}

/** Only the characters of RFC 3986 appendix A, and whole percent-encodings. */
function isUriReference(location: string): boolean {
  return /^(?:[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})*$/.test(location);
}
