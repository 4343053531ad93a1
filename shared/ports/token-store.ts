import { z } from 'zod';

/** What a token may do. `tools`: start and see checks. `reports:read`: stored reports, their exports and the history. `watch`: re-checks on a schedule. */
export const scopes = ['tools', 'reports:read', 'watch'] as const;
export type Scope = (typeof scopes)[number];

/** An allowance that replaces the one of LIMIT_TOKEN_…. */
export type OwnLimit = { readonly points: number; readonly windowS: number };

const limitSchema = z.object({ points: z.int().min(1), windowS: z.int().min(1) });

// A token as it must come out of a store, which others may have written to.
const tokenSchema = z.object({
  tokenId: z.string(),
  /** Whose reports it reads; shared by the tokens that `rotate` draws from one another. */
  account: z.string().min(1),
  name: z.string(),
  /** Of the text, base64url of SHA-256. */
  digest: z.string(),
  /** What may be shown of the text. */
  hint: z.string(),
  scopes: z.array(z.enum(scopes)).readonly(),
  limits: z
    .object({
      requests: limitSchema.exactOptional(),
      scans: limitSchema.exactOptional(),
      /** Page loads that may wait. */
      pages: z.int().min(1).exactOptional(),
    })
    .readonly(),
  createdAt: z.int(),
  /** null: never. */
  expiresAt: z.int().nullable(),
  /** May lie ahead: then the token works until that moment. */
  revokedAt: z.int().nullable(),
  lastUsedAt: z.int().nullable(),
});

/** A token as it is kept; its text is not. Times are Unix ms. */
export type Token = Readonly<z.infer<typeof tokenSchema>>;

/** The token of a row. Throws for a row that fits no schema of ours. */
export function readToken(row: unknown): Token {
  return tokenSchema.parse(row);
}

/** A session of a page: what it is found by, the token that it stands for, and when it ends at the latest (Unix ms). */
export type PageSession = { readonly digest: string; readonly tokenId: string; readonly endsAt: number };

/** Sessions of one token at once; the one that would end first gives way to a new one. */
export const mostSessions = 50;

/** Tokens. An unreachable store rejects with Problem `store_unavailable`. */
export interface TokenStore {
  insert(token: Token): Promise<void>;
  find(digest: string): Promise<Token | undefined>;
  /** All of them, newest first. */
  list(): Promise<Token[]>;
  /** Ends a token at that moment, or earlier if it was to end earlier. Returns what it is now; undefined if there is none. */
  revoke(tokenId: string, at: number): Promise<Token | undefined>;
  touch(tokenId: string, at: number): Promise<void>;
  /** Keeps a session, beside at most `mostSessions` of its token. */
  startSession(session: PageSession, now: number): Promise<void>;
  /** The token of a session that has not ended, be it live or not. */
  findBySession(digest: string, now: number): Promise<Token | undefined>;
  endSession(digest: string): Promise<void>;
  /** Differs from its last value when a token may have been changed, here or by another process: what was remembered is void. Cheap. */
  version(): number;
  close(): Promise<void>;
}

/** True while a token works. */
export function isLive({ expiresAt, revokedAt }: Token, nowMs: number): boolean {
  return (expiresAt === null || nowMs < expiresAt) && (revokedAt === null || nowMs < revokedAt);
}
