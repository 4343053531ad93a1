import type { RedirectCode } from '../../../shared/catalogue/redirect-check/rules.ts';
import {
  brokenBy,
  brokenIf,
  type Evidence,
  isBroken,
  notTested,
  type Verdict,
} from '../../../shared/model/verdict.ts';
import {
  isCanonicalising,
  isCrossSite,
  isHttpsDowngrade,
  isHttpsUpgrade,
  type Redirect,
  redirectsOf,
} from './chain.ts';
import type { RedirectEvidence } from './evidence.ts';

type Code = Extract<RedirectCode, 'https-downgrade' | 'https-upgrade-late' | `redirect-${string}`>;

/** More than one redirect for the scheme and one for the host is a detour. */
const comfortableRedirects = 2;

const trackingParameters =
  /^(?:utm_\w+|gclid|gbraid|wbraid|dclid|fbclid|msclkid|yclid|twclid|ttclid|igshid|mc_[ce]id|_hsenc|_hsmi|vero_id|mkt_tok|s_cid|oly_\w+)$/i;

/** Judges how the chain runs: its length, its circles, what each redirect changes. */
export function judgePath(evidence: RedirectEvidence): Record<Code, Verdict> {
  const { hops, stop } = evidence;
  const redirects = redirectsOf(hops);
  // What was seen to be broken stays so; what was not seen to the end does not hold.
  const reached = (verdict: Verdict): Verdict =>
    stop.kind !== 'failure' || isBroken(verdict)
      ? verdict
      : notTested('the chain could not be walked to its end');
  const each = (
    picks: (redirect: Redirect) => boolean,
    shows: (redirect: Redirect) => Evidence = showMove,
  ): Verdict => {
    const broken = redirects.filter(picks).map(shows);
    if (broken.length > 0) return brokenBy(broken);
    return reached(redirects.length > 0 ? 'holds' : 'not-applicable');
  };
  return {
    'https-downgrade': each(isHttpsDowngrade),
    'https-upgrade-late': each((redirect) => isLateUpgrade(redirect, redirects)),
    'redirect-loop': reached(
      brokenIf(stop.kind === 'loop', { hop: hops.length, to: stop.kind === 'loop' ? stop.to : '' }),
    ),
    'redirect-too-many': reached(brokenIf(stop.kind === 'too-many', { redirects: hops.length - 1 })),
    'redirect-chain-long':
      stop.kind === 'too-many' || stop.kind === 'loop' ? 'not-applicable' : judgeLength(redirects, reached),
    'redirect-temporary': each(isTemporaryForLasting, showTemporary),
    'redirect-client-side': each(
      ({ next }) => next.via !== 'http',
      (redirect) => ({ ...showMove(redirect), via: redirect.next.via }),
    ),
    'redirect-client-side-delayed': reached(judgeDelayed(evidence)),
    'redirect-javascript-suspected': reached(judgeScript(evidence)),
    'redirect-path-not-kept': each(forgetsPath, (redirect) => ({
      ...showMove(redirect),
      host: redirect.to.host,
    })),
    'redirect-cross-site': each(isCrossSite),
    'redirect-tracking-parameters': each(
      (redirect) => addedTracking(redirect).length > 0,
      (redirect) => ({ ...showMove(redirect), parameters: addedTracking(redirect) }),
    ),
    'redirect-open-suspected': each(
      (redirect) => findOpenRedirect(redirect) !== undefined,
      (redirect) => findOpenRedirect(redirect) ?? {},
    ),
    'redirect-cookie-required': reached(judgeCookieGate(evidence)),
    'redirect-status-not-followed': reached(judgeStatuses(evidence)),
  };
}

function showMove({ number, url, next }: Redirect): Evidence {
  return { hop: number, from: url, to: next.url };
}

// The first host can only say Strict-Transport-Security over https, which this visitor never spoke with it.
function isLateUpgrade({ from, to, number }: Redirect, redirects: readonly Redirect[]): boolean {
  const staysPlain = from.protocol === 'http:' && to.protocol === 'http:' && from.hostname !== to.hostname;
  return staysPlain && redirects.some((later) => later.number > number && isHttpsUpgrade(later));
}

function judgeLength(redirects: readonly Redirect[], reached: (verdict: Verdict) => Verdict): Verdict {
  const needless = redirects.filter((redirect) => !isCanonicalising(redirect));
  const isLong =
    redirects.length > comfortableRedirects &&
    needless.length + Math.min(comfortableRedirects, redirects.length - needless.length) >
      comfortableRedirects;
  return isLong ? brokenIf(true, { redirects: redirects.length }) : reached('holds');
}

function isTemporaryForLasting(redirect: Redirect): boolean {
  return (
    (redirect.seen.status === 302 || redirect.seen.status === 307 || redirect.seen.status === 303) &&
    redirect.next.via === 'http' &&
    isCanonicalising(redirect)
  );
}

function showTemporary(redirect: Redirect): Evidence {
  const { from, to, seen } = redirect;
  const changes = [
    from.protocol === to.protocol ? [] : ['the scheme'],
    from.host === to.host ? [] : ['the host'],
  ].flat();
  return { ...showMove(redirect), status: seen.status, change: changes.join(' and ') };
}

function forgetsPath(redirect: Redirect): boolean {
  const { from, to } = redirect;
  return (
    from.host !== to.host &&
    from.pathname !== '/' &&
    to.pathname === '/' &&
    to.search === '' &&
    !isCrossSite(redirect)
  );
}

function addedTracking({ from, to }: Redirect): string[] {
  return [...to.searchParams.keys()].filter(
    (name) => trackingParameters.test(name) && !from.searchParams.has(name),
  );
}

/** The Location names a host of another site that stood, as a URL, in the query of the same request. */
function findOpenRedirect(redirect: Redirect): Evidence | undefined {
  const { from, to } = redirect;
  if (!isCrossSite(redirect)) return undefined;
  for (const [parameter, value] of from.searchParams) {
    const named = URL.canParse(value, from.href) ? new URL(value, from.href) : undefined;
    if (named?.host === to.host) return { ...showMove(redirect), host: to.host, parameter };
  }
  return undefined;
}

function judgeCookieGate({ hops, stop }: RedirectEvidence): Verdict {
  if (stop.kind !== 'arrived') return 'not-applicable';
  const again = hops.find(({ url }, index) => hops.findIndex((earlier) => earlier.url === url) < index);
  return brokenIf(again !== undefined, { url: again?.url ?? '' });
}

function judgeDelayed({ hops }: RedirectEvidence): Verdict {
  const last = hops.at(-1);
  if (last?.seen.kind !== 'response' || last.next) return 'not-applicable';
  const delayed = [last.seen.refresh, last.seen.page?.refresh ?? null].find(
    (refresh) => refresh && refresh.target !== '' && refresh.seconds > 5,
  );
  return brokenIf(delayed !== undefined, { to: delayed?.target ?? '', seconds: delayed?.seconds ?? 0 });
}

function judgeScript({ hops }: RedirectEvidence): Verdict {
  const last = hops.at(-1)?.seen;
  if (last?.kind !== 'response' || !last.page) return 'not-applicable';
  return brokenIf(last.page.setsLocation, { url: hops.at(-1)?.url ?? '' });
}

function judgeStatuses({ hops }: RedirectEvidence): Verdict {
  const unfollowed = hops.flatMap(({ url, seen }, index) =>
    seen.kind === 'response' && [300, 304, 305, 306].includes(seen.status) && seen.locations.length > 0
      ? [{ hop: index + 1, url, status: seen.status }]
      : [],
  );
  return brokenBy(unfollowed);
}
