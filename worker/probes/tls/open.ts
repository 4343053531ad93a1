import type { FailureCode } from '#shared/model/failure';
import { DialFailure } from '../dial-failure.ts';
import type { Dial, Dialled } from '../guard.ts';
import { collect } from './collect.ts';
import type { Exchange, ExchangeRequest, HandshakeRequest, TlsProbe } from './port.ts';
import { shakeHands } from './shake-hands.ts';

export type TlsLimits = {
  readonly handshakeMs: number;
  readonly lingerMs: number;
  readonly exchangeBytes: number;
};
export const tlsLimits: TlsLimits = { handshakeMs: 5000, lingerMs: 1000, exchangeBytes: 65_536 };

/** Opens the probe for one run; every socket is destroyed when its promise settles. */
export function openTlsProbe(
  dial: Dial,
  findAddresses: (host: string) => Promise<readonly string[]>,
  limits: TlsLimits,
  signal: AbortSignal,
): TlsProbe {
  let connections = 0;
  const open = async ({ host, port, address }: Endpoint): Promise<Dialled> => {
    connections += 1;
    return dial(host, port, signal, address === undefined ? {} : { address });
  };
  return {
    async addresses(host) {
      const found = await findAddresses(host).catch(asFailure);
      return 'kind' in found ? [] : found;
    },
    async handshake(request) {
      const dialled = await open(request).catch(asFailure);
      if ('kind' in dialled) return { ...dialled, opensslCode: null };
      try {
        return await shakeHands(dialled, { request, limits, signal });
      } finally {
        dialled.socket.destroy();
      }
    },
    async exchange(request): Promise<Exchange> {
      const dialled = await open(request).catch(asFailure);
      if ('kind' in dialled) return dialled;
      return exchangeBytes(dialled, request, limits, signal);
    },
    connections: () => connections,
  };
}

function unanswered(address: string): DialFailure {
  return new DialFailure('tls-timeout', 'nothing came in time', { address });
}

type Endpoint = Pick<HandshakeRequest, 'host' | 'port' | 'address'>;

/** A connection that was not made. */
export type Failure = {
  readonly kind: 'failure';
  readonly code: FailureCode;
  readonly reason: string;
  readonly address: string | null;
};

/** What a DialFailure tells; any other error is thrown again. */
export function asFailure(error: unknown): Failure {
  if (!(error instanceof DialFailure)) throw error;
  return { kind: 'failure', code: error.code, reason: error.reason, address: error.address };
}

async function exchangeBytes(
  { socket, address, times, watch }: Dialled,
  request: ExchangeRequest,
  limits: TlsLimits,
  signal: AbortSignal,
): Promise<Exchange> {
  const limitBytes = Math.min(request.limitBytes, limits.exchangeBytes);
  const collected = collect(socket, {
    isComplete: request.isComplete,
    limitBytes,
    timeoutMs: request.timeoutMs,
    signal,
  });
  socket.write(request.send);
  try {
    const got = await collected;
    const isSilent = got.bytes.length === 0 && got.ended === 'timeout';
    const failure = isSilent ? await watch?.explain(unanswered(address)) : undefined;
    if (failure instanceof DialFailure && failure.code === 'not-from-here') return asFailure(failure);
    return { kind: 'received', ...got, address, ms: performance.now() - times.start };
  } finally {
    socket.destroy();
  }
}
