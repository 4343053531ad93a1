import type { redirectRules } from '../../../../shared/catalogue/security-header-check/rules/transport.ts';
import {
  brokenBy,
  type Evidence,
  notTested,
  type Verdict,
  type Verdicts,
} from '../../../../shared/model/verdict.ts';
import type { Chain, HeaderEvidence, Hop } from '../evidence.ts';
import { brokenWhen } from './verdict-tables.ts';

type RedirectCode = keyof typeof redirectRules;

/** Judges the way to https: that it is there, and that no redirect leaves it. */
export function judgeRedirects(evidence: HeaderEvidence): Verdicts<RedirectCode> {
  const { https, http } = evidence;
  const chains = [https, http];
  return {
    'https-missing': judgeHttps(https, http),
    'cert-invalid': judgeCertificates(chains.flatMap(({ hops }) => hops)),
    ...judgeClearTextStart(http, https),
    'redirect-downgrade': brokenBy(chains.flatMap(findDowngrades)),
    'redirect-loop': brokenBy(chains.flatMap(findDeadEnd)),
    'redirect-too-long': brokenBy(chains.flatMap(findLongWay)),
  };
}

// Codes by which any client finds no https here; a timeout may be ours alone.
const closedCodes: ReadonlySet<string> = new Set([
  'connection-refused',
  'connection-closed',
  'connection-reset',
  'not-tls',
  'tls-failed',
]);

function judgeHttps(https: Chain, http: Chain): Verdict {
  if (https.hops.length > 0) return 'holds';
  if (https.end.kind !== 'failed') return 'holds';
  const { url, code, reason } = https.end;
  if (http.hops.length === 0 || !closedCodes.has(code))
    return notTested(`${url} could not be asked: ${reason}`);
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

type ClearTextCode =
  | 'redirect-missing'
  | 'redirect-ends-on-http'
  | 'redirect-http-first'
  | 'redirect-off-host';

function judgeClearTextStart(http: Chain, https: Chain): Verdicts<ClearTextCode> {
  const [first, second] = http.hops;
  const last = http.hops.at(-1);
  if (!first || !last) return allClearText(noClearText(http));
  if (http.end.kind !== 'answered') return allClearText(notTested('the redirects from http lead to no page'));
  const ends = isClearText(last.url);
  const missing = !second && ends && last.status < 400;
  return {
    // Without https there is nothing to redirect to.
    'redirect-missing':
      https.hops.length === 0
        ? 'not-applicable'
        : brokenWhen(missing && { url: first.url, status: first.status }),
    'redirect-ends-on-http': brokenWhen(second !== undefined && ends && { from: first.url, url: last.url }),
    'redirect-http-first': brokenWhen(!ends && findClearTextSecond(first, second)),
    'redirect-off-host': brokenWhen(!ends && findOtherHost(first, second)),
  };
}

function noClearText({ end }: Chain): Verdict {
  if (end.kind === 'failed' && end.code !== 'connection-refused')
    return notTested(`${end.url} could not be asked: ${end.reason}`);
  return 'not-applicable';
}

function allClearText(verdict: Verdict): Verdicts<ClearTextCode> {
  return {
    'redirect-missing': verdict,
    'redirect-ends-on-http': verdict,
    'redirect-http-first': verdict,
    'redirect-off-host': verdict,
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

const deadEnds = {
  loop: 'it was asked before with the same cookies',
  'too-many': 'there was still another redirect after 20',
  'invalid-location': 'its Location is not a URL',
} as const;

function findDeadEnd({ start, end }: Chain): Evidence[] {
  if (end.kind === 'answered' || end.kind === 'failed') return [];
  return [{ from: start, url: end.url, reason: deadEnds[end.kind] }];
}

function findLongWay({ start, hops }: Chain): Evidence[] {
  return hops.length > 6 ? [{ from: start, redirects: hops.length - 1 }] : [];
}

function isClearText(url: string): boolean {
  return url.startsWith('http:');
}

function hostOf(url: string): string {
  return new URL(url).hostname;
}
