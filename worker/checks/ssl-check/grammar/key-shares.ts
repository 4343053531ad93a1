import {
  createECDH,
  createHash,
  createHmac,
  createPublicKey,
  createSecretKey,
  diffieHellman,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto';
import { expandLabel, type Sealing } from '../../../probes/tls/handshake-keys.ts';

/** The public half of a key exchange, as a ClientHello of TLS 1.3 carries it. */
export type KeyShare = { readonly group: number; readonly publicKey: Uint8Array };

/** Keys that were made for one ClientHello. */
export type KeyShares = {
  readonly offered: readonly KeyShare[];
  /** The secret that is shared with a server that chose one of them; null for a group that was not offered, or a point that is none. */
  readonly agree: (share: KeyShare) => Uint8Array | null;
};

const x25519 = 0x001d;
const p256 = 0x0017;

/** Groups that keys are made for. */
export const groupsWithKeys: readonly number[] = [x25519, p256];

/** Makes keys for the two groups that nearly every server has. */
export function makeKeyShares(): KeyShares {
  const { privateKey, publicKey } = generateKeyPairSync('x25519');
  const curve = createECDH('prime256v1');
  const own = curve.generateKeys();
  return {
    offered: [
      { group: x25519, publicKey: Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url') },
      { group: p256, publicKey: own },
    ],
    agree({ group, publicKey: theirs }) {
      try {
        if (group === p256) return curve.computeSecret(theirs);
        return group === x25519 ? diffieHellman({ privateKey, publicKey: readX25519(theirs) }) : null;
      } catch {
        return null; // what the server sent is no key of this group
      }
    },
  };
}

function readX25519(bytes: Uint8Array): KeyObject {
  const x = Buffer.from(bytes).toString('base64url');
  return createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'X25519', x } });
}

/**
 * The secret by which a server seals what follows its hello: server_handshake_traffic_secret without a PSK (RFC 8446 §7.1).
 * @param shared of the key exchange
 * @param messages ClientHello and ServerHello, each with its head
 */
export function deriveServerSecret(
  hash: Sealing['hash'],
  shared: Uint8Array,
  messages: Uint8Array,
): Uint8Array {
  const digest = (bytes: Uint8Array) => createHash(hash).update(bytes).digest();
  const size = digest(messages).length;
  const zeros = new Uint8Array(size);
  const extract = (salt: Uint8Array, secret: Uint8Array) =>
    createSecretKey(createHmac(hash, createSecretKey(salt)).update(secret).digest());
  const early = { hash, secret: extract(zeros, zeros) };
  const salt = expandLabel(early, 'derived', size, digest(new Uint8Array(0)));
  return expandLabel({ hash, secret: extract(salt, shared) }, 's hs traffic', size, digest(messages));
}
