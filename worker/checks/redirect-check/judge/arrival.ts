import type { RedirectCode } from '#shared/catalogue/redirect-check/rules';
import type { FailureCode } from '#shared/model/failure';
import {
  brokenBy,
  brokenIf,
  type Evidence,
  isMalformed,
  notTested,
  type Verdict,
  type Verdicts,
} from '#shared/model/verdict';
import { judgeUrl, type TargetPolicy } from '#shared/targets/parse-target';
import { withoutFragment } from '#shared/targets/without-fragment';
import { isAddressHost } from '../../../web/address-host.ts';
import type { Block } from '../../../web/block-page.ts';
import type { HstsUpgrade } from '../../../web/hsts-store.ts';
import { type Hsts, parseHsts } from '../../../web/hsts.ts';
import type { HopAnswer, RedirectEvidence } from '../evidence.ts';
import {
  type AnsweredHop,
  answeredHops,
  asFarAsRead,
  asFarAsSeen,
  readEndBlock,
  readEndUnseen,
  redirectsOf,
  whyBlocked,
} from '../facts/chain.ts';

/** Judges where the chain ends, and what its hops say about HTTPS on the way. */
export function judgeArrival(evidence: RedirectEvidence) {
  const { hops, stop } = evidence;
  const answered = answeredHops(hops);
  const last = stop.kind === 'arrived' ? answered.at(-1) : undefined;
  const arrived = (verdict: (last: AnsweredHop) => Verdict): Verdict =>
    last ? verdict(last) : notTested('the chain does not arrive at a page');
  const block = readEndBlock(evidence);
  const ofPage = (verdict: (last: AnsweredHop) => Verdict): Verdict =>
    block ? whyBlocked(block) : arrived(verdict);
  const overHttp = answered.filter(({ url }) => url.startsWith('http:'));
  const overHttps = answered.filter(({ seen }) => seen.tls !== null);
  return {
    'http-not-upgraded': ofPage(({ url }) => brokenIf(url.startsWith('http:'), { url })),
    'target-error-status': ofPage(({ url, seen: { status } }) => brokenIf(status >= 400, { url, status })),
    'target-is-default-page': ofPage((page) => judgeDefault(page, evidence)),
    'target-no-document': ofPage((page) => judgeDocument(page, evidence)),
    'target-blocks-checks': arrived((last) => judgeBlock(last, block)),
    'target-rate-limits': arrived(({ url, seen }) => brokenIf(seen.status === 429, { url })),
    'target-body-broken': ofPage(judgeBody),
    'canonical-differs': ofPage(judgeCanonical),
    'answer-malformed': asFarAsSeen(stop, brokenBy(answered.flatMap(showMalformed))),
    'certificate-not-trusted': asFarAsSeen(
      stop,
      overHttps.length === 0 ? 'not-applicable' : brokenBy(overHttps.flatMap(showDistrust)),
    ),
    'hsts-over-http': asFarAsSeen(
      stop,
      overHttp.length === 0
        ? 'not-applicable'
        : brokenBy(overHttp.filter(({ seen }) => seen.hsts !== null).map(({ url }) => ({ url }))),
    ),
    'hsts-upgrades-browser': asFarAsSeen(stop, judgeUpgrades(evidence)),
    'target-address-not-allowed': judgeFailure(evidence, (code) => code === 'target-address-not-allowed'),
    'target-not-allowed': judgeFailure(evidence, (code) => code === 'target-not-allowed', tellOthers),
    'redirect-to-nowhere': asFarAsSeen(stop, judgeNowhere(evidence)),
    'target-unreachable': judgeFailure(evidence, (code) => !code.startsWith('target-')),
  } satisfies Partial<Verdicts<RedirectCode>>;
}

function judgeDefault({ url, seen }: AnsweredHop, evidence: RedirectEvidence): Verdict {
  const unseen = readEndUnseen(evidence);
  if (unseen?.kind === 'error-status') return 'not-applicable';
  if (unseen?.kind === 'default-page') return brokenIf(true, { url, status: seen.status, ...unseen.page });
  return asFarAsRead(seen, 'holds');
}

// An error is reported by target-error-status, whatever its type.
function judgeDocument(last: AnsweredHop, evidence: RedirectEvidence): Verdict {
  const unseen = readEndUnseen(evidence);
  if (unseen?.kind === 'error-status') return 'not-applicable';
  if (unseen?.kind !== 'no-document') return 'holds';
  return brokenIf(true, { url: last.url, status: last.seen.status, type: unseen.type });
}

// target-rate-limits says it of 429.
function judgeBlock({ url, seen: { status } }: AnsweredHop, block: Block | undefined): Verdict {
  if (!block) return 'holds';
  if (status === 429) return 'not-applicable';
  const { sign, vendor, kind, certainty, reason } = block;
  return brokenIf(true, { url, status, reason, vendor, kind, certainty, sign });
}

