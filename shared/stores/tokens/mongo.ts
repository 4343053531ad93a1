import type { Collection, Db } from 'mongodb';
import { onceMore, withMongo } from '../../backends/mongo-errors.ts';
import { openMongo, withPatientMongo, type WriteLimit } from '../../backends/mongo.ts';
import { mostSessions, readToken, type Token, type TokenStore } from '../../ports/token-store.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { openRowReader } from '../stored-row.ts';
import type { Announcements } from './announce.ts';

type TokenDocument = Omit<Token, 'tokenId'> & { readonly _id: string };

/** A change that could not be announced, because Redis was unavailable, is noticed within this time. */
const trustMs = 1000;

/** The tokens of a scaled deployment. @param announcements tell every process at once when a token was changed */
export function openMongoTokenStore(url: string, announcements: Announcements, log: Logger): TokenStore {
  const toToken = openTokenReader(log);
  const mongo = openMongo(url, log);
  const change = async <T>(
    act: (tokens: Collection<TokenDocument>, limit: WriteLimit) => Promise<T>,
  ): Promise<T> => {
    const outcome = await mongo.write((database, limit) => act(tokensOf(database), limit));
    await announcements.announce();
    return outcome;
  };
  return {
    async insert({ tokenId, ...token }) {
      await withMongo(() => prepareIndexes(url));
      await change(async (tokens, limit) => {
        await tokens.insertOne({ _id: tokenId, ...token }, limit);
      });
    },
    find: (digest) =>
      mongo.read(async (database, limit) =>
        toToken(await tokensOf(database).findOne({ digest: String(digest) }, limit)),
      ),
    list: () =>
      mongo.read(async (database, limit) => {
        const found = await tokensOf(database).find({}, limit).sort({ createdAt: -1, _id: 1 }).toArray();
        return found.flatMap((document) => toToken(document) ?? []);
      }),
    revoke: (tokenId, at) =>
      change((tokens, limit) =>
        onceMore(async () => toToken(await revoke(tokens, { tokenId: String(tokenId), at }, limit))),
      ),
    touch: (tokenId, at) =>
      mongo.write(async (database, limit) => {
        await tokensOf(database).updateOne({ _id: tokenId }, { $set: { lastUsedAt: at } }, limit);
      }),
    ...sessionsIn(mongo, url, toToken),
    version: () => announcements.heard() + Math.floor(performance.now() / trustMs),
    async close() {
      announcements.close();
      await mongo.close();
    },
  };
}

type OpenMongo = ReturnType<typeof openMongo>;
type ReadToken = ReturnType<typeof openTokenReader>;

function sessionsIn(
  mongo: OpenMongo,
  url: string,
  toToken: ReadToken,
): Pick<TokenStore, 'startSession' | 'findBySession' | 'endSession'> {
  return {
    async startSession({ digest, tokenId, endsAt }, now) {
      await withMongo(() => prepareIndexes(url));
      await mongo.write(async (database, limit) => {
        const sessions = sessionsOf(database);
        const others = { tokenId: String(tokenId) };
        await sessions.deleteMany({ endsAt: { $lte: new Date(now) } }, limit);
        const newestFirst = sessions
          .find(others, { maxTimeMS: limit.writeConcern.wtimeoutMS })
          .sort({ endsAt: -1 });
        const tooMany = await newestFirst
          .skip(mostSessions - 1)
          .limit(mostSessions)
          .toArray();
        if (tooMany.length > 0)
          await sessions.deleteMany({ _id: { $in: tooMany.map(({ _id }) => _id) } }, limit);
        await sessions.insertOne({ _id: digest, tokenId, endsAt: new Date(endsAt) }, limit);
      });
    },
    findBySession: (digest, now) =>
      mongo.read(async (database, limit) => {
        const session = await sessionsOf(database).findOne({ _id: String(digest) }, limit);
        if (session === null || session.endsAt.getTime() <= now) return undefined;
        return toToken(await tokensOf(database).findOne({ _id: String(session.tokenId) }, limit));
      }),
    endSession: (digest) =>
      mongo.write(async (database, limit) => {
        await sessionsOf(database).deleteOne({ _id: String(digest) }, limit);
      }),
  };
}

const tokensOf = (database: Db) => database.collection<TokenDocument>('tokens');

type SessionDocument = { readonly _id: string; readonly tokenId: string; readonly endsAt: Date };
const sessionsOf = (database: Db) => database.collection<SessionDocument>('sessions');

type Revocation = { readonly tokenId: string; readonly at: number };

async function revoke(tokens: Collection<TokenDocument>, { tokenId, at }: Revocation, limit: WriteLimit) {
  await tokens.updateOne(
    { _id: tokenId, $or: [{ revokedAt: null }, { revokedAt: { $gt: at } }] },
    { $set: { revokedAt: at } },
    limit,
  );
  return tokens.findOne({ _id: tokenId }, { maxTimeMS: limit.writeConcern.wtimeoutMS });
}

async function prepareIndexes(url: string): Promise<void> {
  await withPatientMongo(url, async (database) => {
    await database
      .collection('tokens')
      .createIndex({ digest: 1 }, { name: 'tokens_by_digest', unique: true });
    await sessionsOf(database).createIndex({ endsAt: 1 }, { name: 'sessions_by_end' });
  });
}

function openTokenReader(log: Logger): (document: TokenDocument | null) => Token | undefined {
  const readRow = openRowReader(log);
  return (document) => {
    if (document === null) return undefined;
    const { _id: tokenId, ...token } = document;
    return readRow({ kind: 'token', id: String(tokenId) }, () => readToken({ ...token, tokenId }));
  };
}
