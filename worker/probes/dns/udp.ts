import { randomInt } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { currentRun, markRun } from '../mark.ts';
import { inTurn } from '../turns.ts';

/** Where a query went unanswered. */
export type UdpOutcome =
  | { readonly kind: 'received'; readonly bytes: Buffer }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'unreachable'; readonly code: string };

/** A socket connected to one server: the kernel drops what comes from anywhere else. */
export type UdpSocket = {
  /** Sends the query under a fresh random id, until an answer is accepted or the time is over. */
  readonly exchange: (
    query: Buffer,
    accepts: (bytes: Buffer) => boolean,
    timeoutMs: number,
    signal: AbortSignal,
  ) => Promise<UdpOutcome>;
  readonly asked: () => number;
  readonly pending: () => number;
  readonly close: () => void;
};

type PendingDatagram = {
  readonly accepts: (bytes: Buffer) => boolean;
  readonly settle: (outcome: UdpOutcome) => void;
};

/** Opens a socket to a server. The port is the system's random choice. */
export async function openUdpSocket(address: string, port: number): Promise<UdpSocket> {
  const waiting = new Map<number, PendingDatagram>();
  const socket = createSocket({ type: address.includes(':') ? 'udp6' : 'udp4', recvBufferSize: 1 << 20 });
  let asked = 0;
  socket.unref();
  const failAll = (error: Error & { code?: string }) => {
    for (const { settle } of waiting.values()) settle({ kind: 'unreachable', code: error.code ?? 'unknown' });
  };
  socket.on('error', failAll);
  socket.on('message', (bytes) => {
    const entry = bytes.length < 12 ? undefined : waiting.get(bytes.readUInt16BE(0));
    // What does not answer our question is somebody's guess: go on waiting for the true answer.
    if (entry?.accepts(bytes)) entry.settle({ kind: 'received', bytes });
  });
  await connect(socket, address, port).catch(failAll);

  return {
    exchange(query, accepts, timeoutMs, signal) {
      asked += 1;
      return exchange({ socket, waiting, query, accepts, timeoutMs, signal });
    },
    asked: () => asked,
    pending: () => waiting.size,
    close() {
      failAll(Object.assign(new Error('the socket is closed'), { code: 'ECANCELED' }));
      socket.close();
    },
  };
}

type Sending = {
  readonly socket: Socket;
  readonly waiting: Map<number, PendingDatagram>;
  readonly query: Buffer;
  readonly accepts: (bytes: Buffer) => boolean;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
};

function exchange({ socket, waiting, query, accepts, timeoutMs, signal }: Sending): Promise<UdpOutcome> {
  return new Promise((resolve, reject) => {
    const id = freeId(waiting);
    // The socket is everybody's: whose answer it is, only the question knows.
    const run = currentRun();
    const stop = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      waiting.delete(id);
    };
    const settle = (outcome: UdpOutcome) => {
      stop();
      inTurn(() => resolve(outcome), run);
    };
    const abort = () => {
      stop();
      reject(signal.reason as Error);
    };
    const fail = (error: NodeJS.ErrnoException) =>
      settle({ kind: 'unreachable', code: error.code ?? 'unknown' });
    const timer = setTimeout(() => settle({ kind: 'timeout' }), timeoutMs);
    signal.addEventListener('abort', abort, { once: true });
    const acceptsMarked = (bytes: Buffer) => {
      markRun(run);
      return accepts(bytes);
    };
    waiting.set(id, { accepts: acceptsMarked, settle });
    const packet = Buffer.from(query);
    packet.writeUInt16BE(id, 0);
    try {
      socket.send(packet, (error) => error && fail(error));
    } catch (error) {
      fail(error as NodeJS.ErrnoException); // the socket was never connected: there was no route
    }
  });
}

function connect(socket: Socket, address: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.connect(port, address, () => {
      socket.off('error', reject);
      resolve();
    });
  });
}

function freeId(waiting: ReadonlyMap<number, unknown>): number {
  for (;;) {
    const id = randomInt(0x10000);
    if (!waiting.has(id)) return id;
  }
}
