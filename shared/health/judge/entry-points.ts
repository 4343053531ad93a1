import type { HealthCode } from '../../catalogue/domain-health/rules.ts';
import { isOfVantage } from '../../model/vantage.ts';
import {
  brokenBy,
  brokenIf,
  type Evidence,
  isBroken,
  notTested,
  type Verdict,
  type Verdicts,
} from '../../model/verdict.ts';
import { siteOf } from '../../targets/parse-target.ts';
import type { Category } from '../facts/categories.ts';
import { distrustIn, type EntryPoint, type LandedEntry, landed } from '../facts/entry-points.ts';
import { findingIn, verdictIn } from '../facts/source.ts';
import type { WebFacts } from '../facts/web.ts';

/** What the rules of the entry points are judged by. */
export type EntryFacts = {
  readonly domain: string;
  /** The host that ssl-check looked at. */
  readonly webHost: string;
  readonly entries: readonly EntryPoint[];
  readonly web: WebFacts;
  readonly categories: readonly Category[];
  /** The host whose certificate ssl-check has failed; null where it has not. A warning there is reported once. */
  readonly failedHost: string | null;
  /** True where every name below the domain has an address, so that www may exist without anyone having set it up (RFC 4592). */
  readonly hasWildcard: boolean;
};

/** Judges the addresses that people type: each should lead to the site, over https, and all to the same host. */
export function judgeEntryPoints(facts: EntryFacts) {
  const { entries, web } = facts;
  const isNothing = web.kind === 'absent' || web.kind === 'closed';
  const judge = (verdict: () => Verdict): Verdict => (isNothing ? 'not-applicable' : verdict());
  return {
    'web-server-missing': judgeServer(facts),
    'target-address-not-allowed': judge(() => judgeAddresses(entries)),
    'entry-points-all-broken': judge(() => judgeWhole(entries)),
    'page-not-seen': judge(() => judgePageSeen(facts)),
    'https-missing': judge(() => judgeHttps(facts)),
    'http-not-upgraded': judge(() => judgeUpgrade(facts)),
    'http-upgraded-elsewhere': judge(() => judgeUpgradeElsewhere(facts)),
    'https-downgrade': judge(() => judgeFound(entries, 'https-downgrade', showDowngrades)),
    'entry-point-broken': judge(() => judgeBroken(facts)),
    'entry-point-error-status': judge(() => judgeStatus(entries)),
    'entry-point-certificate-not-trusted': judge(() => judgeCertificates(facts)),
    'entry-point-sends-on': judge(() => judgeStay(entries)),
    'entry-points-differ': judge(() => judgeAgreement(entries)),
  } satisfies Partial<Verdicts<HealthCode>>;
}

/** Broken by what was seen; else not tested where an entry was not seen; else it holds, if there was one to look at. */
function conclude(broken: readonly Evidence[], looked: readonly EntryPoint[]): Verdict {
  if (broken.length > 0) return brokenBy(broken);
  const unseen = looked.find(({ end }) => end === 'unknown');
  if (unseen) return notTested(`${unseen.url}: ${unseen.why}`);
  return looked.length > 0 ? 'holds' : 'not-applicable';
}

function judgeServer({ web, entries }: EntryFacts): Verdict {
  if (web.kind === 'absent') return 'not-applicable';
  if (web.kind === 'unknown') return notTested(whyUnseen(entries));
  return brokenIf(web.kind === 'closed', { url: entries[0]?.url ?? '' });
}

function whyUnseen(entries: readonly EntryPoint[]): string {
  const unseen = entries.find(({ end }) => end === 'unknown');
  return unseen ? `${unseen.url}: ${unseen.why}` : 'no entry point gave an answer';
}

function judgeHttps({ webHost, web }: EntryFacts): Verdict {
  if (web.tls === 'spoken') return 'holds';
  if (web.tls === 'unknown') return notTested('it was not seen whether port 443 speaks TLS');
  return brokenBy([{ url: `https://${webHost}/`, reason: web.tlsRefusal?.detail ?? '' }]);
}

// Without https there is nothing to redirect to; https-missing reports that.
function judgeUpgrade({ web, entries }: EntryFacts): Verdict {
  if (web.tls === 'none') return 'not-applicable';
  const open = entries.filter(({ isHttps, end }) => !isHttps && isLookedAt(end));
  const stuck = landed(open).filter(({ finalUrl }) => finalUrl.startsWith('http:'));
  return conclude(stuck.map(showLanding), open);
}

