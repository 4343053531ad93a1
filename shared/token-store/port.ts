/** What a token may do. `tools`: start and see checks. `reports:read`: stored reports, their exports and the history. */
export const scopes = ['tools', 'reports:read'] as const;
export type Scope = (typeof scopes)[number];

/** An allowance that replaces the one of LIMIT_TOKEN_…. */
export type OwnLimit = { readonly points: number; readonly windowS: number };

/** A token as it is kept; its text is not. Times are Unix ms. */
export type Token = {
  readonly tokenId: string;
  /** Whose reports it reads; shared by the tokens that `rotate` draws from one another. */
  readonly account: string;
  readonly name: string;
  /** Of the text, base64url of SHA-256. */
  readonly digest: string;
  /** What may be shown of the text. */
  readonly hint: string;
  readonly scopes: readonly Scope[];
  readonly limits: { readonly requests?: OwnLimit; readonly scans?: OwnLimit };
  readonly createdAt: number;
  /** null: never. */
  readonly expiresAt: number | null;
  /** May lie ahead: then the token works until that moment. */
  readonly revokedAt: number | null;
  readonly lastUsedAt: number | null;
};

/** Tokens. An unreachable store rejects with Problem `store_unavailable`. */
export interface TokenStore {
  insert(token: Token): Promise<void>;
  find(digest: string): Promise<Token | undefined>;
  /** All of them, newest first. */
  list(): Promise<Token[]>;
  /** Ends a token at that moment, or earlier if it was to end earlier. Returns what it is now; undefined if there is none. */
  revoke(tokenId: string, at: number): Promise<Token | undefined>;
  touch(tokenId: string, at: number): Promise<void>;
  /** Differs from its last value when a token may have been changed, here or by another process: what was remembered is void. Cheap. */
  version(): number;
  close(): Promise<void>;
}

/** True while a token works. */
export function isLive({ expiresAt, revokedAt }: Token, nowMs: number): boolean {
  return (expiresAt === null || nowMs < expiresAt) && (revokedAt === null || nowMs < revokedAt);
}
