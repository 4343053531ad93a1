import { hash, randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { LRUCache } from 'lru-cache';

/** Tokens by which a page's button starts one check. */
export type Starts = {
  /** @param subject what may be started, e.g. the jobKey */
  issue(subject: string, nowMs: number): string;
  /** True once for a token of this subject that is younger than the limit. */
  redeem(token: string, subject: string, nowMs: number): boolean;
};

const limitMs = 30 * 60_000;
const mostSpent = 20_000;

/**
 * Opens the tokens. A GET that starts work must not start it again when it is prefetched, crawled or shared: a token counts
 * for one target and once. It is no secret and proves nothing about the caller, who could ask the API as well; so any
 * process takes the tokens of all others, and each remembers only what was spent here.
 */
export function openStarts(): Starts {
  const spent = new LRUCache<string, true>({ max: mostSpent });
  return {
    issue(subject, nowMs) {
      const body = `${nowMs.toString(36)}.${randomBytes(9).toString('base64url')}`;
      return `${body}.${sealOf(body, subject)}`;
    },
    redeem(token, subject, nowMs) {
      const [issued = '', nonce = '', seal, ...more] = token.split('.');
      const ageMs = nowMs - Number.parseInt(issued, 36);
      const isSealed = more.length === 0 && seal === sealOf(`${issued}.${nonce}`, subject);
      const isGood = isSealed && ageMs > -limitMs && ageMs < limitMs;
      if (!isGood || spent.has(token)) return false;
      spent.set(token, true);
      return true;
    },
  };
}

/** True for a load that nobody asked for: a browser that guesses what comes next, or another site's page. */
export function isUnasked(headers: IncomingHttpHeaders): boolean {
  const purpose = `${String(headers['sec-purpose'] ?? '')} ${String(headers['purpose'] ?? '')}`;
  return /prefetch|preview/i.test(purpose) || headers['sec-fetch-site'] === 'cross-site';
}

function sealOf(body: string, subject: string): string {
  return hash('sha256', `${body} ${subject}`, 'base64url').slice(0, 16);
}
