import { joinBytes, numberBytes, openCursor } from '../../../certificates/grammar/byte-cursor.ts';
import { versionNumbers } from './tls-names.ts';

/** The seven ciphers of SSL 2.0, three bytes each (draft-hickman-netscape-ssl-00 §C.4). */
const ciphers = [0x010080, 0x020080, 0x030080, 0x040080, 0x050080, 0x060040, 0x0700c0];

const messageTypes = { clientHello: 1, serverHello: 4 } as const;

/** Writes a CLIENT-HELLO of SSL 2.0, which has a record layer of its own. `challenge` is 16 bytes. */
export function writeSsl2ClientHello(challenge: Uint8Array): Uint8Array {
  const specs = joinBytes(...ciphers.map((cipher) => numberBytes(cipher, 3)));
  const body = joinBytes(
    messageTypes.clientHello,
    numberBytes(versionNumbers.SSLv2, 2),
    numberBytes(specs.length, 2),
    numberBytes(0, 2), // no session to go on with
    numberBytes(challenge.length, 2),
    specs,
    challenge,
  );
  return joinBytes(numberBytes(0x8000 | body.length, 2), body);
}

/** Whether bytes begin a SERVER-HELLO of SSL 2.0 that offers at least one cipher: without any, as patched servers answer, nothing can be agreed on. */
export function isSsl2ServerHello(received: Uint8Array): boolean {
  const cursor = openCursor(received);
  const head = cursor.number(2);
  const type = cursor.number(1);
  cursor.number(2); // session id hit, certificate type
  const version = cursor.number(2);
  cursor.number(2); // certificate length
  const cipherBytes = cursor.number(2);
  return (
    cursor.failedAt() === null &&
    (head & 0x8000) !== 0 &&
    type === messageTypes.serverHello &&
    version === versionNumbers.SSLv2 &&
    cipherBytes > 0
  );
}
