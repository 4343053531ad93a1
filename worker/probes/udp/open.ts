import { createSocket, type Socket } from 'node:dgram';
import { DialFailure } from '../dial-failure.ts';
import { type Admission, type AdmissionSettings, admit, asDialFailure, judgePeer } from '../guard.ts';
import { currentRun, markRun } from '../mark.ts';
import type { UdpExchange, UdpProbe, UdpRequest } from './port.ts';

/**
 * Whether any datagram of a target has ever come back to this worker, also an ICMP refusal. DNS does not count:
 * many networks let port 53 pass and no other.
 */
export type UdpReach = { isSeen: boolean };

/** Opens the probe for one run. Addresses are judged, charged and given places as for TCP. @param reach kept over all runs of a worker */
export function openUdpProbe(settings: AdmissionSettings, reach: UdpReach, signal: AbortSignal): UdpProbe {
  return {
    async exchange(request) {
      const { host, port, address } = request;
      try {
        const admitted = await admit(settings, { host, port, choice: { address } }, signal);
        const start = performance.now();
        const bytes = await ask(request, admitted, settings, signal);
        if (bytes === null) return { kind: 'silent', address, isUdpSeen: reach.isSeen };
        reach.isSeen = true;
        return { kind: 'received', bytes, address, ms: performance.now() - start };
      } catch (error) {
        const failure = asFailure(error);
        if (failure.code === 'connection-refused') reach.isSeen = true;
        return failure;
      }
    },
  };
}

function asFailure(error: unknown): Extract<UdpExchange, { kind: 'failure' }> {
  if (!(error instanceof DialFailure)) throw error;
  return { kind: 'failure', code: error.code, reason: error.reason, address: error.address };
}

async function ask(
  request: UdpRequest,
  { addresses, dialledPort, release }: Admission,
  { policy }: AdmissionSettings,
  signal: AbortSignal,
): Promise<Uint8Array | null> {
  const { address } = request;
  const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4');
  try {
    // The kernel drops what comes to a connected socket from anywhere else.
    await connect(socket, dialledPort, address);
    judgePeer(socket.remoteAddress().address, addresses, policy, () => undefined);
    return await exchange(socket, request, signal);
  } catch (error) {
    throw asNetworkFailure(error, address);
  } finally {
    socket.close();
    release();
  }
}

/** Whatever the system says of a datagram is an answer: the target chooses it, by ICMP. */
function asNetworkFailure(error: unknown, address: string): unknown {
  if (!(error instanceof Error) || !('syscall' in error)) return error;
  const known = asDialFailure(error, address);
  if (known instanceof DialFailure) return known;
  const reason = 'the network did not take the datagram';
  return new DialFailure('network-unreachable', reason, { address, cause: error });
}

/** Rejects where there is no way to the address, as without IPv6. */
function connect(socket: Socket, port: number, address: string): Promise<void> {
  return new Promise((resolve, reject) => {
    // Node gives the failure to the callback, whatever its types say, and no event is sent.
    const settle = (error?: Error) => (error === undefined ? resolve() : reject(error));
    socket.connect(port, address, settle);
  });
}

/** The first datagram that comes back, cut to the limit; null when none comes in time. */
function exchange(
  socket: Socket,
  { send, timeoutMs, limitBytes }: UdpRequest,
  signal: AbortSignal,
): Promise<Uint8Array | null> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      clearTimeout(again);
      signal.removeEventListener('abort', abort);
      socket.off('message', take).off('error', fail);
      // Whatever comes between the end of our interest and the close must not become an unhandled 'error' event.
      socket.on('error', () => undefined);
    };
    const settle = (bytes: Uint8Array | null) => {
      stop();
      resolve(bytes);
    };
    const run = currentRun();
    const take = (datagram: Buffer) => {
      markRun(run);
      settle(Uint8Array.from(datagram.subarray(0, limitBytes)));
    };
    const fail = (error: Error) => {
      stop();
      reject(error);
    };
    const abort = () => fail(signal.reason as Error);
    const sendIt = () => socket.send(send, (error) => error && fail(error));
    const timer = setTimeout(() => settle(null), timeoutMs);
    const again = setTimeout(sendIt, timeoutMs / 2);
    signal.addEventListener('abort', abort, { once: true });
    socket.on('message', take).on('error', fail);
    if (signal.aborted) return abort();
    sendIt();
  });
}
