import type { Collection } from 'mongodb';
import type { Logger } from '../logger.ts';
import { databaseNameOf, onceMore, openMongo, withMongo, withPatientMongo } from '../mongo.ts';
import { openRowReader } from '../stored-row.ts';
import type { Announcements } from './announce.ts';
import { readToken, type Token, type TokenStore } from './port.ts';

type TokenDocument = Omit<Token, 'tokenId'> & { readonly _id: string };

/** A change that was announced to nobody, because Redis was away, is noticed after this time at the latest. */
const trustMs = 1000;

/** The tokens of a scaled deployment. @param announcements tell every process at once when a token was changed */
export function openMongoTokenStore(url: string, announcements: Announcements, log: Logger): TokenStore {
  const toToken = openTokenReader(log);
  const client = openMongo(url);
  const tokens = client.db(databaseNameOf(url)).collection<TokenDocument>('tokens');
  const change = async <T>(act: () => Promise<T>): Promise<T> => {
    const outcome = await withMongo(act);
    await announcements.announce();
    return outcome;
  };
  return {
    insert: ({ tokenId, ...token }) =>
      change(async () => {
        await prepareIndexes(url);
        await tokens.insertOne({ _id: tokenId, ...token }, { writeConcern: { w: 'majority' } });
      }),
    find: (digest) => withMongo(async () => toToken(await tokens.findOne({ digest: String(digest) }))),
    list: () =>
      withMongo(async () => {
        const found = await tokens.find().sort({ createdAt: -1, _id: 1 }).toArray();
        return found.flatMap((document) => toToken(document) ?? []);
      }),
    revoke: (tokenId, at) =>
      change(() => onceMore(async () => toToken(await revoke(tokens, String(tokenId), at)))),
    touch: (tokenId, at) =>
      withMongo(async () => void (await tokens.updateOne({ _id: tokenId }, { $set: { lastUsedAt: at } }))),
    version: () => announcements.heard() + Math.floor(performance.now() / trustMs),
    async close() {
      announcements.close();
      await client.close();
    },
  };
}

async function revoke(tokens: Collection<TokenDocument>, tokenId: string, at: number) {
  await tokens.updateOne(
    { _id: tokenId, $or: [{ revokedAt: null }, { revokedAt: { $gt: at } }] },
    { $set: { revokedAt: at } },
    { writeConcern: { w: 'majority' } },
  );
  return tokens.findOne({ _id: tokenId });
}

async function prepareIndexes(url: string): Promise<void> {
  await withPatientMongo(url, (database) =>
    database.collection('tokens').createIndex({ digest: 1 }, { name: 'tokens_by_digest', unique: true }),
  );
}

function openTokenReader(log: Logger): (document: TokenDocument | null) => Token | undefined {
  const readRow = openRowReader(log);
  return (document) => {
    if (document === null) return undefined;
    const { _id: tokenId, ...token } = document;
    return readRow({ kind: 'token', id: String(tokenId) }, () => readToken({ ...token, tokenId }));
  };
}
