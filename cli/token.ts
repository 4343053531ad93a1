import { openTokenStore } from '#shared/lifecycle/backend';
import {
  isLive,
  type OwnLimit,
  type Scope,
  scopes,
  type Token,
  type TokenStore,
} from '#shared/ports/token-store';
import { jsonText } from '#shared/render/visible-text';
import { quotaSchema, readConfig } from '#shared/settings/config';
import { makeToken, type TokenWish } from '#shared/stores/tokens/make-token';
import { openLogger } from '#shared/telemetry/logger';
import { say, sayForProgram, show, warn } from './door.ts';
import { UsageError } from './outcome.ts';

type Output = 'table' | 'json';

export type CreateOptions = {
  readonly name: string;
  readonly scopes: string;
  readonly expires?: string;
  readonly requests?: string;
  readonly scans?: string;
  readonly pages?: string;
  readonly account?: string;
  readonly output: Output;
};

/** Draws a token and prints it: this once, and never again. */
export async function createToken(options: CreateOptions): Promise<void> {
  const now = Date.now();
  const wish: TokenWish = {
    name: readName(options.name),
    scopes: readScopes(options.scopes),
    limits: {
      ...(options.requests === undefined ? {} : { requests: readLimit('requests', options.requests) }),
      ...(options.scans === undefined ? {} : { scans: readLimit('scans', options.scans) }),
      ...(options.pages === undefined ? {} : { pages: readPages(options.pages) }),
    },
    expiresAt: options.expires === undefined ? null : readMoment(options.expires, now),
    ...(options.account === undefined ? {} : { account: options.account }),
  };
  const { text, token } = makeToken(wish, now);
  await withStore(async (store) => {
    const { account } = options;
    const isThere = account === undefined || (await store.list()).some((other) => other.account === account);
    if (!isThere) throw new UsageError(`--account: there is no account ${account}. See diag token list.`);
    await store.insert(token);
  });
  print(options.output, { ...describe(token, now), token: text }, text);
  warn(show`Token "${token.name}", id ${token.tokenId}. Keep it now: it is not shown again.`);
}

/** Prints all tokens, without their texts. */
export async function listTokens({ output }: { readonly output: Output }): Promise<void> {
  const now = Date.now();
  const rows = (await withStore((store) => store.list())).map((token) => describe(token, now));
  if (output === 'json') return sayForProgram(jsonText(rows, 2));
  const columns = ['id', 'name', 'hint', 'state', 'scopes', 'account', 'expires', 'lastUsed'] as const;
  printTable([columns, ...rows.map((row) => columns.map((column) => String(row[column] ?? '-')))]);
}

/** Ends a token at once. */
export async function revokeToken(tokenId: string): Promise<void> {
  const now = Date.now();
  const token = await withStore((store) => store.revoke(tokenId, now));
  if (!token) throw unknownToken(tokenId);
  warn(show`Token "${token.name}" (${token.hint}) is revoked.`);
}

/** Draws a new token with the account, scopes and limits of an old one, and ends that one, now or after a while. */
export async function rotateToken(
  tokenId: string,
  { keepFor, output }: { readonly keepFor?: string; readonly output: Output },
): Promise<void> {
  const now = Date.now();
  const until = keepFor === undefined ? now : readMoment(keepFor, now);
  await withStore(async (store) => {
    const old = (await store.list()).find((token) => token.tokenId === tokenId);
    if (!old) throw unknownToken(tokenId);
    if (!isLive(old, now)) throw new UsageError(`Token ${tokenId} has ended already. Create a new one.`);
    const { text, token } = makeToken(old, now);
    // The new one first: a failure between the two leaves one token too many, not none.
    await store.insert(token);
    await store.revoke(tokenId, until);
    print(output, { ...describe(token, now), token: text }, text);
    warn(
      show`Token "${token.name}" has the new id ${token.tokenId}; the old one ${until === now ? 'is revoked' : `ends at ${isoTime(until)}`}.`,
    );
  });
}

async function withStore<T>(act: (store: TokenStore) => Promise<T>): Promise<T> {
  const config = readConfig();
  if (config.DATA_DIR === ':memory:' && config.MONGODB_URL === undefined)
    throw new UsageError('DATA_DIR is ":memory:": a token made here would be gone when this command ends.');
  const store = await openTokenStore(config, openLogger('silent'));
  try {
    return await act(store);
  } finally {
    await store.close();
  }
}

function describe(token: Token, nowMs: number) {
  return {
    id: token.tokenId,
    name: token.name,
    hint: token.hint,
    state: isLive(token, nowMs) ? 'live' : token.revokedAt === null ? 'expired' : 'revoked',
    scopes: token.scopes.join(','),
    account: token.account,
    limits: token.limits,
    created: isoTime(token.createdAt),
    expires: isoTime(token.revokedAt ?? token.expiresAt),
    lastUsed: isoTime(token.lastUsedAt),
  };
}

function print(output: Output, whole: object, text: string): void {
  sayForProgram(output === 'json' ? jsonText(whole, 2) : text);
}

function printTable(rows: readonly (readonly string[])[]): void {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  for (const row of rows)
    say(
      show`${row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd()}`,
    );
}

// It stands in a line of a table.
function readName(text: string): string {
  const name = text.trim();
  if (name === '' || name.length > 100 || /\p{Cc}/u.test(name))
    throw new UsageError('--name: give 1 to 100 characters that say what the token is for, in one line.');
  return name;
}

function readScopes(text: string): Scope[] {
  const words = text.split(',').map((word) => word.trim());
  const known = words.filter((word): word is Scope => scopes.some((scope) => scope === word));
  if (known.length < words.length || known.length === 0)
    throw new UsageError(`--scopes: give some of ${scopes.join(',')}, not "${text}".`);
  return [...new Set(known)];
}

function readLimit(name: string, text: string): OwnLimit {
  const parsed = quotaSchema.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new UsageError(`--${name}: ${parsed.error.issues[0]?.message ?? 'is not valid'}.`);
}

function readPages(text: string): number {
  const pages = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (pages > 0) return pages;
  throw new UsageError('--pages: give a whole number above 0.');
}

const unitMs = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** A moment ahead: "90d", "12h", or a date such as 2027-01-31. Unix ms. */
function readMoment(text: string, nowMs: number): number {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const at =
    count === undefined ? Date.parse(text) : nowMs + Number(count) * unitMs[unit as keyof typeof unitMs];
  if (Number.isNaN(at) || at <= nowMs)
    throw new UsageError(
      `"${text}" is not a time in the future: give 90d, 12h, or a date such as 2027-01-31.`,
    );
  return at;
}

function isoTime(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

function unknownToken(tokenId: string): UsageError {
  return new UsageError(`There is no token ${tokenId}. See diag token list.`);
}
