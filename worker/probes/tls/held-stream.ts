import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { inTurn } from '../turns.ts';

/** What the stream gives: bytes, its end, or what destroys it. */
type Item = Buffer | 'end' | { readonly destroyedBy: Error | undefined };

export type HeldStreamSettings = {
  /** Given each piece that was read, in its turn. */
  readonly take: (piece: Buffer) => void;
  /** No more is to be read yet. */
  readonly isHeld: () => boolean;
  /** TLS has said its last word: what comes now is not read. */
  readonly isOver: () => boolean;
};

export type HeldStream = {
  readonly stream: Duplex;
  /** Passes bytes to the reader of the stream, now or when it may read. */
  readonly pass: (bytes: Buffer) => void;
  /** Destroys the stream after what was passed. */
  readonly fail: (error: Error) => void;
  /** Reads on where nothing is held any more. */
  readonly readOn: () => void;
};

/**
 * A stream for TLS that writes to the socket, ends with it and takes it along. What is read goes to `take`; what the stream is to give
 * has to be passed to it.
 *
 * It gives nothing while a write is under way or after the end. Node's wrapper of such a stream asserts that each write comes after the
 * one before, but TLS answers what it reads with a write whenever it likes, also while the empty write of a renegotiation is open (Node
 * 24, `JSStreamSocket.doWrite`): a server's early bytes would end the process. It also bounds what a server makes us write that never reads.
 */
export function openHeldStream(socket: Socket, { take, isHeld, isOver }: HeldStreamSettings): HeldStream {
  /** Pieces that wait for their turn. */
  let pieces = 0;
  const readOn = () => void (pieces > 0 || gate.isWaiting() || isHeld() || socket.resume());
  const writes = openWrites(socket, () => gate.give());
  const stream = new Duplex({
    allowHalfOpen: false,
    read: () => undefined,
    write: (chunk: Buffer, _encoding, done) => writes.write(chunk, done),
    writev: (chunks, done) => writes.write(Buffer.concat(chunks.map(({ chunk }) => chunk as Buffer)), done),
    // A server that closes first has ended the socket's own writing too: that is no error of what it sent.
    final: (done) => void (socket.writableEnded ? done() : socket.end(done)),
    destroy(error, done) {
      socket.destroy();
      done(error);
    },
  });
  const gate = openGate(stream, { isOver, mayGive: () => !writes.areOpen(), onGiven: readOn });
  stream.on('resume', () => gate.give());
  socket.on('data', (piece: Buffer) => {
    pieces += 1;
    // The rest stays with the kernel, and with the server.
    if (pieces > 1) socket.pause();
    inTurn(() => {
      pieces -= 1;
      if (!stream.destroyed) take(piece);
      readOn();
    });
  });
  // After what came before, which waits for its turn.
  socket.on('end', () => inTurn(() => gate.add('end')));
  socket.on('error', (error) => inTurn(() => gate.add({ destroyedBy: error })));
  socket.on('close', () => inTurn(() => gate.add({ destroyedBy: undefined })));
  return {
    stream,
    readOn,
    pass: (bytes) => void (bytes.length > 0 && gate.add(bytes)),
    fail: (error) => gate.add({ destroyedBy: error }),
  };
}

/** Writes to the socket, and counts the writes that Node's wrapper takes for open. */
function openWrites(socket: Socket, onDone: () => void) {
  let count = 0;
  return {
    areOpen: () => count > 0,
    write(bytes: Buffer, done: (error?: Error | null) => void): void {
      count += 1;
      socket.write(bytes, (error) => {
        done(error);
        // The wrapper asks for its turn in `done`, or in the tick after it, and counts the write as open until then.
        process.nextTick(() =>
          setImmediate(() => {
            count -= 1;
            onDone();
          }),
        );
      });
    },
  };
}

type GateSettings = Pick<HeldStreamSettings, 'isOver'> & {
  readonly mayGive: () => boolean;
  readonly onGiven: () => void;
};

/** What the stream is still to give, in order. */
function openGate(stream: Duplex, { isOver, mayGive, onGiven }: GateSettings) {
  const items: Item[] = [];
  let isGiving = false;
  const isLate = (item: Item) => isOver() && (item === 'end' || item instanceof Buffer);
  const isReady = (item: Item) => mayGive() && (!(item instanceof Buffer) || stream.readableFlowing === true);
  const give = () => {
    // Never inside itself: what TLS reads may be what lets the next records pass.
    if (isGiving) return;
    isGiving = true;
    for (let [item] = items; item !== undefined && !stream.destroyed; [item] = items) {
      if (isLate(item)) items.shift();
      else if (isReady(item)) giveTo(stream, items.shift() ?? item);
      else break;
    }
    isGiving = false;
    onGiven();
  };
  return {
    give,
    isWaiting: () => items.length > 0,
    add(item: Item): void {
      items.push(item);
      give();
    },
  };
}

function giveTo(stream: Duplex, item: Item): void {
  if (item === 'end') stream.push(null);
  else if ('destroyedBy' in item) stream.destroy(item.destroyedBy);
  else stream.push(item);
}
