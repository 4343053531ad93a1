import { DialFailure } from '../dial-failure.ts';
import type { Dial } from '../guard.ts';
import { collect } from '../tls/collect.ts';
import { readMessage, writeQuery } from './message.ts';
import type { DnsTransfer } from './port.ts';

export type TransferRun = {
  readonly dial: Dial;
  readonly port: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
};

/** Enough for the first message; the rest of the zone is not read. */
const limitBytes = 65_537;

/** Asks one name server for the whole zone (AXFR, RFC 5936) and closes after the first message. Nothing of the zone is kept. */
export async function askTransfer(
  zone: string,
  address: string,
  { dial, port, timeoutMs, signal }: TransferRun,
): Promise<DnsTransfer> {
  const flags = { recursionDesired: false, checkingDisabled: false, dnssecOk: false, edns: false };
  const query = writeQuery(1, { name: zone, type: 'AXFR' }, flags);
  if (!query) return failure('invalid-name', 'the name cannot be asked in the DNS');
  try {
    const { socket } = await dial(address, port, signal);
    try {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(query.length, 0);
      const collected = collect(socket, { isComplete: isMessageWhole, limitBytes, timeoutMs, signal });
      socket.write(Buffer.concat([length, query]));
      const { bytes, ended } = await collected;
      return ended === 'complete' ? readTransfer(Buffer.from(bytes).subarray(2)) : unheard(ended);
    } finally {
      socket.destroy();
    }
  } catch (error) {
    if (error instanceof DialFailure) return failure(error.code, error.reason);
    throw error;
  }
}

function readTransfer(bytes: Buffer): DnsTransfer {
  try {
    const { rcode, answers } = readMessage(bytes, false);
    // A server that gives the zone begins with its SOA; some refuse by an empty answer.
    if (rcode === 'NOERROR' && answers[0]?.type === 'SOA') return { kind: 'open', records: answers.length };
    return { kind: 'refused', rcode };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return failure('malformed-answer', 'the answer is not a DNS message');
  }
}

// Closing the connection is how many servers refuse.
function unheard(ended: 'closed' | 'reset' | 'timeout' | 'limit'): DnsTransfer {
  if (ended === 'closed' || ended === 'reset') return { kind: 'refused', rcode: 'closed' };
  return failure('timeout', 'no answer over TCP in time');
}

function failure(code: Extract<DnsTransfer, { kind: 'failure' }>['code'], reason: string): DnsTransfer {
  return { kind: 'failure', code, reason };
}

function isMessageWhole(received: Uint8Array): boolean {
  return received.length >= 2 && received.length >= 2 + (((received[0] ?? 0) << 8) | (received[1] ?? 0));
}