type Cut = NonNullable<HopAnswer['bodyCut']>;
const brokenBodies: { readonly [C in Cut]?: string } = {
  'closed-early': 'breaks off',
  'bad-encoding': 'is not coded as its Content-Encoding says',
  timeout: 'does not come to its end in time',
};
const unreadBodies: { readonly [C in Cut]?: string } = {
  limit: 'only the beginning of the page was read',
  'decompression-bomb': 'the body unfolds more than a hundredfold, and was not read on',
  'too-many-encodings': 'the body is coded more than twice over, and was not decoded',
};

function judgeBody({ url, seen: { bodyCut } }: AnsweredHop): Verdict {
  if (bodyCut === null) return 'holds';
  const broken = brokenBodies[bodyCut];
  if (broken !== undefined) return brokenIf(true, { url, reason: broken });
  const unread = unreadBodies[bodyCut];
  // The body of a redirect that leads nowhere is not read; location-missing says what is wrong with it.
  return unread === undefined ? 'not-applicable' : notTested(unread);
}

function judgeCanonical({ url, seen }: AnsweredHop): Verdict {
  const { canonical } = seen;
  if (canonical === null) return asFarAsRead(seen, 'not-applicable');
  return brokenIf(withoutFragment(canonical) !== withoutFragment(url), { url, canonical });
}

function showMalformed({ number, url, seen: { malformed } }: AnsweredHop) {
  return malformed === undefined ? [] : [{ hop: number, url, reason: malformed }];
}

function showDistrust({ url, seen: { tls } }: AnsweredHop) {
  return tls?.trusted === false ? [{ url, reason: tls.error ?? 'unknown' }] : [];
}

function judgeNowhere({ hops, stop }: RedirectEvidence): Verdict {
  if (stop.kind !== 'nowhere') return redirectsOf(hops).length > 0 ? 'holds' : 'not-applicable';
  const [from, to] = hops.slice(-2);
  return brokenBy([{ hop: hops.length - 1, from: from?.url ?? '', url: to?.url ?? '', reason: stop.why }]);
}

/** Every address and name of the public internet, at any port: what a browser elsewhere may reach. */
const publicInternet: TargetPolicy = {
  addresses: { allow: [], deny: [] },
  allowedSuffixes: [],
  ports: [[1, 65_535]],
};

/** What a hop that is kept from us means for its visitors. */
function tellOthers(url: string): Evidence {
  const asked = new URL(url);
  const what = isAddressHost(asked.hostname) ? 'reach that address' : 'look up that name';
  return judgeUrl(asked, publicInternet).ok
    ? { outcome: 'Visitors may get there.' }
    : { outcome: `Visitors on the internet cannot ${what} either.` };
}

function judgeFailure(
  { hops, stop }: RedirectEvidence,
  picks: (code: FailureCode) => boolean,
  tell: (url: string) => Evidence = () => ({}),
): Verdict {
  const last = hops.at(-1);
  if (stop.kind !== 'failure' || last?.seen.kind !== 'failure') return asFarAsSeen(stop, 'holds');
  const { code, reason } = last.seen;
  if (code === 'not-from-here') return notTested(`${last.url} could not be asked: ${reason}`);
  const shown = { hop: hops.length, url: last.url, code, reason, ...tell(last.url) };
  return picks(code) ? brokenBy([shown]) : 'not-applicable';
}

/** Redirects to http that browsers do not follow to the letter: they ask https, as they know the host's Strict-Transport-Security (RFC 6797 §8.3). */
function judgeUpgrades({ hops }: RedirectEvidence): Verdict {
  const upgrades = redirectsOf(hops).flatMap(({ number, next }) =>
    next.upgraded
      ? [{ hop: number, url: next.upgraded.from, to: next.url, ...showReason(next.upgraded) }]
      : [],
  );
  const isKnown = answeredHops(hops).some(({ seen }) => keptHsts(seen) !== undefined);
  return upgrades.length === 0 && !isKnown ? 'not-applicable' : brokenBy(upgrades);
}

function showReason({ by, host }: HstsUpgrade): Evidence {
  const reason =
    by === 'header' ? `${host} sent Strict-Transport-Security` : `${host} is on the HSTS preload list`;
  return { host, reason };
}

// RFC 6797 §8.1: only over TLS without any error.
function keptHsts({ tls, hsts }: HopAnswer): Hsts | undefined {
  const parsed = tls?.trusted === true && hsts !== null ? parseHsts(hsts) : undefined;
  return parsed && !isMalformed(parsed) ? parsed : undefined;
}
