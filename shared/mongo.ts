import { type Db, MongoClient, MongoError, MongoNetworkError, MongoServerError } from 'mongodb';
import type { Logger } from './logger.ts';
import { Problem } from './model/problem.ts';
import { openRenewedClient } from './mongo-client.ts';

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

/** A call and its second try, each through all steps of the driver. */
const usualCallMs = 4200;

/** The code of a server that has a document of this key already. */
export const duplicateKey = 11_000;

/** What a process uses of a server. */
export type Mongo = {
  /**
   * Does something with the database that the URL names. A server that is away or refuses rises as Problem `store_unavailable`, and so does
   * what takes longer than a call and its second try may; anything else is a defect.
   */
  readonly call: <T>(act: (database: Db) => Promise<T>) => Promise<T>;
  close(): Promise<void>;
};

/**
 * Opens a client with the timeouts of a request, but for those that the URL sets itself, and keeps it connected, however long the server
 * stays away: one that does not work is replaced where a fresh one does.
 */
export function openMongo(url: string, log: Pick<Logger, 'warn'>): Mongo {
  const callMs = callMsOf(url);
  const client = openRenewedClient({
    url,
    database: databaseNameOf(url),
    options: { ...unlessNamedIn(url, timeouts), appName: 'diag' },
    callMs,
    log,
  });
  return {
    call: (act) =>
      withMongo(async () => {
        try {
          const found = await withinMs(callMs, act(client.database()));
          client.answered();
          return found;
        } catch (error) {
          if (isAnswer(error)) client.answered();
          else if (isOfStore(error)) client.unanswered();
          throw error;
        }
      }),
    close: () => client.close(),
  };
}

/** Where the URL takes the limits away (0), a call still ends. */
const longestCallMs = 60_000;

// The driver's limits are those of its steps: choosing a server, connecting, silence on the socket. Some of its waits have none.
function callMsOf(url: string): number {
  const { serverSelectionTimeoutMS, connectTimeoutMS, socketTimeoutMS } = timeouts;
  const named = new Map([...queryOf(url)].map(([name, text]) => [name.toLowerCase(), Number(text)]));
  const steps = Object.entries({ serverSelectionTimeoutMS, connectTimeoutMS, socketTimeoutMS });
  const sum = steps.reduce((total, [name, usual]) => total + (named.get(name.toLowerCase()) ?? usual), 0);
  return Number.isFinite(sum) ? Math.min(longestCallMs, Math.max(usualCallMs, sum * 2)) : usualCallMs;
}

/** The outcome of something that is under way; after so many ms an error of the store. */
export async function withinMs<T>(ms: number, acting: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new MongoNetworkError(`no answer within ${ms} ms`)), ms);
  try {
    return await Promise.race([acting, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** The driver would let these win over the URL's own. Options of a URL are told in any case (MongoDB, "Connection String Options"). */
function unlessNamedIn<T extends object>(url: string, options: T): Partial<T> {
  const named = [...queryOf(url).keys()].map((name) => name.toLowerCase());
  return Object.fromEntries(
    Object.entries(options).filter(([name]) => !named.includes(name.toLowerCase())),
  ) as Partial<T>;
}

function queryOf(url: string): URLSearchParams {
  const [, query = ''] = url.split('?');
  return new URLSearchParams(query);
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

// Codes with which a server says that it is not, or no longer, the one to ask: InterruptedAtShutdown, PrimarySteppedDown, ShutdownInProgress,
// NotWritablePrimary, InterruptedDueToReplStateChange, NotPrimaryNoSecondaryOk, NotPrimaryOrSecondary (MongoDB, "Error Codes").
const notThere: ReadonlySet<number | string> = new Set([11_600, 189, 91, 10_107, 11_602, 13_435, 13_436]);

/** True for an error that the right server gave as its answer. */
function isAnswer(error: unknown): boolean {
  return error instanceof MongoServerError && !notThere.has(error.code ?? '');
}

// A write to a socket that the server has just closed rises as Node's own EPIPE, unwrapped by the driver (7.8, measured:
// three of 25 kills of a server under load).
function isOfStore(error: unknown): boolean {
  if (error instanceof MongoError) return true;
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return code === 'EPIPE' || code === 'ECONNRESET' || code === 'ETIMEDOUT' || code === 'ERR_STREAM_DESTROYED';
}