function judgeUpgradeElsewhere({ domain, web, entries }: EntryFacts): Verdict {
  if (web.tls === 'none') return 'not-applicable';
  const open = entries.filter(({ isHttps, end }) => !isHttps && isLookedAt(end));
  const isOwnHttps = (url: string) => url.startsWith('https:') && siteOf(hostOf(url)) === siteOf(domain);
  const lost = landed(open).filter(
    ({ finalUrl, fields }) =>
      finalUrl.startsWith('https:') && fields?.hops.every(({ url }) => !isOwnHttps(url)) === true,
  );
  return conclude(lost.map(showLanding), open);
}

function isLookedAt(end: EntryPoint['end']): boolean {
  return end === 'arrived' || end === 'error' || end === 'unknown';
}

/** What redirect-check says of one of its rules at all entry points; an entry point where no server answers says nothing. */
function judgeFound(
  entries: readonly EntryPoint[],
  code: string,
  show: (entry: EntryPoint) => readonly Evidence[],
): Verdict {
  const broken = entries.flatMap((entry) => show(entry).map((evidence) => ({ url: entry.url, ...evidence })));
  if (broken.length > 0) return brokenBy(broken);
  const verdicts = entries
    .filter(({ end }) => end !== 'closed' && end !== 'no-name')
    .map(({ url, source }) => ({ url, verdict: verdictIn(source, code) }));
  // Found, but not shown here: another rule reports it.
  if (verdicts.some(({ verdict }) => isBroken(verdict))) return 'not-applicable';
  for (const { url, verdict } of verdicts)
    if (typeof verdict === 'object' && 'notTested' in verdict)
      return notTested(`${url}: ${verdict.notTested}`);
  return verdicts.some(({ verdict }) => verdict === 'holds') ? 'holds' : 'not-applicable';
}

function showDowngrades({ source, fields, sentOnTo }: EntryPoint): readonly Evidence[] {
  const finding = findingIn(source, 'https-downgrade');
  const end = fields?.finalUrl ?? '';
  const isSentDown = end.startsWith('https:') && sentOnTo?.startsWith('http:') === true;
  return [
    ...(finding ? [{ reason: finding.detail }] : []),
    ...(isSentDown ? [{ reason: `The page ${end} sends browsers on to ${sentOnTo}.` }] : []),
  ];
}

/** What a browser proved of the pages at which redirect-check ended, which runs no scripts. */
function judgeStay(entries: readonly EntryPoint[]): Verdict {
  const arrived = entries.filter(({ end }) => end === 'arrived');
  const known = arrived.filter(({ sentOnTo }) => sentOnTo !== undefined);
  const left = known.flatMap(({ url, fields, sentOnTo }) =>
    sentOnTo == null ? [] : [{ url, finalUrl: fields?.finalUrl ?? '', to: sentOnTo }],
  );
  if (known.length > 0 || arrived.length === 0)
    return arrived.length === 0 ? 'not-applicable' : brokenBy(left);
  return notTested('no browser was seen at the page where the redirects end');
}

function judgeCertificates(facts: EntryFacts): Verdict {
  const { entries, failedHost } = facts;
  const show = (entry: EntryPoint) => distrustIn(entry.source).filter(({ at }) => hostOf(at) !== failedHost);
  const faulty = entries.filter((entry) => show(entry).length > 0);
  return isOfWildcard(faulty, facts)
    ? 'not-applicable'
    : judgeFound(entries, 'certificate-not-trusted', show);
}

/** Whether all faults are at a www that a wildcard answers for. */
function isOfWildcard(
  faulty: readonly EntryPoint[],
  { domain, hasWildcard }: Pick<EntryFacts, 'domain' | 'hasWildcard'>,
): boolean {
  return hasWildcard && faulty.length > 0 && faulty.every(({ host }) => host === `www.${domain}`);
}

function judgeAddresses(entries: readonly EntryPoint[]): Verdict {
  return conclude(
    entries
      .filter(({ source }) => findingIn(source, 'target-address-not-allowed') !== undefined)
      .map(({ url }) => ({ url })),
    entries.filter(({ end }) => end !== 'no-name'),
  );
}

// A page that we get as 401, 403 or 404 may exist for visitors. A server that fails everywhere has no page for anyone, also where it says 503.
function judgeWhole(entries: readonly EntryPoint[]): Verdict {
  const failing = entries.filter(
    ({ end, isFailing }) => isFailing || (end !== 'arrived' && end !== 'unknown' && end !== 'error'),
  );
  const reached = entries.filter((entry) => entry.end !== 'unknown' && !failing.includes(entry));
  // A page behind an untrusted certificate does not hold; other rules report the certificate.
  if (reached.length > 0) return reached.some(({ distrust }) => !distrust) ? 'holds' : 'not-applicable';
  const isUnseen = entries.some((entry) => entry.end === 'unknown' && !failing.includes(entry));
  return conclude(isUnseen ? [] : failing.map(showFailing), entries);
}

