import {
  createECDH,
  createHash,
  createHmac,
  createPublicKey,
  createSecretKey,
  decapsulate,
  diffieHellman,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto';
import { expandLabel, type Sealing } from '../../../probes/tls/handshake-keys.ts';

/** The public half of a key exchange, as a ClientHello of TLS 1.3 carries it. */
export type KeyShare = { readonly group: number; readonly publicKey: Uint8Array };

/** Keys that were made for the ClientHellos of one run. */
export type KeyShares = {
  /** The public halves for these groups, as far as keys are made for them. */
  readonly of: (groups: readonly number[]) => readonly KeyShare[];
  /** The secret that is shared with a server that chose one of them; null for a group that was not offered, or a point that is none. */
  readonly agree: (share: KeyShare) => Uint8Array | null;
};

const x25519 = 0x001d;
const p256 = 0x0017;
const hybrid = 0x11ec;

/** Groups that keys are made for. */
export const groupsWithKeys: readonly number[] = [hybrid, x25519, p256];

/** Of ML-KEM-768: an encapsulation key, and what a server makes of it (FIPS 203 §8). */
const encapsulationKeyBytes = 1184;
const ciphertextBytes = 1088;

/** Makes keys for the groups that nearly every server has, and for the hybrid of browsers. Each is made when it is first wanted. */
export function makeKeyShares(): KeyShares {
  const curve = createECDH('prime256v1');
  const own = once(() => curve.generateKeys());
  const edwards = once(() => generateKeyPairSync('x25519'));
  const kem = once(() => generateKeyPairSync('ml-kem-768'));
  const x25519Key = () => Buffer.from(edwards().publicKey.export({ format: 'jwk' }).x ?? '', 'base64url');
  const agreeOnX25519 = (theirs: Uint8Array) =>
    diffieHellman({ privateKey: edwards().privateKey, publicKey: readX25519(theirs) });
  /** ML-KEM's part comes first on both ways (draft-ietf-tls-ecdhe-mlkem §4). */
  const agreeOnHybrid = (theirs: Uint8Array) =>
    Buffer.concat([
      decapsulate(kem().privateKey, theirs.subarray(0, ciphertextBytes)),
      agreeOnX25519(theirs.subarray(ciphertextBytes)),
    ]);
  const publicKeys: { readonly [group: number]: () => Uint8Array } = {
    [x25519]: x25519Key,
    [p256]: own,
    [hybrid]: () =>
      Buffer.concat([
        kem().publicKey.export({ format: 'der', type: 'spki' }).subarray(-encapsulationKeyBytes),
        x25519Key(),
      ]),
  };
  return {
    of: (groups) =>
      groups.flatMap((group) => {
        const publicKey = publicKeys[group]?.();
        return publicKey === undefined ? [] : [{ group, publicKey }];
      }),
    agree({ group, publicKey: theirs }) {
      try {
        if (group === p256) return curve.computeSecret(theirs);
        if (group === hybrid) return agreeOnHybrid(theirs);
        return group === x25519 ? agreeOnX25519(theirs) : null;
      } catch {
        return null; // what the server sent is no key of this group
      }
    },
  };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
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
