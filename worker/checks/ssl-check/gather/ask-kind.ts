import { createECDH, randomBytes } from 'node:crypto';
import type { OtherKindAnswer } from '../evidence.ts';
import { type KeyKind, schemesOfKind } from '../grammar/key-kind.ts';
import { suiteSets } from '../grammar/suites.ts';
import type { HelloAsker } from './ask-hello.ts';

const x25519 = 0x001d;
const p256 = 0x0017;

/**
 * Asks whether a server of TLS 1.3 goes on with a client that knows one kind of key only: it must choose its certificate before it answers (RFC 8446 §4.4.2.2).
 * The key share is real, or the server would only ask for one; what it encrypts by it is not read.
 * @param accepted groups that the server takes, by number
 */
export async function askTls13Kind(
  asker: HelloAsker,
  kind: KeyKind,
  accepted: readonly number[],
): Promise<OtherKindAnswer> {
  const group = [x25519, p256].find((id) => accepted.includes(id));
  if (group === undefined)
    return { kind: 'unknown', reason: 'the server takes no group for which a key is at hand' };
  const answer = await asker.ask({
    version: 'TLSv1.3',
    suites: suiteSets.tls13,
    groups: [group],
    schemes: schemesOfKind[kind],
    keyShare: { group, key: makeShare(group) },
  });
  if (answer.kind === 'accepted')
    return answer.group === group
      ? { kind: 'hidden' }
      : { kind: 'unknown', reason: 'the server asked for another greeting' };
  if (answer.kind === 'refused' && answer.by === 'alert') return { kind: 'refused' };
  return { kind: 'unknown', reason: `the server did not answer a greeting for ${kind} alone` };
}

/** Any 32 bytes are a public key of X25519 (RFC 7748 §5); one of P-256 must lie on the curve. */
function makeShare(group: number): Uint8Array {
  return group === x25519 ? randomBytes(32) : createECDH('prime256v1').generateKeys();
}
