import { z } from 'zod';
import { scopes, type Token } from './port.ts';

const count = z.int().min(1);
const limit = z.object({ points: count, windowS: count });
const time = z.number();

/** A token as it must come out of a store, which others may have written to: a text of scopes would grant whatever it contains. */
const tokenSchema = z.object({
  tokenId: z.string().min(1).max(64),
  account: z.string().min(1).max(64),
  name: z.string(),
  digest: z.string(),
  hint: z.string(),
  scopes: z.array(z.enum(scopes)),
  limits: z.object({ requests: limit.optional(), scans: limit.optional() }),
  createdAt: time,
  expiresAt: time.nullable(),
  revokedAt: time.nullable(),
  lastUsedAt: time.nullable(),
});

/** The token that a store holds. Throws an Error that names it where it is none of ours. */
export function readToken(stored: { readonly tokenId: unknown; readonly [field: string]: unknown }): Token {
  const read = tokenSchema.safeParse(stored);
  if (read.success) return read.data as Token;
  throw new Error(`the token ${String(stored.tokenId)} in the store is not valid`, { cause: read.error });
}
