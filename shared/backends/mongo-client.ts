import { type Db, MongoClient, type MongoClientOptions } from 'mongodb';
import type { Logger } from '../telemetry/logger.ts';
import { isLate } from './mongo-errors.ts';
import { type ReadAway, watchTopology } from './mongo-topology.ts';

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
  /** A call that began then ended without an answer of the server. */
  unanswered(error: unknown, startedAt: number): void;
  readonly away: ReadAway;
  /** True while the server is known to hang: a call has waited for it as long as one may, and nothing was answered since it began. */
  hangs(): boolean;
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
  let { client, away, madeAt } = make(maker);
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
    const works = await connects(fresh.client, maker.database);
    const silentMs = silence.lastsMs();
    // The old one may have come back meanwhile.
    if (!works || isClosed || silentMs === undefined) return retire(fresh.client, 0);
    if (silence.wasBroken())
      maker.log.warn(
        { silentMs: Math.round(silentMs) },
        'connections to MongoDB were replaced: the old ones had no answer, new ones have',
      );
    // Calls that are under way end first, each with its own limit.
    retire(client, maker.callMs);
    ({ client, away } = fresh);
    silence.end();
  };
  const unanswered = (error: unknown, startedAt: number) => {
    silence.begin(isLate(error) ? startedAt : undefined);
    wait();
  };

  client.connect().then(
    () => silence.end(),
    (error: unknown) => unanswered(error, madeAt),
  );
  return {
    database: () => client.db(maker.database),
    answered: () => silence.end(),
    unanswered,
    away: (forMs) => away(forMs),
    hangs: () => silence.isKnown(),
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
  let answeredAt = Number.NEGATIVE_INFINITY;
  let isKnown = false;
  const lastsMs = () => (since === undefined ? undefined : performance.now() - since);
  return {
    lastsMs,
    /** True where there was an answer before it. */
    wasBroken: () => hasAnswered,
    // A client that never had an answer may be closed already: there is nothing to wait for.
    isLong: () => (lastsMs() ?? Number.NEGATIVE_INFINITY) >= (hasAnswered ? replaceAfterMs : 0),
    /** @param waitedFrom where a call waited in vain as long as one may: since when */
    begin(waitedFrom: number | undefined) {
      since ??= performance.now();
      isKnown ||= waitedFrom !== undefined && answeredAt < waitedFrom;
    },
    isKnown: () => isKnown,
    end() {
      since = undefined;
      isKnown = false;
      hasAnswered = true;
      answeredAt = performance.now();
    },
  };
}

function retire(client: MongoClient, afterMs: number): void {
  // It is of no use to anybody, whatever its end says.
  const close = () => void client.close().catch(() => undefined);
  setTimeout(close, afterMs).unref();
}

function make({ url, options }: ClientMaker) {
  const client = new MongoClient(url, options);
  return { client, away: watchTopology(client), madeAt: performance.now() };
}

async function connects(client: MongoClient, database: string): Promise<boolean> {
  const asking = client.connect().then(() => client.db(database).command({ ping: 1 }));
  return Promise.race([asking.then(() => true), after(tryMs).then(() => false)]).catch(() => false);
}

function after(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
