import { afterEach, beforeEach, expect, test } from 'vitest';
import { randomId } from '#shared/model/job';
import { isLive, mostSessions, type TokenStore } from '#shared/ports/token-store';
import { makeToken } from '#shared/stores/tokens/make-token';
import { digestOf } from '#shared/stores/tokens/token-text';

const wish = {
  name: 'batch',
  scopes: ['tools'],
  limits: { scans: { points: 5, windowS: 60 } },
  expiresAt: null,
} as const;

/** What every token store promises. `open` gives one more opening of the same store each time. */
export function tokenStoreContract(open: () => Promise<TokenStore>): void {
  let store: TokenStore;
  beforeEach(async () => {
    store = await open();
  });
  afterEach(() => store.close());

  test('a token is found by its digest as it was kept, and its text is nowhere', async () => {
    const { text, token } = makeToken(wish, Date.now());
    await store.insert(token);
    expect(await store.find(digestOf(text))).toEqual(token);
    expect(JSON.stringify(await store.list())).not.toContain(text);
    expect(await store.find(digestOf(`${text}x`))).toBeUndefined();
  });

  test('all are listed, newest first', async () => {
    const made = [3, 1, 2].map(
      (at) => makeToken({ ...wish, name: randomId() }, 1_900_000_000_000 + at).token,
    );
    for (const token of made) await store.insert(token);
    const names = (await store.list()).map(({ name }) => name).filter((name) => name !== 'batch');
    expect(names.slice(0, 3)).toEqual([made[0]?.name, made[2]?.name, made[1]?.name]);
  });

  test('a revoked token is dead from its moment on; the earlier moment wins', async () => {
    const now = Date.now();
    const { text, token } = makeToken(wish, now);
    await store.insert(token);
    await store.revoke(token.tokenId, now + 60_000);
    await store.revoke(token.tokenId, now + 90_000);
    const found = await store.find(digestOf(text));
    expect(found?.revokedAt).toBe(now + 60_000);
    expect([found && isLive(found, now), found && isLive(found, now + 60_000)]).toEqual([true, false]);
    expect((await store.revoke(token.tokenId, now))?.revokedAt).toBe(now);
    expect(await store.revoke('unknown', now)).toBeUndefined();
  });

  test('a change in another process changes the version at once, a mere use does not', async () => {
    const { token } = makeToken(wish, Date.now());
    const other = await open();
    store.version();
    await expect.poll(() => store.version() === store.version()).toBe(true);
    await other.insert(token);
    const before = store.version();
    await other.revoke(token.tokenId, Date.now());
    await expect.poll(() => store.version(), { timeout: 800, interval: 5 }).not.toBe(before);
    await store.touch(token.tokenId, 5);
    expect((await store.find(token.digest))?.lastUsedAt).toBe(5);
    await other.close();
  });

  test('a session stands for its token until it ends, in every process', async () => {
    const now = Date.now();
    const { token } = makeToken(wish, now);
    await store.insert(token);
    const session = { digest: digestOf(randomId()), tokenId: token.tokenId, endsAt: now + 60_000 };
    await store.startSession(session, now);
    const other = await open();
    expect(await other.findBySession(session.digest, now)).toEqual(token);
    expect(await other.findBySession(session.digest, session.endsAt)).toBeUndefined();
    expect(await other.findBySession(digestOf('another'), now)).toBeUndefined();
    await other.revoke(token.tokenId, now);
    expect((await store.findBySession(session.digest, now))?.revokedAt).toBe(now);
    await other.endSession(session.digest);
    expect(await store.findBySession(session.digest, now)).toBeUndefined();
    await other.close();
  });

  test('a token has a bounded number of sessions: those that end first give way', async () => {
    const now = Date.now();
    const { token } = makeToken(wish, now);
    await store.insert(token);
    const all = Array.from({ length: mostSessions + 3 }, (_, index) => ({
      digest: digestOf(`${token.tokenId} ${index}`),
      tokenId: token.tokenId,
      endsAt: now + 60_000 + index,
    }));
    for (const session of all) await store.startSession(session, now);
    const found = await Promise.all(all.map(({ digest }) => store.findBySession(digest, now)));
    expect(found.map((one) => one !== undefined)).toEqual(all.map((_, index) => index >= 3));
  });
}
