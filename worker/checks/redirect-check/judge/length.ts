import type { RedirectCode } from '#shared/catalogue/redirect-check/rules';
import { brokenIf, type Verdict, type Verdicts } from '#shared/model/verdict';
import { comfortableRedirects } from '../../../web/redirect.ts';

type LengthCode = Extract<
  RedirectCode,
  'redirect-chain-long' | 'redirect-chain-very-long' | 'redirect-chain-past-crawlers'
>;

/** RFC 2068 §10.3 told clients to stop here, and some still do (RFC 9110 §15.4); crawlers go at least so far for robots.txt (RFC 9309 §2.3.1.2). */
const oldClientsFollow = 5;
/** Where Google's crawlers stop, and usual libraries, such as Go's net/http. */
const crawlersFollow = 10;

/** The rule that a chain of so many redirects breaks; undefined where they are no more than a site needs. */
export function lengthRuleOf(redirects: number): LengthCode | undefined {
  if (redirects <= comfortableRedirects) return undefined;
  if (redirects <= oldClientsFollow) return 'redirect-chain-long';
  return redirects <= crawlersFollow ? 'redirect-chain-very-long' : 'redirect-chain-past-crawlers';
}

/**
 * Points for the length. Each redirect costs a round trip more, so each costs more points; and more where the next kind of client gives up.
 * 3 cost 6, 5 cost 10, 6 cost 11, 10 cost 15, 11 cost 31, 20 cost 40.
 */
export function pointsOfLength(redirects: number): number {
  if (redirects <= comfortableRedirects) return 0;
  if (redirects <= oldClientsFollow) return 2 * redirects;
  return redirects <= crawlersFollow ? redirects + 5 : redirects + 20;
}

/** Judges the length of a chain by the one rule that fits it. */
export function judgeLengths(
  redirects: number,
  whole: (verdict: Verdict) => Verdict,
  hasEnd: boolean,
): Verdicts<LengthCode> {
  const rule = lengthRuleOf(redirects);
  const judge = (code: LengthCode): Verdict =>
    hasEnd ? whole(rule === undefined ? 'holds' : breaks(code, rule, redirects)) : 'not-applicable';
  return {
    'redirect-chain-long': judge('redirect-chain-long'),
    'redirect-chain-very-long': judge('redirect-chain-very-long'),
    'redirect-chain-past-crawlers': judge('redirect-chain-past-crawlers'),
  };
}

const order: readonly LengthCode[] = [
  'redirect-chain-long',
  'redirect-chain-very-long',
  'redirect-chain-past-crawlers',
];

// A chain that breaks one rule meets those for longer chains; those for shorter ones do not apply to it.
function breaks(code: LengthCode, broken: LengthCode, redirects: number): Verdict {
  if (order.indexOf(code) < order.indexOf(broken)) return 'not-applicable';
  return brokenIf(code === broken, { redirects });
}
