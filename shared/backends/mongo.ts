import { type Db, MongoClient, MongoNetworkError } from 'mongodb';
import { Problem } from '../model/problem.ts';
import type { Logger } from '../telemetry/logger.ts';
import { openOutcomes, type Outcomes } from '../telemetry/outcomes.ts';
import { openRenewedClient, type RenewedClient } from './mongo-client.ts';
import { isAnswer, isOfStore, withMongo } from './mongo-errors.ts';

/**
 * Measured with a frozen server: `timeoutMS` has no effect in driver 7.8 and one read hung for 70 s; with these a call
 * gives up after 805 ms and works again 4 ms after the server does. The driver's own retries would make it 2.7 s.
 */
const timeouts = {
  // The monitor looks again 500 ms after it last did: a server that has just become another one is found within this.
  serverSelectionTimeoutMS: 700,
  connectTimeoutMS: 800,
  socketTimeoutMS: 800,
  retryReads: false,
  retryWrites: false,
  // A server that hangs gets no more calls at once than this.
  maxPoolSize: 50,
} as const;

/** Calls that run or wait for a connection; each is ended soon, and what comes beyond is refused at once. */
const mostCalls = 2000;

/** A call and its second try, each through all steps of the driver. */
const usualCallMs = 4200;

/** What ends a read on the server too, when nobody waits for it any more (MongoDB, "maxTimeMS"). */
export type ReadLimit = { readonly maxTimeMS: number };
/** What a write waits for: that a majority of the servers has it, which a server that lost the others is not to wait for without an end. */
export type WriteLimit = { readonly writeConcern: { readonly w: 'majority'; readonly wtimeoutMS: number } };

/** What a process uses of a server. */
export type Mongo = {
  /**
   * Reads from the database that the URL names. A server that is away or refuses rises as Problem `store_unavailable`, and so does what takes
   * longer than a call and its second try may; anything else is a defect.
   */
  readonly read: <T>(act: (database: Db, limit: ReadLimit) => Promise<T>) => Promise<T>;
  /** Writes into it; fails in the same ways. */
  readonly write: <T>(act: (database: Db, limit: WriteLimit) => Promise<T>) => Promise<T>;
  /** How the last calls ended. */
  readonly outcomes: Readonly<Record<'reads' | 'writes', Outcomes>>;
  close(): Promise<void>;
};

/**
 * Opens a client with the timeouts of a request, but for those that the URL sets itself, and keeps it connected, however long the server
 * stays away: one that does not work is replaced where a fresh one does.
 */
export function openMongo(url: string, log: Pick<Logger, 'warn'>): Mongo {
  const limits = limitsOf(url);
  const client = openRenewedClient({
    url,
    database: databaseNameOf(url),
    options: { ...unlessNamedIn(url, { ...timeouts, waitQueueTimeoutMS: limits.turnMs }), appName: 'diag' },
    callMs: limits.callMs,
    log,
  });
  const outcomes = { reads: openOutcomes(), writes: openOutcomes() };
  const call = openCall(client, limits.callMs);
  const readLimit: ReadLimit = { maxTimeMS: limits.commandMs };
  const writeLimit: WriteLimit = { writeConcern: { w: 'majority', wtimeoutMS: limits.commandMs } };
  return {
    read: (act) => call((database) => act(database, readLimit), outcomes.reads),
    write: (act) => call((database) => act(database, writeLimit), outcomes.writes),
    outcomes,
    close: () => client.close(),
  };
}

function openCall(client: RenewedClient, callMs: number) {
  let calls = 0;
  return <T>(act: (database: Db) => Promise<T>, outcomes: Outcomes): Promise<T> =>
    withMongo(async () => {
      if (calls >= mostCalls) throw new MongoNetworkError(`${calls} calls wait for the store already`);
      calls += 1;
      try {
        const found = await withinMs(callMs, act(client.database()));
        client.answered();
        outcomes.worked();
        return found;
      } catch (error) {
        if (isAnswer(error)) client.answered();
        else if (isOfStore(error)) client.unanswered();
        // What is no fault of the store says nothing of it.
        if (isOfStore(error) || error instanceof Problem) outcomes.failed(error);
        throw error;
      } finally {
        calls -= 1;
      }
    });
}

/** Where the URL takes the limits away (0), a call still ends. */
const longestCallMs = 60_000;

// The driver's limits are those of its steps: choosing a server, connecting, silence on the socket. Some of its waits have none.
function limitsOf(url: string): Readonly<Record<'callMs' | 'commandMs' | 'turnMs', number>> {
  const named = new Map([...queryOf(url)].map(([name, text]) => [name.toLowerCase(), Number(text)]));
  const stepMs = (name: keyof typeof timeouts) => named.get(name.toLowerCase()) ?? Number(timeouts[name]);
  const commandMs = stepMs('socketTimeoutMS');
  const turnMs = stepMs('serverSelectionTimeoutMS');
  const sumMs = turnMs + stepMs('connectTimeoutMS') + commandMs;
  const isNumber = Number.isFinite(sumMs) && sumMs > 0;
  return {
    callMs: isNumber ? Math.min(longestCallMs, Math.max(usualCallMs, sumMs * 2)) : usualCallMs,
    // A connection of the pool is waited for as long as for a server.
    turnMs,
    commandMs: isNumber && commandMs > 0 ? commandMs : timeouts.socketTimeoutMS,
  };
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
