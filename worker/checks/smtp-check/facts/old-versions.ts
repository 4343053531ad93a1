import type { AddressObservation } from '../evidence.ts';
import { isHandshakeFailed } from './start-tls.ts';

/** Whether TLS 1.0 or 1.1 is still accepted; with the version that was agreed on. */
export type OldVersions =
  | { readonly kind: 'accepted'; readonly protocol: string }
  | { readonly kind: 'refused' }
  | { readonly kind: 'unknown'; readonly reason: string };

const old: readonly string[] = ['TLSv1', 'TLSv1.1'];

/** Reads the second conversation of an address. */
export function readOldVersions({
  first,
  second,
}: Pick<AddressObservation, 'first' | 'second'>): OldVersions {
  const handshakes = [first, second?.talk].flatMap((talk) =>
    talk?.kind === 'talked' && talk.handshake?.kind === 'connected' ? [talk.handshake.protocol] : [],
  );
  const accepted = handshakes.find((protocol) => old.includes(protocol));
  if (accepted !== undefined) return { kind: 'accepted', protocol: accepted };
  if (second?.offer !== 'old') return { kind: 'unknown', reason: 'there was no connection left to ask with' };
  const { talk } = second;
  if (talk.kind === 'failure') return { kind: 'unknown', reason: talk.reason };
  return isHandshakeFailed(talk) &&
    talk.handshake?.kind === 'failure' &&
    refusals.includes(talk.handshake.code)
    ? { kind: 'refused' }
    : { kind: 'unknown', reason: 'the host did not talk to us again' };
}

/** How servers that have no such version end the handshake. */
const refusals: readonly string[] = ['tls-failed', 'connection-closed', 'connection-reset'];