// A page was seen where an entry point came to one, or where one of the checks that need a page has a score.
function judgePageSeen({ entries, categories }: EntryFacts): Verdict {
  const ofPage = categories.filter(({ name }) => name === 'headers' || name === 'performance');
  const isArrived = entries.some(({ end }) => end === 'arrived') && !ofPage.some(saysUnseen);
  if (isArrived || ofPage.some(({ score }) => score !== null)) return 'holds';
  // All of them broken is another rule, with the same limit.
  if (isBroken(judgeWhole(entries))) return 'not-applicable';
  // A name without an address says nothing of the page.
  const asked = entries.filter(({ source, end }) => source.report !== null && end !== 'no-name');
  const looked = ofPage.filter(({ isReported }) => isReported);
  const reasons = [
    ...asked.map(({ url, why }) => ({ url, reason: why })),
    ...looked.map(({ name, reason }) => ({ category: name, reason })),
  ].filter(({ reason }) => reason !== '');
  const ours = reasons.find(({ reason }) => isOfVantage(reason));
  if (ours) return notTested(ours.reason);
  // Where nothing came of our questions, that is ours.
  return reasons.length === 0 ? notTested('no check that needs a page came to an end') : brokenBy(reasons);
}

/** What the checks that need a page say where they met none; for redirect-check a chain has arrived at such an answer too. */
const unseenCodes: ReadonlySet<string> = new Set([
  'target-blocks-checks',
  'target-is-default-page',
  'target-error-status',
  'target-no-document',
  'page-not-html',
]);

function saysUnseen({ findings }: Category): boolean {
  return findings.some(({ code }) => unseenCodes.has(code));
}

function judgeBroken(facts: EntryFacts): Verdict {
  const { domain, entries } = facts;
  // All of them broken is another rule.
  if (isBroken(judgeWhole(entries))) return 'not-applicable';
  const working = entries.filter(({ end }) => end === 'arrived');
  const broken = entries.filter((entry) => isBrokenEntry(entry, working, domain));
  if (isOfWildcard(broken, facts)) return 'not-applicable';
  // A closed port may be a choice, or https-missing reports it: then it is not broken, but it does not hold either.
  const isShut = entries.some(({ end }) => end === 'closed');
  return broken.length === 0 && isShut ? 'not-applicable' : conclude(broken.map(showFailing), entries);
}

// A scheme that is closed on all hosts is a choice, and so is a www without an address. A host that answers https need not answer http:
// browsers try https, and RFC 9110 does not require http. Otherwise opening port 80 on one host would be worse than opening it on none.
function isBrokenEntry(
  { end, host, isHttps }: EntryPoint,
  working: readonly EntryPoint[],
  domain: string,
): boolean {
  if (end === 'astray') return true;
  const isMissing = end === 'closed' || (end === 'no-name' && host === domain);
  const isSpared = !isHttps && working.some((other) => other.isHttps && other.host === host);
  return isMissing && !isSpared && working.some((other) => other.isHttps === isHttps);
}

function showFailing({ url, why }: EntryPoint): Evidence {
  return { url, reason: why };
}

function judgeStatus(entries: readonly EntryPoint[]): Verdict {
  const asked = entries.filter(({ end }) => isLookedAt(end));
  const failed = landed(asked).filter(({ end }) => end === 'error');
  return conclude(failed.map(showLanding), asked);
}

function judgeAgreement(entries: readonly EntryPoint[]): Verdict {
  const asked = entries.filter(({ end }) => end === 'arrived' || end === 'unknown');
  const [first, ...others] = landed(asked);
  if (!first) return conclude([], asked);
  const apart = others.filter(({ finalUrl }) => authorityOf(finalUrl) !== authorityOf(first.finalUrl));
  const shown = apart.map(({ url, finalUrl }) => ({
    url: first.url,
    finalUrl: first.finalUrl,
    otherUrl: url,
    otherFinalUrl: finalUrl,
  }));
  // A single entry point cannot differ from others.
  return asked.length < 2 ? 'not-applicable' : conclude(shown, asked);
}

function showLanding({ url, finalUrl, finalStatus }: LandedEntry): Evidence {
  return { url, finalUrl, status: finalStatus };
}

function hostOf(url: string): string {
  return URL.parse(url)?.hostname ?? '';
}

// Without the scheme: another rule reports an http address that stays http.
function authorityOf(url: string): string {
  return URL.parse(url)?.host ?? url;
}
