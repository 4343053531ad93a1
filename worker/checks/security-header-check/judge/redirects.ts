import type { redirectRules } from '#shared/catalogue/security-header-check/rules/transport';
import {
  brokenBy,
  type Evidence,
  isBroken,
  notTested,
  type Verdict,
  type Verdicts,
} from '#shared/model/verdict';
import { tellLost } from '../../../web/cookie-jar.ts';
import { comfortableRedirects } from '../../../web/redirect.ts';
import type { Chain, HeaderEvidence, Hop } from '../evidence.ts';
import { isClosed, whyCertificateUnseen, whyFailed, whyUnanswered, whyUnwalked } from './unwalked.ts';
import { brokenWhen, where } from './verdict-tables.ts';

type RedirectCode = keyof typeof redirectRules;

/** Judges the way to https: that it is there, and that no redirect leaves it. */
export function judgeRedirects(evidence: HeaderEvidence): Verdicts<RedirectCode> {
  const { https, http } = evidence;
  const chains = [https, http];
  const deadEnds = chains.flatMap(findDeadEnd);
  const asFarAsSeen = (verdict: Verdict) => unless(whyUnwalked(chains), verdict);
  return {
    'https-missing': judgeHttps(https, http),
    'certificate-not-trusted': unless(
      whyCertificateUnseen(chains),
      judgeCertificates(chains.flatMap(({ hops }) => hops)),
    ),
    ...judgeClearTextStart(http, https),
    'https-downgrade': asFarAsSeen(where(chains.some(leadsOn), brokenBy(chains.flatMap(findDowngrades)))),
    'redirect-no-page': asFarAsSeen(brokenBy(deadEnds)),
    'redirect-chain-long': asFarAsSeen(judgeLength(chains, deadEnds.length > 0)),
  };
}

/** What was seen to be broken stays so; where a reason is given, nothing else is said. */
function unless(why: string | null, verdict: Verdict): Verdict {
  return why === null || isBroken(verdict) ? verdict : notTested(why);
}

function leadsOn({ hops, end }: Chain): boolean {
  return hops.length > 1 || (hops.length === 1 && end.kind !== 'answered');
}

function judgeHttps(https: Chain, http: Chain): Verdict {
  if (https.hops.length > 0 || https.end.kind !== 'failed') return 'holds';
  const { url, code, reason } = https.end;
  if (http.hops.length === 0 || !isClosed(https)) return notTested(whyFailed(https) ?? '');
  return brokenBy([{ url, reason, code }]);
}

function judgeCertificates(hops: readonly Hop[]): Verdict {
  const secure = hops.filter(({ tls }) => tls !== null);
  if (secure.length === 0) return 'not-applicable';
  const refused = new Map(
    secure.flatMap(({ url, tls }) =>
      tls && !tls.trusted ? [[new URL(url).origin, tls.error] as const] : [],
    ),
  );
  return brokenBy([...refused].map(([url, error]) => ({ url, reason: error ?? 'it is not trusted' })));
}

type ClearTextCode = 'http-not-upgraded' | 'redirect-http-first' | 'https-upgrade-late';

function judgeClearTextStart(http: Chain, https: Chain): Verdicts<ClearTextCode> {
  const [first, second] = http.hops;
  const last = http.hops.at(-1);
  if (!first || !last) return allClearText(noClearText(http));
  if (http.end.kind !== 'answered') return allClearText(notTested('the redirects from http lead to no page'));
  const isUpgraded = second !== undefined && !isClearText(last.url);
  return {
    'http-not-upgraded': judgeUpgrade(first, last, https),
    'redirect-http-first': where(isUpgraded, brokenWhen(findClearTextSecond(first, second))),
    // Where the first redirect stays in clear text, that is what is reported.
    'https-upgrade-late': where(
      isUpgraded && !isClearText(second.url),
      brokenWhen(findOtherHost(first, second)),
    ),
  };
}

function judgeUpgrade(first: Hop, last: Hop, https: Chain): Verdict {
  const { url, status } = last;
  const seen = brokenWhen(isClearText(url) && { from: first.url, url, status });
  if (first !== last) return seen;
  const unseen = whyUnanswered(https);
  if (unseen !== null) return notTested(unseen);
  // Without https there is nothing to redirect to, and an error page shows visitors nothing.
  if (https.hops.length === 0) return 'not-applicable';
  return status < 400 ? seen : 'holds';
}

function noClearText({ end }: Chain): Verdict {
  const isOpen = end.kind === 'failed' && end.code !== 'connection-refused';
  return isOpen ? notTested(whyFailed({ end }) ?? '') : 'not-applicable';
}

function allClearText(verdict: Verdict): Verdicts<ClearTextCode> {
  return {
    'http-not-upgraded': verdict,
    'redirect-http-first': verdict,
    'https-upgrade-late': verdict,
  };
}

function findClearTextSecond(first: Hop, second: Hop | undefined): Evidence | undefined {
  return second && isClearText(second.url) ? { from: first.url, to: second.url } : undefined;
}

function findOtherHost(first: Hop, second: Hop | undefined): Evidence | undefined {
  if (!second || isClearText(second.url) || !isClearText(first.url)) return undefined;
  return hostOf(first.url) === hostOf(second.url) ? undefined : { from: first.url, to: second.url };
}

function findDowngrades({ hops, end }: Chain): Evidence[] {
  const urls = [...hops.map(({ url }) => url), ...(end.kind === 'answered' ? [] : [end.url])];
  return urls.flatMap((to, index) => {
    const from = urls[index - 1];
    return from !== undefined && !isClearText(from) && isClearText(to) ? [{ from, to }] : [];
  });
}

const reasonsOfDeadEnd = {
  loop: 'it was asked before with the same cookies',
  'too-many': 'there was still another redirect after 20',
  'invalid-location': 'its Location is not a URL',
  'several-locations': 'it sends several Location fields that differ, which browsers refuse',
  'foreign-scheme': 'its Location leaves the web',
  'location-too-long': 'its Location is longer than 16,384 characters, and was not followed',
} as const;

function findDeadEnd({ start, end }: Chain): Evidence[] {
  if (end.kind === 'answered' || end.kind === 'failed') return [];
  const reason = whyDeadEnd(end);
  return [{ from: start, url: end.url, reason }];
}

function whyDeadEnd(end: Exclude<Chain['end'], { kind: 'answered' | 'failed' }>): string {
  if (end.kind === 'nowhere') return end.why;
  return end.kind === 'loop' && end.lost ? tellLost(end.lost) : reasonsOfDeadEnd[end.kind];
}

// Skip the length where a chain did not reach a page.
function judgeLength(chains: readonly Chain[], isDeadEnd: boolean): Verdict {
  const long = brokenBy(chains.flatMap(findLongWay));
  return isBroken(long) ? long : where(!isDeadEnd, long);
}

function findLongWay({ start, hops }: Chain): Evidence[] {
  return hops.length - 1 > comfortableRedirects ? [{ from: start, redirects: hops.length - 1 }] : [];
}

function isClearText(url: string): boolean {
  return url.startsWith('http:');
}

function hostOf(url: string): string {
  return new URL(url).hostname;
}
