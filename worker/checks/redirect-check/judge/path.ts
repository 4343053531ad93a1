import type { RedirectCode } from '#shared/catalogue/redirect-check/rules';
import {
  brokenBy,
  brokenIf,
  type Evidence,
  isBroken,
  type Verdict,
  type Verdicts,
} from '#shared/model/verdict';
import { siteOf } from '#shared/targets/parse-target';
import { tellLost } from '../../../web/cookie-jar.ts';
import { isRedirect, isSamePage, shownForS } from '../../../web/redirect.ts';
import type { RedirectEvidence } from '../evidence.ts';
import {
  answeredHops,
  asFarAsRead,
  asFarAsSeen,
  findAskedTwice,
  isCanonicalising,
  isCrossSite,
  isHttpsDowngrade,
  isHttpsUpgrade,
  type Redirect,
  readEndBlock,
  redirectsOf,
  whyBlocked,
} from '../facts/chain.ts';
import { judgeLengths } from './length.ts';

const trackingParameters =
  /^(?:utm_\w+|gclid|gbraid|wbraid|dclid|fbclid|msclkid|yclid|twclid|ttclid|igshid|mc_[ce]id|_hsenc|_hsmi|vero_id|mkt_tok|s_cid|oly_\w+)$/i;

/** Judges how the chain runs: its length, its circles, what each redirect changes. */
export function judgePath(evidence: RedirectEvidence) {
  const { hops, stop } = evidence;
  const redirects = redirectsOf(hops);
  const whole = (verdict: Verdict): Verdict => asFarAsSeen(stop, verdict);
  const each = (
    picks: (redirect: Redirect) => boolean,
    shows: (redirect: Redirect) => Evidence = showMove,
  ): Verdict =>
    whole(redirects.length === 0 ? 'not-applicable' : brokenBy(redirects.filter(picks).map(shows)));
  return {
    'https-downgrade': each(isHttpsDowngrade),
    'https-upgrade-late': each((redirect) => isLateUpgrade(redirect, redirects)),
    'redirect-loop': whole(
      brokenBy(stop.kind === 'loop' ? [{ hop: hops.length, to: stop.to, ...tellLoop(stop) }] : []),
    ),
    'redirect-too-many': whole(judgeMost(evidence, redirects.length)),
    'redirect-chain-slow': judgePace(evidence),
    ...judgeLengths(redirects.length, whole, hasLength(evidence, redirects.length)),
    'redirect-temporary': each(isTemporaryForLasting, showTemporary),
    'redirect-client-side': asLastPageRead(
      evidence,
      each(
        ({ next }) => next.via !== 'http',
        (redirect) => ({ ...showMove(redirect), via: redirect.next.via }),
      ),
    ),
    'redirect-client-side-delayed': whole(judgeDelayed(evidence)),
    'redirect-javascript-suspected': whole(judgeScript(evidence)),
    'redirect-path-not-kept': each(forgetsPath, (redirect) => ({
      ...showMove(redirect),
      host: redirect.to.host,
    })),
    // A host that nobody has is no other site.
    'redirect-cross-site': each(
      (redirect) =>
        isCrossSite(redirect) && !(stop.kind === 'nowhere' && redirect.number === hops.length - 1),
    ),
    'redirect-tracking-parameters': each(
      (redirect) => addedTracking(redirect).length > 0,
      (redirect) => ({ ...showMove(redirect), parameters: addedTracking(redirect) }),
    ),
    'redirect-open-suspected': each(
      (redirect) => !isReturn(redirect, redirects) && findOpenRedirect(redirect) !== undefined,
      (redirect) => findOpenRedirect(redirect) ?? {},
    ),
    'redirect-cookie-required': whole(judgeCookieGate(evidence)),
    'redirect-status-not-followed': whole(judgeStatuses(evidence)),
  } satisfies Partial<Verdicts<RedirectCode>>;
}

// Where the last page was not read to its end, it may send the visitor on by itself.
function asLastPageRead({ hops, stop }: RedirectEvidence, verdict: Verdict): Verdict {
  const last = answeredHops(hops).at(-1);
  return stop.kind !== 'arrived' || !last || isBroken(verdict) ? verdict : asFarAsRead(last.seen, verdict);
}

function showMove({ number, url, next }: Redirect): Evidence {
  return { hop: number, from: url, to: next.url };
}

// The first host can only say Strict-Transport-Security over https, which this visitor never spoke with it.
function isLateUpgrade({ from, to, number }: Redirect, redirects: readonly Redirect[]): boolean {
  const staysPlain = from.protocol === 'http:' && to.protocol === 'http:' && from.hostname !== to.hostname;
  return staysPlain && redirects.some((later) => later.number > number && isHttpsUpgrade(later));
}

function tellLoop({ lost }: Extract<RedirectEvidence['stop'], { kind: 'loop' }>): Evidence {
  if (lost === undefined)
    return {
      reason: 'it was asked before with the same cookies',
      advice:
        'find the two rules that send the visitor to each other, often one in the web server and one in the application or CDN, and remove one',
    };
  const names = lost.map(({ cookie }) => cookie).join(' and ');
  return { reason: tellLost(lost), advice: `set ${names} so that browsers keep it`, cookies: names };
}

/** Chromium gives up at the 20th redirect in a row, Firefox and the Fetch Standard at the 21st (measured in Chromium 150). */
const chromiumRefuses = 20;

// Of a chain without end there is no length; of one that browsers refuse, that is reported.
function hasLength(evidence: RedirectEvidence, redirects: number): boolean {
  return evidence.stop.kind !== 'loop' && !isBroken(judgeMost(evidence, redirects));
}

