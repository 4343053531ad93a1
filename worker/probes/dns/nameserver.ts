import { classifyAddress } from '#shared/targets/classify-address';
import type { TargetPolicy } from '#shared/targets/parse-target';
import type { AddressSlots } from '../address-slots.ts';
import { type Budget, describeSpent } from '../budget.ts';
import { DialFailure } from '../dial-failure.ts';
import type { Dial } from '../guard.ts';
import { askServer, type Tries } from './ask.ts';
import { flagsOf } from './flags.ts';
import type { DnsAnswer, DnsAskOptions, DnsQuestion } from './port.ts';
import { openUdpSocket, type UdpSocket } from './udp.ts';

export type NameserverSettings = {
  readonly policy: TargetPolicy;
  readonly slots: AddressSlots;
  readonly nameserverPort: number;
  /** Milliseconds of each try; after the last the server counts as silent. */
  readonly nameserverTries: Tries;
  readonly tcpTimeoutMs: number;
};

/** What a run brings to its direct questions. */
export type NameserverRun = {
  readonly settings: NameserverSettings;
  readonly dial: Dial;
  readonly budget: Budget;
  readonly signal: AbortSignal;
  /** The address by which this one is reached from here. */
  readonly via: (address: string) => Promise<string>;
};

/** Asks one name server of a target. Its address is the target's choice: it is judged like any other, and asked on one port only. */
export async function askNameserver(
  address: string,
  question: DnsQuestion,
  options: DnsAskOptions,
  { settings, dial, budget, signal, via }: NameserverRun,
): Promise<DnsAnswer> {
  const verdict = classifyAddress(address, settings.policy.addresses);
  if (verdict.kind === 'refused')
    return {
      kind: 'failure',
      question,
      code: 'target-address-not-allowed',
      reason: 'the name server has an address that is not public',
      server: '',
    };
  const server = { address: verdict.address, port: settings.nameserverPort };
  const release = await settings.slots.take([server.address], signal);
  const socket = await openUdpSocket(await via(server.address), server.port);
  try {
    return await askServer({
      question,
      flags: { ...flagsOf(options), recursionDesired: options.recursionDesired ?? false },
      server,
      tries: settings.nameserverTries,
      tcpTimeoutMs: settings.tcpTimeoutMs,
      transport: options.transport ?? 'udp',
      udp: withinBudget(socket.exchange, server.address, budget),
      openTcp: async () => {
        release(); // the connection takes a place of its own
        return (await dial(server.address, server.port, signal)).socket;
      },
      budget,
      signal,
    });
  } catch (error) {
    if (!(error instanceof DialFailure) || error.code !== 'budget-spent') throw error;
    return { kind: 'failure', question, code: error.code, reason: error.reason, server: server.address };
  } finally {
    socket.close();
    release();
  }
}

/** Charges every packet before it is sent. */
function withinBudget(
  exchange: UdpSocket['exchange'],
  address: string,
  budget: Budget,
): UdpSocket['exchange'] {
  return async (query, accepts, timeoutMs, signal) => {
    if (budget.isSilent(address)) return { kind: 'timeout' };
    const spent = await budget.charge('packets', address, signal);
    if (spent) throw new DialFailure('budget-spent', describeSpent(spent), { address });
    const outcome = await exchange(query, accepts, timeoutMs, signal);
    budget.note(address, outcome.kind === 'timeout' ? 'unanswered' : 'answered');
    return outcome;
  };
}
