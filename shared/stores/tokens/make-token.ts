import { randomId } from '../../model/job.ts';
import type { Token } from '../../ports/token-store.ts';
import { digestOf, drawToken, hintOf } from './token-text.ts';

export type TokenWish = Pick<Token, 'name' | 'scopes' | 'limits' | 'expiresAt'> & {
  /** An account that is there already; else a new one. */
  readonly account?: string;
};

/** Draws a token. `text` is shown to its owner once and kept nowhere. */
export function makeToken(
  { name, scopes, limits, expiresAt, account = randomId() }: TokenWish,
  nowMs: number,
): { readonly text: string; readonly token: Token } {
  const text = drawToken();
  const token: Token = {
    tokenId: randomId().slice(0, 12),
    account,
    name,
    digest: digestOf(text),
    hint: hintOf(text),
    scopes,
    limits,
    createdAt: nowMs,
    expiresAt,
    revokedAt: null,
    lastUsedAt: null,
  };
  return { text, token };
}
