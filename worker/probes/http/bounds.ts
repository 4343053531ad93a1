import type { ClientRequest } from 'node:http';
import { DialFailure } from '../dial-failure.ts';

/** Early hints come once or a few times; a hundred interim answers are an attack. */
const interimLimit = 100;

/** Closes the connection of a server that sends interim answers without end. */
export function boundInterim(outgoing: ClientRequest): void {
  let count = 0;
  outgoing.on('information', () => {
    count += 1;
    if (count > interimLimit)
      outgoing.destroy(new DialFailure('malformed-response', 'the server sends interim answers without end'));
  });
}

/**
 * Ends a request that takes too long: from when it has a connection, for which the server stands; and before, where it waits for a place at the
 * address that others of ours hold. Looking up, connecting and the handshake have bounds of their own.
 */
export function boundTime(outgoing: ClientRequest, limitMs: number): void {
  const endAfter = (failure: DialFailure) => setTimeout(() => outgoing.destroy(failure), limitMs);
  let timer = endAfter(
    new DialFailure(
      'budget-spent',
      'its place among our connections to the address was not free in time, so it was not asked',
    ),
  );
  outgoing.once('socket', () => {
    clearTimeout(timer);
    timer = endAfter(new DialFailure('response-timeout', 'the server did not answer in time'));
  });
  outgoing.once('response', (response) => response.once('end', () => clearTimeout(timer)));
  outgoing.once('close', () => clearTimeout(timer));
}

/**
 * A server that writes each word by itself has chunks of some ten bytes; two thousand of fewer than eight are an attack. No page has fifty thousand
 * words: beyond that a chunk has sixty-four bytes on average.
 */
const chunks = { tiny: { free: 2000, bytes: 8 }, all: { free: 50_000, bytes: 64 } } as const;

const isFraming = (count: number, bytes: number) =>
  (count > chunks.tiny.free && bytes < count * chunks.tiny.bytes) ||
  count > chunks.all.free + bytes / chunks.all.bytes;

/**
 * Closes the connection when the framing of a body is far more than the body. One read of 64 kB brings 10,900 chunks of one byte,
 * and the parser calls for each of them before anything else runs: so they are counted where it hands them over.
 */
export function boundFraming(outgoing: ClientRequest, framing: { isFramed: boolean }): void {
  outgoing.prependOnceListener('response', (response) => {
    const push = response.push.bind(response);
    let count = 0;
    let bytes = 0;
    response.push = (chunk: Buffer | null, ...rest: []) => {
      count += 1;
      bytes += chunk?.length ?? 0;
      if (isFraming(count, bytes)) {
        framing.isFramed = true;
        // The parser hands over nothing more.
        outgoing.destroy();
        return false;
      }
      return push(chunk, ...rest);
    };
  });
}
