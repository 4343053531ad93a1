import type { TLSSocket } from 'node:tls';

/** What a connection tells of the network that it goes through. */
export type ConnectionWatch = {
  /** Waits for a handshake, no longer than it can come. Throws DialFailure `not-from-here`. */
  finished(work: Promise<void>): Promise<void>;
  /** Hears of a handshake that ended well. Throws DialFailure `not-from-here` where the certificate is an interceptor's. */
  secured(tls: TLSSocket): Promise<void>;
  /** A failure of it behind the connecting, as the target's or ours. */
  explain(error: unknown): Promise<unknown>;
};
