import {
  MongoError,
  MongoInvalidArgumentError,
  MongoNetworkError,
  MongoNetworkTimeoutError,
  MongoServerError,
  MongoServerSelectionError,
} from 'mongodb';
import { Problem } from '../model/problem.ts';
import { sayConnectionFault } from './say-connection-fault.ts';

/** Every server has said, or shown, that it takes no calls. */
export class StoreAway extends MongoNetworkError {}

/** A call was given up: the server may be slow, or hang. */
export class NoAnswerInTime extends MongoNetworkError {}

/** The code of a server that has a document of this key already. */
export const duplicateKey = 11_000;

// Codes with which a server says that it is not, or no longer, the one to ask: InterruptedAtShutdown, PrimarySteppedDown, ShutdownInProgress,
// NotWritablePrimary, InterruptedDueToReplStateChange, NotPrimaryNoSecondaryOk, NotPrimaryOrSecondary (MongoDB, "Error Codes").
const notThere: ReadonlySet<number | string> = new Set([11_600, 189, 91, 10_107, 11_602, 13_435, 13_436]);

// A document above 16 MB: BSONObjectTooLarge, and the codes of an update that makes it so. The same document is refused by every server.
const tooLarge: ReadonlySet<number | string> = new Set([10_334, 17_419, 17_420]);

/** Does something again after a broken connection, or where another server has become the one to ask; only for what is keyed by its id. */
export async function onceMore<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (isAnswer(error) || !isOfStore(error)) throw error;
    return act();
  }
}

/** Does something with the store. A server that is away or refuses rises as Problem `store_unavailable`; anything else is a defect. */
export async function withMongo<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (!isOfStore(error)) throw error;
    throw storeUnavailable(error);
  }
}

/** The Problem of a store that cannot be read or written. */
export function storeUnavailable(cause: unknown): Problem {
  return new Problem(
    'store_unavailable',
    'Reports cannot be read or kept just now. Ask again in a few seconds.',
    { retryAfterS: 5, cause },
  );
}

/** True where no answer came in time, which says nothing of why. */
export function isLate(error: unknown): boolean {
  return error instanceof NoAnswerInTime || error instanceof MongoNetworkTimeoutError;
}

/** True for an error that the right server gave as its answer. */
export function isAnswer(error: unknown): boolean {
  return error instanceof MongoServerError && !notThere.has(error.code ?? '');
}

// A write to a socket that the server has just closed rises as Node's own EPIPE, unwrapped by the driver (7.8, measured:
// three of 25 kills of a server under load).
/** True for an error that says something of the server or the way to it, not of what was asked. */
export function isOfStore(error: unknown): boolean {
  if (error instanceof MongoInvalidArgumentError) return false;
  if (error instanceof MongoServerError && tooLarge.has(error.code ?? '')) return false;
  if (error instanceof MongoError) return true;
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return code === 'EPIPE' || code === 'ECONNRESET' || code === 'ETIMEDOUT' || code === 'ERR_STREAM_DESTROYED';
}

const meanings: { readonly [code: string]: string } = {
  13: 'its user may not do that in this database: give it the role readWrite there',
  18: 'it refuses the user or the password. The user is looked for in the database that authSource names, else in that of the URL',
  50: 'a read took too long and was ended',
  64: 'no majority of the replica set confirmed a write in time',
  100: 'the replica set has too few servers for a majority',
  8000: 'it refuses the user or the password',
  14031: 'its disk is full',
};

/** Says in a few words what is wrong with a server, or the way to it, from the error of a call. */
export function sayMongoFault(error: unknown): string {
  if ((error instanceof Problem || error instanceof StoreAway) && error.cause !== undefined)
    return sayMongoFault(error.cause);
  if (error instanceof MongoServerSelectionError) {
    const servers = [...(error.reason?.servers.values() ?? [])];
    const first = servers.find((server) => server.error)?.error;
    if (first) return sayMongoFault(first);
    return servers.every(({ type }) => type === 'Unknown')
      ? 'it does not answer in time'
      : 'no server of it that takes writes was found in time';
  }
  if (error instanceof MongoServerError) return sayAnswer(error);
  return sayConnectionFault(error);
}

function sayAnswer({ code = '', codeName, message }: MongoServerError): string {
  // Of code 13 too: a server that wants a password, and one whose user may not do it.
  if (/requires authentication/i.test(message))
    return 'it wants a user and a password: put them into the URL, as mongodb://user:password@host';
  return meanings[code] ?? `it answers ${String(codeName ?? message)} (${code})`;
}
