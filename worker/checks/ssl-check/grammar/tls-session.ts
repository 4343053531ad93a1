import { derChildren, derTags, parseDer, readSmallInteger } from '../../../certificates/grammar/der.ts';
import { type Malformed, malformed } from '../../../certificates/grammar/malformed.ts';

export type TlsSession = {
  readonly kind: 'session';
  /** How much early data the ticket allows; 0 when it allows none. */
  readonly maxEarlyDataBytes: number;
};

/** The tag of max_early_data in OpenSSL's SSL_SESSION (ssl/ssl_asn1.c): [15], explicit. */
const maxEarlyData = 0xaf;

/**
 * Finds how much early data a session ticket allows in a session as Node serialises it: a header of its own, then OpenSSL's SSL_SESSION in DER.
 * Neither layout is documented, so the DER is looked for where it can begin, and whatever does not fit is malformed: then it is not known.
 */
export function parseTlsSession(session: Uint8Array): TlsSession | Malformed {
  for (let at = 0; at < session.length - 4; at += 1) {
    if (session[at] !== derTags.sequence || session[at + 1] !== 0x82) continue;
    const node = parseDer(session.subarray(at));
    const fields = node.kind === 'der' ? derChildren(node) : [];
    if (fields.length < 5 || fields[0]?.tag !== derTags.integer) continue;
    const limit = fields.find(({ tag }) => tag === maxEarlyData);
    const size = limit === undefined ? 0 : readSmallInteger(derChildren(limit)[0]);
    return size === null
      ? malformed('a limit of early data that is no number', at)
      : { kind: 'session', maxEarlyDataBytes: size };
  }
  return malformed('no session in DER', 0);
}