function judgeMost({ hops, stop }: RedirectEvidence, redirects: number): Verdict {
  if (stop.kind === 'too-many')
    return brokenIf(true, {
      redirects: hops.length,
      outcome: 'Browsers give up after 20 at most, so nobody gets to the page.',
    });
  const outcome = 'Chrome and Edge give up at the 20th. Firefox follows it.';
  return brokenIf(
    stop.kind === 'arrived' && redirects >= chromiumRefuses && longestRow(hops) >= chromiumRefuses,
    { redirects, outcome },
  );
}

/** The most redirects by status in a row: a page that sends its visitor on begins a new count. */
function longestRow(hops: RedirectEvidence['hops']): number {
  let most = 0;
  let row = 0;
  for (const { next } of hops) {
    row = next?.via === 'http' ? row + 1 : 0;
    most = Math.max(most, row);
  }
  return most;
}

// A hop that failed by itself is not slow: target-unreachable says what is wrong with it.
function judgePace({ hops, stop }: RedirectEvidence): Verdict {
  if (stop.kind !== 'out-of-time') return asFarAsSeen(stop, 'holds');
  return brokenIf(true, { hop: hops.length, url: hops.at(-1)?.url ?? '', seconds: stop.afterMs / 1000 });
}

const temporaryStatuses: readonly number[] = [302, 303, 307];

function isTemporaryForLasting(redirect: Redirect): boolean {
  const { seen, next } = redirect;
  return temporaryStatuses.includes(seen.status) && next.via === 'http' && isCanonicalising(redirect);
}

function showTemporary(redirect: Redirect): Evidence {
  const { from, to, seen } = redirect;
  const changes = [
    ...(from.protocol === to.protocol ? [] : ['the scheme']),
    ...(from.host === to.host ? [] : ['the host']),
  ];
  return { ...showMove(redirect), status: seen.status, change: changes.join(' and ') };
}

function forgetsPath(redirect: Redirect): boolean {
  const { from, to } = redirect;
  return (
    from.origin !== to.origin &&
    from.pathname !== '/' &&
    to.pathname === '/' &&
    to.search === '' &&
    !isCrossSite(redirect)
  );
}

function addedTracking({ from, to }: Redirect): string[] {
  const names = new Set(to.searchParams.keys());
  return [...names].filter((name) => trackingParameters.test(name) && !from.searchParams.has(name));
}

const signOnParameters = [
  'redirect_uri',
  'post_logout_redirect_uri',
  'SAMLRequest',
  'SAMLResponse',
  'RelayState',
  'wtrealm',
  'openid.return_to',
];

/** Single sign-on leads back to the site that the chain came from, or to an address that the provider has registered. */
function isReturn({ from, to, number }: Redirect, redirects: readonly Redirect[]): boolean {
  const site = siteOf(to.hostname);
  const isBack = redirects.some(
    (earlier) => earlier.number < number && siteOf(earlier.from.hostname) === site,
  );
  const isCas = /\/cas(?:\/|$)/.test(from.pathname) && from.searchParams.has('service');
  return isBack || isCas || signOnParameters.some((name) => from.searchParams.has(name));
}

/** The Location names a host of another site that stood, alone or in a URL, in the query of the same request. */
function findOpenRedirect(redirect: Redirect): Evidence | undefined {
  const { from, to } = redirect;
  if (!isCrossSite(redirect)) return undefined;
  for (const [parameter, value] of from.searchParams) {
    const named = URL.canParse(value, from.href) ? new URL(value, from.href).host : '';
    if (named === to.host || value.toLowerCase() === to.host)
      return { ...showMove(redirect), host: to.host, parameter };
  }
  return undefined;
}

// Asked twice and arrived: had the cookies been the same, the walk had called it a loop.
function judgeCookieGate({ hops, stop }: RedirectEvidence): Verdict {
  if (stop.kind !== 'arrived') return 'not-applicable';
  const url = findAskedTwice(hops);
  return brokenIf(url !== undefined, { url: url ?? '' });
}

function judgeDelayed(evidence: RedirectEvidence): Verdict {
  const { hops, stop } = evidence;
  const block = readEndBlock(evidence);
  const last = answeredHops(hops).at(-1);
  if (stop.kind !== 'arrived' || !last) return 'not-applicable';
  const { refresh } = last.seen;
  if (block) return whyBlocked(block);
  if (refresh && refresh.seconds > shownForS && !isSamePage(refresh.to, last.url))
    return brokenIf(true, { url: last.url, to: refresh.to, seconds: refresh.seconds, via: refresh.via });
  return asFarAsRead(last.seen, 'holds');
}

function judgeScript(evidence: RedirectEvidence): Verdict {
  const { hops, stop } = evidence;
  const block = readEndBlock(evidence);
  const last = answeredHops(hops).at(-1);
  if (stop.kind !== 'arrived' || !last) return 'not-applicable';
  const { page } = last.seen;
  if (block) return whyBlocked(block);
  if (page?.setsAddress)
    return brokenIf(true, { url: last.url, to: page.scriptTarget ?? 'an address that is computed' });
  return asFarAsRead(last.seen, page ? 'holds' : 'not-applicable');
}

function judgeStatuses({ hops }: RedirectEvidence): Verdict {
  const unfollowed = answeredHops(hops).filter(
    ({ seen: { status, locations } }) =>
      status >= 300 && status < 400 && !isRedirect(status) && locations.length > 0,
  );
  return brokenBy(unfollowed.map(({ number, url, seen }) => ({ hop: number, url, status: seen.status })));
}
