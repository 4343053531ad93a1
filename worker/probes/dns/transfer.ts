import { describeSpent } from '../budget.ts';
import { DialFailure } from '../dial-failure.ts';
import type { Dial } from '../guard.ts';
import { readMessage, writeQuery } from './message.ts';
import type { DnsTransfer } from './port.ts';
import { type AnswerBudget, type FirstMessage, readFirst } from './tcp.ts';

export type TransferRun = {
  readonly dial: Dial;
  readonly port: number;
  readonly budget: AnswerBudget;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
};

/** Asks one name server for the whole zone (AXFR, RFC 5936) and closes after the first message. Nothing of the zone is kept. */
export async function askTransfer(
  zone: string,
  address: string,
  { dial, port, budget, timeoutMs, signal }: TransferRun,
): Promise<DnsTransfer> {
  const flags = { recursionDesired: false, checkingDisabled: false, dnssecOk: false, edns: false };
  const query = writeQuery(1, { name: zone, type: 'AXFR' }, flags);
  if (!query) return failure('invalid-name', 'the name cannot be asked in the DNS');
  try {
    const open = async () => (await dial(address, port, signal)).socket;
    const { message, ended, spent } = await readFirst(open, query, { budget, timeoutMs, signal });
    if (message) return readTransfer(message);
    return spent ? failure('budget-spent', describeSpent(spent)) : unheard(ended);
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
function unheard(ended: FirstMessage['ended']): DnsTransfer {
  if (ended === 'closed' || ended === 'reset') return { kind: 'refused', rcode: 'closed' };
  return failure('timeout', 'no answer over TCP in time');
}

function failure(code: Extract<DnsTransfer, { kind: 'failure' }>['code'], reason: string): DnsTransfer {
  return { kind: 'failure', code, reason };
}
