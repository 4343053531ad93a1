import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { databasePath } from '#shared/backends/sqlite';
import { openAccountStores } from '#shared/lifecycle/account-stores';
import { openAccess } from '#shared/lifecycle/backend';
import { type Config, readConfig } from '#shared/settings/config';
import { type Purged, type PurgeWish, targetMatcher } from '#shared/stores/reports/purge';
import { openLogger } from '#shared/telemetry/logger';
import { say, show } from './door.ts';
import { UsageError } from './outcome.ts';

/** A read of the store that began before the deletion may put a report back into a memory: it ends within this time. */
const lateReadMs = 1500;

type Options = { readonly account?: string; readonly target?: string; readonly olderThan?: string };

/** Deletes what is kept of an account or a target, or what is too old, tells every API, and prints the counts. */
export async function purge(options: Options): Promise<void> {
  const [config, wish] = [readConfig(), readWish(options)];
  const { reports, grants, blobs } = await purgeStore(config, wish);
  const records = await purgeAccess(config, wish);
  const { batches, watched } = await purgeMade(config, wish);
  say(
    show`${reports} reports, ${grants} grants, ${blobs} pieces of evidence, ${records} records of runs and ${batches} batches deleted`,
  );
  if (watched > 0) say(show`${watched} watches and watched targets deleted`);
}

function readWish({ account, target, olderThan }: Options): PurgeWish {
  const [wish, other] = [
    ...(account === undefined ? [] : [{ account }]),
    ...(target === undefined ? [] : [{ target: readName(target) }]),
    ...(olderThan === undefined ? [] : [{ madeBefore: Date.now() - readDays(olderThan) * 86_400_000 }]),
  ];
  if (!wish || other) throw new UsageError('Give one of --account, --target and --older-than.');
  return wish;
}

async function purgeAccess(config: Config, wish: PurgeWish): Promise<number> {
  const access = await openAccess(config, openLogger('silent'));
  try {
    return await access.purge(wish);
  } finally {
    await access.close();
  }
}

/**
 * Purges what accounts have made. Of a target, the batches are counted whose lists had it; they stay without it. A watch is no record of the
 * past: its age deletes nothing of it.
 */
async function purgeMade(config: Config, wish: PurgeWish): Promise<{ batches: number; watched: number }> {
  const { batches, idempotency, watches } = await openAccountStores(config, openLogger('silent'));
  try {
    if ('account' in wish) await idempotency.purge(wish.account);
    const ofWatches = 'target' in wish ? { isMeant: targetMatcher(wish.target) } : wish;
    return {
      batches: await batches.purge(wish),
      watched: 'madeBefore' in ofWatches ? 0 : await watches.purge(ofWatches),
    };
  } finally {
    await Promise.all([batches.close(), idempotency.close(), watches.close()]);
  }
}

async function purgeStore({ REDIS_URL, MONGODB_URL, DATA_DIR }: Config, wish: PurgeWish): Promise<Purged> {
  if (REDIS_URL !== undefined && MONGODB_URL !== undefined) {
    const { purgeMongo } = await import('#shared/stores/reports/purge-mongo');
    const purged = await purgeMongo(MONGODB_URL, wish);
    const { announcePurge } = await import('#shared/queue/delivery/done');
    await announcePurge(REDIS_URL);
    await delay(lateReadMs);
    await announcePurge(REDIS_URL);
    return purged;
  }
  const path = databasePath(DATA_DIR, 'reports');
  if (DATA_DIR === ':memory:' || !existsSync(path))
    throw new UsageError(`There is no store in DATA_DIR (${DATA_DIR}).`);
  const { purgeSqlite } = await import('#shared/stores/reports/purge-sqlite');
  // A running service sees within a second that somebody else wrote, and forgets what it remembers.
  return purgeSqlite(path, wish);
}

function readName(text: string): string {
  if (text.includes('://') && URL.canParse(text)) return new URL(text).href;
  const name = text.toLowerCase().replace(/\.$/, '');
  if (!/^(?=.*[.:])[^\s/]{1,253}$/.test(name))
    throw new UsageError(`--target: "${text}" is neither a domain nor a URL.`);
  return name;
}

function readDays(text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text))
    throw new UsageError(`--older-than: "${text}" is not a number of days, such as 7.`);
  return Number(text);
}
