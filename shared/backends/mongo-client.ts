import { type Db, MongoClient, type MongoClientOptions } from 'mongodb';
import type { Logger } from '../telemetry/logger.ts';

/** Where clients are made for, and how long the driver is told to wait for each of its steps. */
export type ClientMaker = {
  readonly url: string;
  readonly database: string;
  readonly options: MongoClientOptions;
  /** How long a call may take at most; a client that was replaced lives on for so long. */
  readonly callMs: number;
  readonly log: Pick<Logger, 'warn'>;
};

/** The database over the client that works, as far as is known. */
export type RenewedClient = {
  readonly database: () => Db;
  /** The server answered, with whatever it was. */
  answered(): void;
  /** A call ended without an answer of the server. */
  unanswered(): void;
  close(): Promise<void>;
};

/** A client that got no answer for so long is replaced by a fresh one, if that gets one. */
const replaceAfterMs = 2000;
/** So often a fresh client is tried. */
const tryEveryMs = 500;
/** A fresh client that has not connected by then will not. */
const tryMs = 3000;

/**
 * Opens a client, and replaces it where it does not work but a fresh one does. The driver (7.8) has two ways never to come back by itself:
 * it closes its topology when the first connection fails, and its monitor, or a write that waits for a socket to drain, may wait for ever on
 * a connection that is gone, with which the server stays unknown to that client for good.
 */
export function openRenewedClient(maker: ClientMaker): RenewedClient {
  const silence = watchSilence();
  let client = make(maker);
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  const wait = () => {
    if (!isClosed) timer ??= setTimeout(() => void look(), tryEveryMs).unref();
  };
  const look = async () => {
    if (silence.isLong()) await replace();
    timer = undefined;
    if (silence.lastsMs() !== undefined) wait();
  };
  const replace = async () => {
    const fresh = make(maker);
    const works = await connects(fresh, maker.database);
    const silentMs = silence.lastsMs();
    // The old one may have come back meanwhile.
    if (!works || isClosed || silentMs === undefined) return retire(fresh, 0);
    if (silence.wasBroken())
      maker.log.warn(
        { silentMs: Math.round(silentMs) },
        'connections to MongoDB were replaced: the old ones had no answer, new ones have',
      );
    // Calls that are under way end first, each with its own limit.
    retire(client, maker.callMs);
    client = fresh;
    silence.end();
  };
  const unanswered = () => {
    silence.begin();
    wait();
  };

  client.connect().then(() => silence.end(), unanswered);
  return {
    database: () => client.db(maker.database),
    answered: () => silence.end(),
    unanswered,
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await client.close();
    },
  };
}

/** The time since the server last answered, where a call asked in vain since then. */
function watchSilence() {
  let since: number | undefined;
  let hasAnswered = false;
  const lastsMs = () => (since === undefined ? undefined : performance.now() - since);
  return {
    lastsMs,
    /** True where there was an answer before it. */
    wasBroken: () => hasAnswered,
    // A client that never had an answer may be closed already: there is nothing to wait for.
    isLong: () => (lastsMs() ?? Number.NEGATIVE_INFINITY) >= (hasAnswered ? replaceAfterMs : 0),
    begin() {
      since ??= performance.now();
    },
    end() {
      since = undefined;
      hasAnswered = true;
    },
  };
}

function retire(client: MongoClient, afterMs: number): void {
  // It is of no use to anybody, whatever its end says.
  const close = () => void client.close().catch(() => undefined);
  setTimeout(close, afterMs).unref();
}

function make({ url, options }: ClientMaker): MongoClient {
  return new MongoClient(url, options);
}

async function connects(client: MongoClient, database: string): Promise<boolean> {
  const asking = client.connect().then(() => client.db(database).command({ ping: 1 }));
  return Promise.race([asking.then(() => true), after(tryMs).then(() => false)]).catch(() => false);
}

function after(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
