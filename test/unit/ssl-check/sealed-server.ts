import {
  createCipheriv,
  createECDH,
  createPublicKey,
  createSecretKey,
  diffieHellman,
  generateKeyPairSync,
} from 'node:crypto';
import {
  joinBytes,
  numberBytes,
  openCursor,
  vectorBytes,
} from '../../../worker/certificates/grammar/byte-cursor.ts';
import { deriveServerSecret } from '../../../worker/checks/ssl-check/grammar/key-shares.ts';
import { expandLabel, type Sealing, sealings } from '../../../worker/probes/tls/handshake-keys.ts';
import { extension, writeServerFlight } from './write-server-flight.ts';

/** What a server of TLS 1.3 on paper answers to one ClientHello that brings keys. */
export type SealedAnswer = {
  readonly suite: number;
  readonly group: 0x001d | 0x0017;
  /** Handshake messages behind the ServerHello, each with its type. */
  readonly messages: readonly (readonly [type: number, body: Uint8Array])[];
  /** How many bytes of them one record holds; all in one where left out. */
  readonly recordBytes?: number;
};

/** Writes ServerHello, ChangeCipherSpec and sealed records (RFC 8446 §4.1.3, §5.2, §D.4). */
export function answerSealed(hello: Uint8Array, answer: SealedAnswer): Uint8Array {
  const { suite, group, messages, recordBytes = 16_000 } = answer;
  const theirs = readShare(hello, group);
  const { publicKey, shared } = agree(group, theirs);
  const serverHello = writeServerFlight({
    version: 0x0303,
    suite,
    sessionId: hello.subarray(44, 44 + (hello[43] ?? 0)),
    extensions: [extension(43, 3, 4), extension(51, ...numberBytes(group, 2), ...vectorBytes(2, publicKey))],
  });
  const sealing = sealings[suite];
  if (sealing === undefined) throw new Error('no such suite');
  const transcript = joinBytes(hello.subarray(5), serverHello.subarray(5));
  const seal = openSealer(sealing, deriveServerSecret(sealing.hash, shared, transcript));
  const flight = joinBytes(...messages.map(([type, body]) => joinBytes(type, vectorBytes(3, body))));
  const pieces = Array.from({ length: Math.ceil(flight.length / recordBytes) }, (_, index) =>
    flight.subarray(index * recordBytes, (index + 1) * recordBytes),
  );
  return joinBytes(serverHello, [20, 3, 3, 0, 1, 1], ...pieces.map((piece) => seal(22, piece)));
}

function openSealer({ cipher, hash, keyBytes, tagBytes }: Sealing, secret: Uint8Array) {
  const source = { hash, secret: createSecretKey(secret) };
  const key = expandLabel(source, 'key', keyBytes);
  const iv = expandLabel(source, 'iv', 12);
  let sequence = 0;
  return (type: number, content: Uint8Array): Uint8Array => {
    const nonce = Buffer.from(iv);
    nonce.writeUInt32BE((nonce.readUInt32BE(8) ^ sequence) >>> 0, 8);
    sequence += 1;
    // One zero of padding behind the type.
    const inner = joinBytes(content, type, 0);
    const head = joinBytes(23, 3, 3, numberBytes(inner.length + tagBytes, 2));
    const sealer = createCipheriv(cipher as 'aes-128-ccm', key, nonce, { authTagLength: tagBytes });
    sealer.setAAD(head, { plaintextLength: inner.length });
    const sealed = sealer.update(inner);
    sealer.final();
    return joinBytes(head, sealed, sealer.getAuthTag());
  };
}

/** The key of a group in the key_share of a ClientHello. */
function readShare(hello: Uint8Array, group: number): Uint8Array {
  const body = openCursor(hello.subarray(9));
  body.bytes(34);
  body.vector(1);
  body.vector(2);
  body.vector(1);
  const extensions = openCursor(body.vector(2));
  while (extensions.left() > 0) {
    const type = extensions.number(2);
    const content = openCursor(extensions.vector(2));
    const shares = openCursor(type === 51 ? content.vector(2) : new Uint8Array(0));
    while (shares.left() > 0) {
      const id = shares.number(2);
      const key = shares.vector(2);
      if (id === group) return key;
    }
  }
  throw new Error('the hello has no key of this group');
}

function agree(group: number, theirs: Uint8Array): { publicKey: Uint8Array; shared: Uint8Array } {
  if (group === 0x0017) {
    const curve = createECDH('prime256v1');
    return { publicKey: curve.generateKeys(), shared: curve.computeSecret(theirs) };
  }
  const { privateKey, publicKey } = generateKeyPairSync('x25519');
  const x = Buffer.from(theirs).toString('base64url');
  const other = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'X25519', x } });
  const own = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url');
  return { publicKey: own, shared: diffieHellman({ privateKey, publicKey: other }) };
}
