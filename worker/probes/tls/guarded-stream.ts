import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { DialFailure } from '../dial-failure.ts';
import { openFlightGuard } from './flight-guard.ts';
import { openHeldStream } from './held-stream.ts';
import { openRecordSplitter } from './record-splitter.ts';

/** A connection that was dialled, before its handshake. */
export type PlainConnection = { readonly socket: Socket; readonly address: string };

/**
 * Begins a handshake over a dialled connection, in which a chain that would keep the event loop ends it with DialFailure `budget-spent`
 * (see openFlightGuard). Destroying the TLS socket destroys the connection.
 */
export function connectTls(plain: PlainConnection, options: ConnectionOptions): TLSSocket {
  const guarded = guardStream(plain, () => tls.writableEnded);
  const tls = connect({ ...options, socket: guarded.stream });
  tls.on('keylog', (line: Buffer) => {
    const [label, , secret] = line.toString('latin1').trim().split(' ');
    if (label === 'SERVER_HANDSHAKE_TRAFFIC_SECRET' && secret !== undefined)
      guarded.takeSecret(Buffer.from(secret, 'hex'));
  });
  return tls;
}

type GuardedStream = { readonly stream: Duplex; readonly takeSecret: (secret: Uint8Array) => void };

/** The socket as a stream whose records are judged before they are read. @param isOver no more is to be read */
function guardStream({ socket, address }: PlainConnection, isOver: () => boolean): GuardedStream {
  const guard = openFlightGuard();
  const splitter = openRecordSplitter();
  let waiting: readonly Buffer[] = [];
  const take = (piece: Buffer) => {
    if (!guard.isOver()) return passOn([...waiting, ...splitter.add(piece)]);
    pass(splitter.rest());
    pass(piece);
  };
  const isHeld = () => waiting.length > 0;
  const { stream, pass, fail, readOn } = openHeldStream(socket, { take, isHeld, isOver });

  const judge = (record: Buffer) => (guard.isOver() ? 'pass' : guard.judge(record));
  /** Passes on what may be, at once: each push is a turn of OpenSSL. The rest waits for the key that opens it, and so does the server. */
  const passOn = (records: readonly Buffer[]) => {
    let passed = 0;
    const passUpTo = (end: number) => {
      const run = records.slice(passed, end);
      passed = end;
      pass(run.length === 1 ? (run[0] ?? nothing) : Buffer.concat(run));
    };
    for (const [index, record] of records.entries()) {
      let fate = judge(record);
      if (fate === 'wait' && passed < index) {
        // The key comes once OpenSSL has read what stands before.
        passUpTo(index);
        fate = judge(record);
      }
      if (fate === 'refuse') {
        // What stands before may be a record at which OpenSSL fails: then that is the reason, and not our limit.
        if (passed < index) passUpTo(index);
        return fail(new DialFailure('budget-spent', tooSlow, { address }));
      }
      if (fate === 'wait') {
        waiting = records.slice(index);
        return void socket.pause();
      }
    }
    passUpTo(records.length);
  };
  return {
    stream,
    takeSecret(secret) {
      guard.takeSecret(secret);
      const held = waiting;
      waiting = [];
      passOn(held);
      readOn();
    },
  };
}

const nothing = Buffer.alloc(0);
const tooSlow = 'checking the signatures of its certificates takes longer than we allow';
