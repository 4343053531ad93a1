import { type Db, MongoClient, MongoNetworkError } from 'mongodb';
import { Problem } from '../model/problem.ts';
import type { Logger } from '../telemetry/logger.ts';
import { openOutcomes, type Outcomes } from '../telemetry/outcomes.ts';
import { openRenewedClient, type RenewedClient } from './mongo-client.ts';
import { isAnswer, isOfStore, NoAnswerInTime, withMongo } from './mongo-errors.ts';
import { watchTopology } from './mongo-topology.ts';

/**
 * A call waits so long for a server that is slow: with its turn before it, a caller waits 5 s at most. One that hangs looks the same at first; once it is known to hang, later calls
 * give up after `hangingMs`. `timeoutMS` has no effect in driver 7.8, where one read of a frozen server hung for 70 s.
 */
const slowMs = 4800;
const hangingMs = 800;
/** The monitor looks again 500 ms after it last did: a server that has just become another one is found within this. */
const awayMs = 700;
/** What the driver finds out about its servers is looked at so often by a call that waits. */
const lookEveryMs = 200;

/** A step of the driver may take longer than a call: that one ends first, and tells that the server does not answer. */
const stepMs = slowMs + 200;
const timeouts = {
  serverSelectionTimeoutMS: stepMs,
  connectTimeoutMS: stepMs,
  socketTimeoutMS: stepMs,
  // Its own retries would make it several times that.
  retryReads: false,
  retryWrites: false,
  // A server that hangs gets no more calls at once than this.
  maxPoolSize: 50,
  // Two, as is usual, are too few for a burst at a server whose handshakes take a second.
  maxConnecting: 10,
} as const;

/** Calls that run or wait for a connection, also those whose caller has given up; what comes beyond is refused at once. */
const mostCalls = 2000;

/** Ends a read on the server when its caller has given up (MongoDB, "maxTimeMS"). */
export type ReadLimit = { readonly maxTimeMS: number };
/** What a write waits for: that a majority of the servers has it, which a server that lost the others is not to wait for without an end. */
export type WriteLimit = { readonly writeConcern: { readonly w: 'majority'; readonly wtimeoutMS: number } };

/** What a process uses of a server. */
export type Mongo = {
  /**
   * Reads from the database that the URL names. A server that is away or refuses rises as Problem `store_unavailable`, at once; so does
   * one that is slow, after `waitMs`. Anything else is a defect.
   */
  readonly read: <T>(act: (database: Db, limit: ReadLimit) => Promise<T>) => Promise<T>;
  /** Writes into it; fails in the same ways. */
  readonly write: <T>(act: (database: Db, limit: WriteLimit) => Promise<T>) => Promise<T>;
  /** As long as a call may take, its second try included. */
  readonly waitMs: number;
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
    options: {
      ...unlessNamedIn(url, { ...timeouts, waitQueueTimeoutMS: 2 * limits.waitMs }),
      appName: 'diag',
    },
    callMs: limits.waitMs,
    log,
  });
  const outcomes = { reads: openOutcomes(), writes: openOutcomes() };
  const call = openCall(client, limits);
  const readLimit: ReadLimit = { maxTimeMS: limits.commandMs };
  const writeLimit: WriteLimit = { writeConcern: { w: 'majority', wtimeoutMS: limits.commandMs } };
  return {
    read: (act) => call((database) => act(database, readLimit), outcomes.reads),
    write: (act) => call((database) => act(database, writeLimit), outcomes.writes),
    waitMs: limits.waitMs,
    outcomes,
    close: () => client.close(),
  };
}

function openCall(client: RenewedClient, limits: Limits) {
  const calls = countCalls(limits.waitMs);
  return <T>(act: (database: Db) => Promise<T>, outcomes: Outcomes): Promise<T> =>
    withMongo(async () => {
      const startedAt = performance.now();
      // An answer that comes when its caller has given up shows, too, that the server is only slow.
      const acting = calls.count(() => act(client.database()));
      acting.then(
        () => client.answered(),
        (error: unknown) => isAnswer(error) && client.answered(),
      );
      try {
        const limitMs = client.hangs() ? limits.hangingMs : limits.waitMs;
        const found = await whileHopeful(acting, { ...limits, limitMs }, client);
        outcomes.worked();
        return found;
      } catch (error) {
        if (!isAnswer(error) && isOfStore(error)) client.unanswered(error, startedAt);
        // What is no fault of the store says nothing of it.
        if (isOfStore(error) || error instanceof Problem) outcomes.failed(error);
        throw error;
      }
    });
}

