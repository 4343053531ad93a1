import type { FailureCode } from '#shared/model/failure';

/** A connection that was not made, or refused before it was made. The target's fault, or its answer: becomes evidence, never a 500. */
export class DialFailure extends Error {
  override readonly name = 'DialFailure';
  readonly code: FailureCode;
  /** A sentence's end, for callers: never an address that was refused. */
  readonly reason: string;
  readonly address: string | null;

  constructor(
    code: FailureCode,
    reason: string,
    more: { readonly address?: string | null; readonly cause?: unknown } = {},
  ) {
    super(`${code}: ${reason}`, { cause: more.cause });
    this.code = code;
    this.reason = reason;
    this.address = more.address ?? null;
  }
}

const socketErrors: { readonly [code: string]: readonly [FailureCode, string] } = {
  ECONNREFUSED: ['connection-refused', 'the connection was refused'],
  ECONNRESET: ['connection-reset', 'the connection was reset'],
  EPIPE: ['connection-reset', 'the connection was reset'],
  ETIMEDOUT: ['connection-timeout', 'the connection could not be made in time'],
  EHOSTUNREACH: ['network-unreachable', 'there is no route to the host'],
  ENETUNREACH: ['network-unreachable', 'there is no route to the network'],
  EADDRNOTAVAIL: ['network-unreachable', 'there is no route to the address'],
  // What Linux makes of the other ICMP messages by which a router or the target itself can end an attempt.
  EHOSTDOWN: ['network-unreachable', 'there is no route to the host'],
  ENONET: ['network-unreachable', 'there is no route to the network'],
  ENETDOWN: ['network-unreachable', 'there is no route to the network'],
  ENOPROTOOPT: ['network-unreachable', 'the host refuses the protocol'],
  EOPNOTSUPP: ['network-unreachable', 'the host refuses the protocol'],
  EACCES: ['network-unreachable', 'the local network forbids the connection'],
  EPERM: ['network-unreachable', 'the local network forbids the connection'],
};

/** What a system error of a socket means; undefined for errors that are no fault of the target: let those rise. */
export function readSocketError(error: unknown): readonly [FailureCode, string] | undefined {
  // Happy eyeballs reports one AggregateError for all addresses; the last attempt speaks for them.
  if (error instanceof AggregateError) return readSocketError(error.errors.at(-1));
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return Object.hasOwn(socketErrors, code) ? socketErrors[code] : undefined;
}
