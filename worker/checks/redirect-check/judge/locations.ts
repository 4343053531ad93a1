import type { RedirectCode } from '#shared/catalogue/redirect-check/rules';
import { brokenBy, brokenIf, type Evidence, type Verdict, type Verdicts } from '#shared/model/verdict';
import { addressLimit, isRedirect, usualAddress } from '../../../web/redirect.ts';
import type { LocationObservation, Stop } from '../../../web/walk.ts';
import type { RedirectEvidence } from '../evidence.ts';
import { type AnsweredHop, answeredHops, asFarAsSeen, redirectsOf } from '../facts/chain.ts';

/** Judges the Location fields of all redirect answers. */
export function judgeLocations({ hops, stop }: RedirectEvidence) {
  const answered = answeredHops(hops);
  const redirecting = answered.filter(({ seen }) => isRedirect(seen.status));
  const last = answered.at(-1);
  const isForeign = stop.kind === 'foreign-scheme';
  const scheme = isForeign ? stop.scheme : '';
  const whole = (verdict: Verdict): Verdict =>
    asFarAsSeen(stop, redirecting.length === 0 && verdict === 'holds' ? 'not-applicable' : verdict);
  const each = (picks: (hop: AnsweredHop) => boolean) =>
    whole(brokenBy(redirecting.filter(picks).map(showLocation)));
  const atEnd = (claim: boolean, more: Evidence = {}) =>
    whole(brokenIf(claim, { ...(last ? showLocation(last) : {}), ...more }));
  return {
    'location-missing': each(({ seen }) => seen.locations.length === 0),
    'location-empty': each(({ seen }) => seen.locations.some(({ text }) => text === '')),
    'location-ambiguous': whole(
      brokenBy(answered.filter(({ seen }) => countDifferent(seen.locations) > 1).map(showLocation)),
    ),
    'location-not-encoded': each(({ seen }) => seen.locations.some((location) => !isUriReference(location))),
    'location-slashes': whole(brokenBy(redirecting.filter(isSlanted).map(showSlashes))),
    'location-credentials': each(({ seen }) => seen.locations.some(isSecret)),
    'location-lure': whole(brokenBy(redirecting.flatMap(showLure))),
    'location-too-long': whole(brokenBy([...findLong(hops), ...findTooLong(stop, last)])),
    'location-invalid': atEnd(stop.kind === 'invalid-location'),
    'location-scheme-not-allowed': atEnd(isForeign && !isAppScheme(scheme), { scheme }),
    'location-app-scheme': atEnd(isForeign && isAppScheme(scheme), { scheme }),
  } satisfies Partial<Verdicts<RedirectCode>>;
}

// Fetch schemes and scripts are refused as the target of a redirect; browsers hand everything else to other software (HTML Standard, navigate).
const refusedSchemes: ReadonlySet<string> = new Set(
  'about blob data file filesystem ftp javascript view-source chrome ws wss'.split(' '),
);

/** True for a scheme that browsers hand to other software. */
export function isAppScheme(scheme: string): boolean {
  return !refusedSchemes.has(scheme);
}

function showLocation({ number, url, seen }: AnsweredHop): Evidence {
  const count = countDifferent(seen.locations);
  const texts = seen.locations.map(({ text }) => text);
  return {
    hop: number,
    url,
    status: seen.status,
    location: texts.find((text) => text !== '') ?? texts[0] ?? null,
    ...(count > 1 ? { count, locations: texts.slice(0, 5) } : {}),
  };
}

/** "https:/x" is a path where the page has that scheme, and a host where it has the other (URL Standard); so is "https:x". */
function isSlanted({ seen, next }: AnsweredHop): boolean {
  return next !== null && seen.locations.some(({ text }) => /^https?:(?![/\\]{2}[^/\\])/i.test(text));
}

function showSlashes(hop: AnsweredHop): Evidence {
  return { ...showLocation(hop), to: hop.next?.url ?? '' };
}

function isSecret({ hasCredentials, lure }: LocationObservation): boolean {
  return hasCredentials && lure === undefined;
}

function showLure(hop: AnsweredHop): Evidence[] {
  return hop.seen.locations.flatMap(({ lure }) =>
    lure === undefined ? [] : [{ ...showLocation(hop), lure: lure.named, host: lure.host }],
  );
}

function findLong(hops: RedirectEvidence['hops']): Evidence[] {
  return redirectsOf(hops).flatMap(({ number, url, next }) =>
    next.url.length > usualAddress
      ? [{ hop: number, url, length: next.url.length, outcome: 'It was followed.' }]
      : [],
  );
}

function findTooLong(stop: Stop, last: AnsweredHop | undefined): Evidence[] {
  if (stop.kind !== 'location-too-long' || !last) return [];
  const outcome = `It was not followed, as it has more than ${addressLimit} characters, so the end of the chain was not seen.`;
  return [{ hop: last.number, url: last.url, length: stop.length, outcome }];
}

// The same Location sent twice is clumsy, but says one thing; browsers let it pass.
function countDifferent(locations: readonly LocationObservation[]): number {
  return new Set(locations.map(({ text }) => text)).size;
}

/** Only the characters of RFC 3986 appendix A, and whole percent-encodings. */
function isUriReference({ text, isUtf8 }: LocationObservation): boolean {
  return isUtf8 && !/[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]|%(?![0-9A-Fa-f]{2})/.test(text);
}
