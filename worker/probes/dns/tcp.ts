import type { Socket } from 'node:net';
import { largestAnswerBytes } from '../answer-room.ts';
import { type Budget, describeSpent, type SpentBudget } from '../budget.ts';
import { type Collected, collect } from '../tls/collect.ts';

/** The part of a run's budget that bounds what is read. */
export type AnswerBudget = Pick<Budget, 'receive' | 'reserve'>;

export type TcpOutcome =
  | { readonly kind: 'received'; readonly bytes: Buffer }
  | { readonly kind: 'failed' | 'spent'; readonly reason: string };

export type TcpRun = {
  readonly budget: AnswerBudget;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
};

/** Asks one question over a connection of its own (RFC 7766 framing). Rejects when it cannot be opened. */
export async function askOverTcp(
  open: () => Promise<Socket>,
  query: Buffer,
  run: TcpRun,
): Promise<TcpOutcome> {
  const { message, ended, spent } = await readFirst(open, query, run);
  if (message) return { kind: 'received', bytes: message };
  if (spent) return { kind: 'spent', reason: describeSpent(spent) };
  return {
    kind: 'failed',
    reason: ended === 'timeout' ? 'no answer over TCP in time' : 'the TCP connection ended before the answer',
  };
}

/** The first message, where it came whole, and how its reading ended. */
export type FirstMessage = Pick<Collected, 'ended'> & {
  readonly message: Buffer | undefined;
  readonly spent: SpentBudget | undefined;
};

/** Opens a connection, asks, reads until the first message is whole or the run may read no more, and destroys it. */
export async function readFirst(
  open: () => Promise<Socket>,
  query: Buffer,
  run: TcpRun,
): Promise<FirstMessage> {
  const giveBack = await run.budget.reserve(run.signal);
  if (typeof giveBack === 'object') return { message: undefined, ended: 'limit', spent: giveBack };
  try {
    return await exchange(await open(), query, run);
  } finally {
    giveBack();
  }
}

async function exchange(
  socket: Socket,
  query: Buffer,
  { budget, timeoutMs, signal }: TcpRun,
): Promise<FirstMessage> {
  let counted = 0;
  let spent: SpentBudget | undefined;
  const isComplete = (received: Uint8Array): boolean => {
    spent = budget.receive(received.length - counted);
    counted = received.length;
    return spent !== undefined || isWhole(received);
  };
  try {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(query.length, 0);
    const collected = collect(socket, { isComplete, limitBytes: largestAnswerBytes, timeoutMs, signal });
    socket.write(Buffer.concat([length, query]));
    const { bytes, ended } = await collected;
    const message = isWhole(bytes) ? Buffer.from(bytes).subarray(2, 2 + lengthOf(bytes)) : undefined;
    return { message, ended, spent };
  } finally {
    socket.destroy();
  }
}

function isWhole(received: Uint8Array): boolean {
  return received.length >= 2 && received.length >= 2 + lengthOf(received);
}

function lengthOf(received: Uint8Array): number {
  return ((received[0] ?? 0) << 8) | (received[1] ?? 0);
}
