import type { RedirectCode } from '../../../shared/catalogue/redirect-check/rules.ts';
import { brokenBy, brokenIf, notTested, type Verdict } from '../../../shared/model/verdict.ts';
import { answeredHops } from './chain.ts';
import type { HopSeen, RedirectEvidence } from './evidence.ts';

type Code = Extract<
  RedirectCode,
  'https-missing' | 'certificate-not-trusted' | `target-${string}` | `hsts-${string}` | 'canonical-differs'
>;

/** Judges where the chain ends, and what its hops say about HTTPS on the way. */
export function judgeArrival({ hops, stop }: RedirectEvidence): Record<Code, Verdict> {
  const last = hops.at(-1);
  const answer = stop.kind === 'arrived' && last?.seen.kind === 'response' ? last.seen : undefined;
  const url = last?.url ?? '';
  const arrived = (verdict: (seen: NonNullable<typeof answer>) => Verdict): Verdict =>
    answer ? verdict(answer) : notTested('the chain does not arrive at a page');
  return {
    'https-missing': arrived(() => brokenIf(url.startsWith('http:'), { url })),
    'certificate-not-trusted': judgeCertificates(hops),
    'target-broken': arrived(({ status }) =>
      status === 429 ? notTested('the target limits our requests') : brokenIf(status >= 400, { url, status }),
    ),
    'target-rate-limits': arrived(({ status }) => brokenIf(status === 429, { url, status })),
    'target-unreachable': judgeFailure(
      last,
      (code) => code !== 'target-not-allowed' && code !== 'target-address-not-allowed',
    ),
    'target-address-not-allowed': judgeFailure(
      last,
      (code) => code === 'target-address-not-allowed',
      hops.length,
    ),
    'target-not-allowed': judgeFailure(last, (code) => code === 'target-not-allowed', hops.length),
    'hsts-over-http': brokenBy(
      answeredHops(hops)
        .filter(({ url: asked, seen }) => asked.startsWith('http:') && seen.hsts.length > 0)
        .map(({ url: asked }) => ({ url: asked })),
    ),
    'hsts-upgrades-browser': judgeUpgrades(hops),
    'canonical-differs': arrived(({ canonical }) =>
      canonical === null
        ? 'not-applicable'
        : brokenIf(canonical !== withoutFragment(url), { url, canonical }),
    ),
  };
}

function judgeCertificates(hops: readonly HopSeen[]): Verdict {
  const secure = answeredHops(hops).filter(({ seen }) => seen.tls !== null);
  if (secure.length === 0) return 'not-applicable';
  return brokenBy(
    secure.flatMap(({ url, seen }) =>
      seen.tls?.trusted === false ? [{ url, reason: seen.tls.error ?? 'unknown' }] : [],
    ),
  );
}

function judgeFailure(last: HopSeen | undefined, picks: (code: string) => boolean, hop?: number): Verdict {
  if (last?.seen.kind !== 'failure') return 'holds';
  const { code, reason } = last.seen;
  if (!picks(code)) return 'not-applicable';
  return brokenIf(true, { url: last.url, code, reason, ...(hop === undefined ? {} : { hop }) });
}

/** Hops in clear text that a browser would never send, since an earlier one of this chain set HSTS for their host (RFC 6797 §8.3). */
function judgeUpgrades(hops: readonly HopSeen[]): Verdict {
  const known: { host: string; includesSubdomains: boolean }[] = [];
  const skipped: { host: string; url: string }[] = [];
  for (const { url, seen } of answeredHops(hops)) {
    const { hostname, protocol } = new URL(url);
    const isKnown = known.some(
      ({ host, includesSubdomains }) =>
        host === hostname || (includesSubdomains && hostname.endsWith(`.${host}`)),
    );
    if (protocol === 'http:' && isKnown) skipped.push({ host: hostname, url });
    const hsts = protocol === 'https:' && seen.tls?.trusted === true ? readHsts(seen.hsts[0]) : undefined;
    if (hsts) known.push({ host: hostname, includesSubdomains: hsts.includesSubdomains });
  }
  return brokenBy(skipped);
}

// Enough of RFC 6797 §6.1 to know whether a browser would keep it; security-header-check judges the field itself.
function readHsts(value: string | undefined): { includesSubdomains: boolean } | undefined {
  const directives = new Map(
    (value ?? '')
      .split(';')
      .map((part) => [part.split('=')[0]?.trim().toLowerCase() ?? '', part.split('=')[1]?.trim() ?? '']),
  );
  const maxAge = /^"?(\d+)"?$/.exec(directives.get('max-age') ?? '')?.[1];
  return maxAge !== undefined && Number(maxAge) > 0
    ? { includesSubdomains: directives.has('includesubdomains') }
    : undefined;
}

function withoutFragment(url: string): string {
  return url.replace(/#.*$/s, '');
}
