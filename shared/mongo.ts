import { type Db, MongoClient, MongoError, MongoServerError } from 'mongodb';
import { Problem } from './model/problem.ts';

/**
 * Measured with a frozen server: `timeoutMS` has no effect in driver 7.8 and one read hung for 70 s; with these a call
 * gives up after 805 ms and works again 4 ms after the server does. The driver's own retries would make it 2.7 s.
 */
const timeouts = {
  serverSelectionTimeoutMS: 500,
  connectTimeoutMS: 800,
  socketTimeoutMS: 800,
  retryReads: false,
  retryWrites: false,
} as const;

/** The code of a server that has a document of this key already. */
export const duplicateKey = 11_000;

/** So soon after a first connection that failed the next one is tried. */
const tryAgainMs = 500;

/** What a process uses of a client. */
export type Mongo = { readonly db: (name: string) => Db; close(): Promise<void> };

/**
 * Opens a client with the timeouts of a request, but for those that the URL sets itself, and connects it, however long the server stays
 * away. Left to itself, the driver (7.8, measured) closes its topology when the first connection fails, and every later call of the
 * process fails at once, also when the server is there.
 */
export function openMongo(url: string): Mongo {
  const client = new MongoClient(url, { ...unlessNamedIn(url, timeouts), appName: 'diag' });
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  const connect = () => {
    client.connect().catch(() => {
      // The call that meets it says why.
      if (!isClosed) timer = setTimeout(connect, tryAgainMs).unref();
    });
  };
  connect();
  return {
    db: (name) => client.db(name),
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await client.close();
    },
  };
}

/** The driver would let these win over the URL's own. Options of a URL are told in any case (MongoDB, "Connection String Options"). */
function unlessNamedIn<T extends object>(url: string, options: T): Partial<T> {
  const [, query = ''] = url.split('?');
  const named = [...new URLSearchParams(query).keys()].map((name) => name.toLowerCase());
  return Object.fromEntries(
    Object.entries(options).filter(([name]) => !named.includes(name.toLowerCase())),
  ) as Partial<T>;
}

/** An index of ten million documents is built in less. */
const upkeepTimeoutMs = 600_000;

/** Does upkeep over a client of its own, closed after it: building an index or a sweep takes longer than a request may. */
export async function withPatientMongo<T>(url: string, act: (database: Db) => Promise<T>): Promise<T> {
  const client = new MongoClient(url, {
    serverSelectionTimeoutMS: 500,
    connectTimeoutMS: 800,
    socketTimeoutMS: upkeepTimeoutMs,
    appName: 'diag-upkeep',
  });
  try {
    return await act(client.db(databaseNameOf(url)));
  } finally {
    await client.close();
  }
}

/** The database that mongodb://…/database names; "diag" where none is named. */
export function databaseNameOf(url: string): string {
  const path = new URL(
    url.replace(/^mongodb(\+srv)?:/, 'http:').replace(/(@|\/\/)([^/@]*),[^/]*/, '$1$2'),
  ).pathname.slice(1);
  return path === '' ? 'diag' : decodeURIComponent(path);
}

/** Does something again after a broken connection; only for what is keyed by its id. */
export async function onceMore<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof MongoServerError || !isOfStore(error)) throw error;
    return act();
  }
}

/** Does something with the store. A server that is away or refuses rises as Problem `store_unavailable`; anything else is a defect. */
export async function withMongo<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (!isOfStore(error)) throw error;
    throw new Problem(
      'store_unavailable',
      'Reports cannot be read or kept just now. Ask again in a few seconds.',
      { retryAfterS: 5, cause: error },
    );
  }
}

// A write to a socket that the server has just closed rises as Node's own EPIPE, unwrapped by the driver (7.8, measured:
// three of 25 kills of a server under load).
function isOfStore(error: unknown): boolean {
  if (error instanceof MongoError) return true;
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return code === 'EPIPE' || code === 'ECONNRESET' || code === 'ETIMEDOUT' || code === 'ERR_STREAM_DESTROYED';
}
