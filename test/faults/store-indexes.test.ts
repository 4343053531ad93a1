import { Long } from 'mongodb';
import { afterAll, beforeAll, beforeEach, afterEach, describe, expect, test } from 'vitest';
import { withPatientMongo } from '#shared/backends/mongo';
import { prepareIndexes } from '#shared/stores/reports/mongo-indexes';
import { type Command, type MongoProxy, openMongoProxy, refusal } from '../kit/mongo-proxy.ts';
import { hasMongo, startMongo, type TestMongo } from '../kit/mongo.ts';

type Index = { readonly name: string; readonly key: object; readonly expireAfterSeconds?: number };

const indexesOf = ({ document }: Command) => (document['indexes'] ?? []) as readonly Index[];
const isTtl = (command: Command) =>
  command.name === 'createIndexes' && indexesOf(command).some(({ name }) => name === 'by_expiry');
const wantsExpiry = (command: Command) =>
  isTtl(command) && indexesOf(command).some(({ expireAfterSeconds }) => expireAfterSeconds === 0);
const named = (commands: readonly Command[], name: string) =>
  commands.filter((command) => command.name === name);

/** What a server says that has these indexes. */
const listing = (collection: string, indexes: readonly Index[]) => ({
  ok: 1,
  cursor: {
    id: Long.ZERO,
    ns: `diag.${collection}`,
    firstBatch: [{ v: 2, name: '_id_', key: { _id: 1 } }, ...indexes],
  },
});

const allThere: Readonly<Record<string, readonly Index[]>> = {
  reports: [
    { name: 'reports_by_key', key: { jobKey: 1, checkedAt: -1 } },
    { name: 'reports_by_freshness', key: { jobKey: 1, freshUntil: -1 } },
  ],
  grants: [
    { name: 'grants_by_account', key: { account: 1, checkedAt: -1, reportId: -1 } },
    { name: 'grants_by_target', key: { account: 1, target: 1, checkedAt: -1, reportId: -1 } },
  ],
  blobs: [],
};
const expiring: Index = { name: 'by_expiry', key: { expiresAt: 1 }, expireAfterSeconds: 0 };
const withoutExpiry: Index = { name: 'by_expiry', key: { expiresAt: 1 } };
const listed = (command: Command, more: readonly Index[]) => {
  const collection = String(command.document['listIndexes']);
  return { answer: listing(collection, [...(allThere[collection] ?? []), ...more]) };
};

describe.skipIf(!hasMongo)('the indexes of the store', () => {
  let mongo: TestMongo;
  let proxy: MongoProxy;
  beforeAll(async () => {
    mongo = await startMongo();
  });
  afterAll(() => mongo.stop());
  beforeEach(async () => {
    proxy = await openMongoProxy(mongo.url);
  });
  afterEach(() => proxy.close());
  const prepare = () => withPatientMongo(proxy.url, prepareIndexes);

  test('where all are there, they are listed: nothing is made, and nothing is dropped', async () => {
    proxy.decide((command) => (command.name === 'listIndexes' ? listed(command, [expiring]) : 'pass'));
    expect(await prepare()).toBe(true);
    expect(named(proxy.commands, 'listIndexes')).toHaveLength(3);
    expect(proxy.commands.filter(({ name }) => /^(?:create|drop)Indexes$|^collMod$/.test(name))).toEqual([]);
  });

  test('one of an earlier version is dropped, once', async () => {
    const old: Index = { name: 'reports_by_target', key: { target: 1 } };
    proxy.decide((command) => {
      if (command.name === 'listIndexes')
        return listed(command, command.document['listIndexes'] === 'reports' ? [expiring, old] : [expiring]);
      return command.name === 'dropIndexes' ? { answer: { ok: 1 } } : 'pass';
    });
    expect(await prepare()).toBe(true);
    expect(named(proxy.commands, 'dropIndexes').map(({ document }) => document['index'])).toEqual([
      'reports_by_target',
    ]);
  });

  test.for([
    [85, 'IndexOptionsConflict'],
    [86, 'IndexKeySpecsConflict'],
  ] as const)(
    'documents of a server without TTL, whose index answers %i %s: it is converted in place',
    async ([code, name]) => {
      proxy.decide((command) => {
        if (command.name === 'listIndexes') return listed(command, [withoutExpiry]);
        if (wantsExpiry(command)) return { answer: refusal(code, name) };
        return command.name === 'collMod' ? { answer: { ok: 1, expireAfterSeconds_new: 0 } } : 'pass';
      });
      expect(await prepare()).toBe(true);
      expect(named(proxy.commands, 'collMod').map(({ document }) => document['index'])).toEqual(
        Array.from({ length: 3 }, () => ({ name: 'by_expiry', expireAfterSeconds: 0 })),
      );
      expect(named(proxy.commands, 'dropIndexes')).toEqual([]);
    },
  );

  test('a user that may not convert it makes it anew', async () => {
    const dropped = new Set<string>();
    proxy.decide((command) => {
      if (command.name === 'listIndexes') return listed(command, [withoutExpiry]);
      if (command.name === 'collMod') return { answer: refusal(13, 'Unauthorized') };
      if (command.name === 'dropIndexes') {
        dropped.add(String(command.document['dropIndexes']));
        return { answer: { ok: 1 } };
      }
      if (!wantsExpiry(command)) return 'pass';
      const isFree = dropped.has(String(command.document['createIndexes']));
      return { answer: isFree ? { ok: 1 } : refusal(85, 'IndexOptionsConflict') };
    });
    expect(await prepare()).toBe(true);
    expect([...dropped].sort()).toEqual(['blobs', 'grants', 'reports']);
  });

  test('a server without TTL indexes gets plain ones, and says that nothing expires by itself', async () => {
    proxy.decide((command) => (wantsExpiry(command) ? { answer: refusal(238, 'NotImplemented') } : 'pass'));
    expect(await prepare()).toBe(false);
    expect(await prepare()).toBe(false);
    const plain = proxy.commands.filter((command) => isTtl(command) && !wantsExpiry(command));
    expect(plain).toHaveLength(3);
  });
});
