import { createPublicKey, type KeyObject, randomBytes, sign } from 'node:crypto';
import { joinBytes, vectorBytes } from '../../../worker/certificates/grammar/byte-cursor.ts';
import { type Issued, nameOf } from '../../unit/ssl-check/issue-certificate.ts';
import { der, integer, objectIdentifier, sequence, time } from '../../unit/ssl-check/write-der.ts';
import { message, record } from '../../unit/ssl-check/write-server-flight.ts';

const rsaSha256 = sequence(objectIdentifier('1.2.840.113549.1.1.11'), der(0x05));

/** A public RSA key that costs its reader as much as such a key can: random, as long as the modulus allows, and nobody has its other half. */
export function makeCostlyKey(bits: number, exponentBits: number): KeyObject {
  const n = oddNumber(bits, 0x80);
  const e = oddNumber(exponentBits, 0x40);
  return createPublicKey({
    key: { kty: 'RSA', n: n.toString('base64url'), e: e.toString('base64url') },
    format: 'jwk',
  });
}

/** An odd number of so many bits, or one bit less; its first octet is the one given. */
export function oddNumber(bits: number, first: number): Buffer {
  const bytes = randomBytes(bits / 8);
  bytes[0] = first;
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) | 1;
  return bytes;
}

/** A chain in which every certificate names the next one as its issuer, each "signed" with a random number that has to be raised to the exponent to be refused. */
export function makeCostlyChain(length: number, bits: number, exponentBits: number): Uint8Array[] {
  const key = makeCostlyKey(bits, exponentBits).export({ type: 'spki', format: 'der' });
  return Array.from({ length }, (_, at) => {
    const body = sequence(
      der(0xa0, integer(2)),
      integer(0x10, at),
      rsaSha256,
      nameOf(at + 1 === length ? `c${at}` : `c${at + 1}`),
      sequence(time('2026-01-01T00:00:00'), time('2030-01-01T00:00:00')),
      nameOf(`c${at}`),
      key,
    );
    return sequence(body, rsaSha256, der(0x03, joinBytes(0, oddNumber(bits, 0x3f))));
  });
}

/** The flight of TLS 1.2 that makes a client raise numbers in a group of this prime; signed, so that the client believes it. */
export function writeCostlyGroup(hello: Uint8Array, leaf: Issued, prime: Uint8Array): Uint8Array {
  const clientRandom = hello.subarray(11, 43);
  const random = new Uint8Array(32);
  const group = joinBytes(vectorBytes(2, prime), vectorBytes(2, [2]), vectorBytes(2, [5]));
  const signature = sign('sha256', joinBytes(clientRandom, random, group), leaf.key);
  const messages = [
    // DHE_RSA_WITH_AES_128_GCM_SHA256, with the empty renegotiation_info without which OpenSSL goes no further.
    message(2, 3, 3, random, 0, 0x00, 0x9e, 0, vectorBytes(2, Uint8Array.of(0xff, 0x01, 0, 1, 0))),
    message(11, vectorBytes(3, vectorBytes(3, leaf.der))),
    message(12, group, 4, 1, vectorBytes(2, signature)),
    message(14),
  ];
  return joinBytes(...messages.map((bytes) => record(22, bytes)));
}

/** A handshake message over as many records as it takes, the content of each at most so long. */
export function inRecords(bytes: Uint8Array, most = 16_384): Uint8Array {
  const pieces = Array.from({ length: Math.ceil(bytes.length / most) }, (_, at) =>
    record(22, bytes.subarray(at * most, (at + 1) * most)),
  );
  return joinBytes(...pieces);
}

/** A flight of TLS 1.2 with the static RSA exchange and these certificates; most clients look at all of them before they notice anything. */
export function writeChainFlight(certificates: readonly Uint8Array[]): Uint8Array {
  const hello = message(
    2,
    3,
    3,
    new Uint8Array(32),
    0,
    0x00,
    0x9c,
    0,
    vectorBytes(2, Uint8Array.of(0xff, 1, 0, 1, 0)),
  );
  const chain = message(11, vectorBytes(3, ...certificates.map((one) => vectorBytes(3, one))));
  return joinBytes(inRecords(hello), inRecords(chain), inRecords(message(14)));
}
