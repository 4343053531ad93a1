import type { FailureCode } from '#shared/model/failure';

export type UdpRequest = {
  readonly host: string;
  readonly port: number;
  /** One of the host's addresses. */
  readonly address: string;
  /** One datagram; it is sent once more after half the time. */
  readonly send: Uint8Array;
  readonly timeoutMs: number;
  /** How much of the first datagram that comes back is kept; what comes after it is not read. */
  readonly limitBytes: number;
};

export type UdpExchange =
  | { readonly kind: 'received'; readonly bytes: Uint8Array; readonly address: string; readonly ms: number }
  /** No answer in time. `isUdpSeen`: answers over UDP do reach this machine, from this host or another. */
  | { readonly kind: 'silent'; readonly address: string; readonly isUdpSeen: boolean }
  | {
      readonly kind: 'failure';
      readonly code: FailureCode;
      readonly reason: string;
      readonly address: string | null;
    };

/** Sends guarded datagrams. Throws only when the run is aborted, or for a defect. */
export interface UdpProbe {
  /** Asks one address of a host by one datagram, twice at most. The socket is closed when the promise settles. */
  exchange(request: UdpRequest): Promise<UdpExchange>;
}
