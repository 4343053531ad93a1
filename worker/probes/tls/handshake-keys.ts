import { createDecipheriv, createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { joinBytes, vectorBytes } from '../../certificates/grammar/byte-cursor.ts';

/** What a cipher suite of TLS 1.3 seals records with (RFC 8446 §B.4). */
export type Sealing = {
  readonly cipher: 'aes-128-gcm' | 'aes-256-gcm' | 'chacha20-poly1305' | 'aes-128-ccm';
  readonly hash: 'sha256' | 'sha384';
  readonly keyBytes: 16 | 32;
  readonly tagBytes: 8 | 16;
};

/** By the number of the suite. */
export const sealings: { readonly [suite: number]: Sealing } = {
  0x1301: { cipher: 'aes-128-gcm', hash: 'sha256', keyBytes: 16, tagBytes: 16 },
  0x1302: { cipher: 'aes-256-gcm', hash: 'sha384', keyBytes: 32, tagBytes: 16 },
  0x1303: { cipher: 'chacha20-poly1305', hash: 'sha256', keyBytes: 32, tagBytes: 16 },
  0x1304: { cipher: 'aes-128-ccm', hash: 'sha256', keyBytes: 16, tagBytes: 16 },
  0x1305: { cipher: 'aes-128-ccm', hash: 'sha256', keyBytes: 16, tagBytes: 8 },
};

/** What was sealed in a record. */
export type OpenedRecord = { readonly type: number; readonly content: Uint8Array };

/** Opens the records of one direction in the order in which they were sent; gives null for one that this key did not seal. */
export type RecordOpener = (record: Uint8Array) => OpenedRecord | null;

const nonceBytes = 12;
const headBytes = 5;

/**
 * Opens what a server seals between its hello and its Finished (RFC 8446 §5.2, §7.3).
 * @param secret server_handshake_traffic_secret
 */
export function openRecords(sealing: Sealing, secret: Uint8Array): RecordOpener {
  const { cipher, hash, keyBytes, tagBytes } = sealing;
  const source = { hash, secret: createSecretKey(secret) };
  const key = createSecretKey(expandLabel(source, 'key', keyBytes));
  const iv = expandLabel(source, 'iv', nonceBytes);
  let sequence = 0;
  return (record) => {
    // node:crypto throws for a tag of another length.
    if (record.length < headBytes + tagBytes) return null;
    const sealed = record.subarray(headBytes, -tagBytes);
    // The types know one name at a time; GCM and ChaCha20-Poly1305 take the same options.
    const decipher = createDecipheriv(cipher as 'aes-128-ccm', key, nonceOf(iv, sequence), {
      authTagLength: tagBytes,
    });
    sequence += 1;
    decipher.setAuthTag(record.subarray(-tagBytes));
    decipher.setAAD(record.subarray(0, headBytes), { plaintextLength: sealed.length });
    try {
      const opened = decipher.update(sealed);
      decipher.final();
      return withoutPadding(opened);
    } catch {
      return null; // the tag is of another key or another record
    }
  };
}

/** The sequence number is laid over the end of the iv (RFC 8446 §5.3). */
function nonceOf(iv: Uint8Array, sequence: number): Uint8Array {
  const nonce = Buffer.from(iv);
  nonce.writeUInt32BE((nonce.readUInt32BE(nonceBytes - 4) ^ sequence) >>> 0, nonceBytes - 4);
  return nonce;
}

/** The type is the last byte that is not zero (RFC 8446 §5.4). */
function withoutPadding(opened: Uint8Array): OpenedRecord | null {
  const at = opened.findLastIndex((byte) => byte !== 0);
  return at < 0 ? null : { type: opened[at] ?? 0, content: opened.subarray(0, at) };
}

/** A secret of TLS 1.3, and the hash of the suite in which it is expanded. As bytes node:crypto would take four times as long for each use of it. */
export type HandshakeSecret = { readonly hash: Sealing['hash']; readonly secret: KeyObject };

/** HKDF-Expand-Label (RFC 8446 §7.1, RFC 5869 §2.3). @param context a hash of messages, where the label wants one */
export function expandLabel(
  { hash, secret }: HandshakeSecret,
  label: string,
  length: number,
  context: Uint8Array = new Uint8Array(0),
): Uint8Array {
  const info = joinBytes(
    [length >> 8, length & 0xff],
    vectorBytes(1, Buffer.from(`tls13 ${label}`)),
    vectorBytes(1, context),
  );
  let block: Uint8Array = new Uint8Array(0);
  let output: Uint8Array = new Uint8Array(0);
  for (let counter = 1; output.length < length; counter += 1) {
    block = createHmac(hash, secret)
      .update(joinBytes(block, info, counter))
      .digest();
    output = joinBytes(output, block);
  }
  return output.subarray(0, length);
}
