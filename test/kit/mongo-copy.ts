import { once } from 'node:events';
import { createWriteStream, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BSON, type Document, MongoClient } from 'mongodb';

/** What was copied. */
export type Copied = { readonly documents: number; readonly bytes: number };

/** Documents that are sent to a server at once. */
const batch = 500;

/**
 * Copies a database into a folder as mongodump does: for each collection a file of its documents, one after the other as the server
 * has them, and a file of its indexes. The database may be written to meanwhile.
 */
export async function dumpMongo(url: string, folder: string): Promise<Copied> {
  mkdirSync(folder, { recursive: true });
  return withDatabase(url, async (database) => {
    const counts = { documents: 0, bytes: 0 };
    for (const { name } of await database.listCollections({}, { nameOnly: true }).toArray()) {
      const collection = database.collection(name);
      const indexes = await collection.indexes();
      writeFileSync(join(folder, `${name}.metadata.json`), BSON.EJSON.stringify({ indexes }));
      const file = createWriteStream(join(folder, `${name}.bson`));
      for await (const document of collection.find({}, { raw: true })) {
        const bytes = document as unknown as Buffer;
        counts.documents += 1;
        counts.bytes += bytes.byteLength;
        if (!file.write(bytes)) await once(file, 'drain');
      }
      file.end();
      await once(file, 'finish');
    }
    return counts;
  });
}

/** Puts such a copy into a database, as mongorestore --drop does: what was in its collections before is gone. */
export async function restoreMongo(url: string, folder: string): Promise<Copied> {
  return withDatabase(url, async (database) => {
    const counts = { documents: 0, bytes: 0 };
    for (const file of readdirSync(folder).filter((each) => each.endsWith('.bson'))) {
      const name = file.slice(0, -'.bson'.length);
      const collection = database.collection(name);
      await collection.drop();
      const documents = readDocuments(readFileSync(join(folder, file)));
      for (let at = 0; at < documents.length; at += batch)
        await collection.insertMany(documents.slice(at, at + batch));
      const { indexes } = BSON.EJSON.parse(readFileSync(join(folder, `${name}.metadata.json`), 'utf8')) as {
        readonly indexes: readonly {
          readonly key: Record<string, 1 | -1>;
          readonly name: string;
          readonly expireAfterSeconds?: number;
        }[];
      };
      for (const { key, name: own, expireAfterSeconds } of indexes.filter((each) => each.name !== '_id_'))
        await collection.createIndex(key, {
          name: own,
          ...(expireAfterSeconds === undefined ? {} : { expireAfterSeconds }),
        });
      counts.documents += documents.length;
      counts.bytes += readFileSync(join(folder, file)).byteLength;
    }
    return counts;
  });
}

// Each document begins with its length (bsonspec.org).
function readDocuments(bytes: Buffer): Document[] {
  const documents: Document[] = [];
  for (let at = 0; at < bytes.byteLength; at += bytes.readInt32LE(at))
    documents.push(BSON.deserialize(bytes.subarray(at, at + bytes.readInt32LE(at))));
  return documents;
}

async function withDatabase<T>(
  url: string,
  act: (database: ReturnType<MongoClient['db']>) => Promise<T>,
): Promise<T> {
  const client = new MongoClient(url);
  try {
    return await act(client.db());
  } finally {
    await client.close();
  }
}