/** Bounds the calls that are under way in the driver, which goes on with those that nobody waits for. */
function countCalls(waitMs: number) {
  let underWay = 0;
  return {
    count<T>(act: () => Promise<T>): Promise<T> {
      if (underWay >= mostCalls)
        return Promise.reject(new MongoNetworkError(`${underWay} calls wait for the store already`));
      underWay += 1;
      const acting = act();
      // Some of the driver's waits have no end.
      void withinMs(2 * waitMs, acting)
        .catch(() => undefined)
        .finally(() => (underWay -= 1));
      return acting;
    },
  };
}

/** The outcome of a call, for as long as there is hope of one: not beyond its limit, and not where every server has said for a while that it takes none. */
async function whileHopeful<T>(
  acting: Promise<T>,
  { limitMs, awayMs: giveUpMs }: { readonly limitMs: number; readonly awayMs: number },
  { away }: Pick<RenewedClient, 'away'>,
): Promise<T> {
  const hopeless = Promise.withResolvers<never>();
  const until = performance.now() + limitMs;
  const look = () => {
    const fault = away(giveUpMs);
    if (fault) return hopeless.reject(fault);
    const leftMs = until - performance.now();
    if (leftMs > 0) timer = setTimeout(look, Math.min(leftMs, lookEveryMs));
    // What has arrived while this process stood still is read first.
    else setImmediate(() => hopeless.reject(new NoAnswerInTime(`no answer within ${limitMs} ms`)));
  };
  let timer = setTimeout(look, Math.min(giveUpMs, limitMs));
  try {
    return await Promise.race([acting, hopeless.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Where the URL takes the limits away (0), a call still ends. */
const longestCallMs = 60_000;

type Limits = {
  readonly waitMs: number;
  readonly hangingMs: number;
  readonly awayMs: number;
  readonly commandMs: number;
};

// What a URL names is the driver's limit of a step: choosing a server, connecting, silence on the socket. A call may have each of them twice.
function limitsOf(url: string): Limits {
  const named = new Map([...queryOf(url)].map(([name, text]) => [name.toLowerCase(), Number(text)]));
  const namedMsOf = (name: 'serverSelectionTimeoutMS' | 'connectTimeoutMS' | 'socketTimeoutMS') => {
    const ms = named.get(name.toLowerCase()) ?? 0;
    return Number.isFinite(ms) && ms > 0 ? ms : undefined;
  };
  const [turnMs, connectMs, commandMs] = [
    namedMsOf('serverSelectionTimeoutMS'),
    namedMsOf('connectTimeoutMS'),
    namedMsOf('socketTimeoutMS'),
  ];
  const namedMs = 2 * ((turnMs ?? 0) + (connectMs ?? 0) + (commandMs ?? 0));
  const atLeast = (ms: number) => Math.min(longestCallMs, Math.max(ms, namedMs));
  return {
    waitMs: atLeast(slowMs),
    hangingMs: atLeast(hangingMs),
    awayMs: turnMs ?? awayMs,
    commandMs: commandMs ?? slowMs,
  };
}

/** The outcome of something that is under way; after so many ms an error of the store. */
export async function withinMs<T>(ms: number, acting: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new NoAnswerInTime(`no answer within ${ms} ms`)), ms);
  try {
    return await Promise.race([acting, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** The driver would let these win over the URL's own. Names of a URL's options are case-insensitive (MongoDB, "Connection String Options"). */
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
    serverSelectionTimeoutMS: stepMs,
    connectTimeoutMS: stepMs,
    socketTimeoutMS: upkeepTimeoutMs,
    appName: 'diag-upkeep',
  });
  const away = watchTopology(client);
  try {
    await whileHopeful(client.connect(), { limitMs: slowMs, awayMs }, { away });
    return await act(client.db(databaseNameOf(url)));
  } finally {
    await client.close();
  }
}

/** Nobody waits longer for indexes that are being made; a later call finds them. */
const preparingMs = 4000;

/** Does upkeep that a store needs before its first call, once; where it fails, again with the next. */
export function onceDone<T>(url: string, act: (database: Db) => Promise<T>): () => Promise<T> {
  let doing: Promise<T> | undefined;
  return () => {
    doing ??= withPatientMongo(url, act).catch((error: unknown) => {
      doing = undefined;
      throw error;
    });
    const done = doing;
    return withMongo(() => withinMs(preparingMs, done));
  };
}

/** The database that mongodb://…/database names; "diag" where none is named. */
export function databaseNameOf(url: string): string {
  const path = new URL(
    url.replace(/^mongodb(\+srv)?:/, 'http:').replace(/(@|\/\/)([^/@]*),[^/]*/, '$1$2'),
  ).pathname.slice(1);
  return path === '' ? 'diag' : decodeURIComponent(path);
}
