import { openCursor } from './byte-cursor.ts';
import { type Malformed, malformed } from './malformed.ts';

/** One signed certificate timestamp; `isSignedByLog` checks its signature. */
export type SignedTimestamp = {
  /** Base64 of the log's id, as log lists write it. */
  readonly logId: string;
  /** Unix ms at which the log promised to publish. */
  readonly at: number;
  /** Extensions of the timestamp itself, as they are signed. */
  readonly extensions: Uint8Array;
  /** Hash and signature algorithm in two bytes: 0x0403 is ECDSA with SHA-256. */
  readonly algorithm: number;
  readonly signature: Uint8Array;
};

export type SignedTimestamps = {
  readonly kind: 'timestamps';
  readonly timestamps: readonly SignedTimestamp[];
};

/** Reads a SignedCertificateTimestampList (RFC 6962 §3.3). Entries of a version other than v1 are passed over. */
export function parseSignedTimestamps(bytes: Uint8Array): SignedTimestamps | Malformed {
  const outer = openCursor(bytes);
  const list = openCursor(outer.vector(2));
  if (outer.failedAt() !== null || outer.left() > 0) return malformed('a list of another length', 0);
  const timestamps: SignedTimestamp[] = [];
  while (list.left() > 0) {
    const at = list.at();
    const entry = openCursor(list.vector(2));
    const version = entry.number(1);
    if (list.failedAt() !== null) return malformed('an entry that runs past the end', 2 + at);
    if (version !== 0) continue;
    const logId = Buffer.from(entry.bytes(32)).toString('base64');
    const time = entry.number(4) * 2 ** 32 + entry.number(4);
    const extensions = entry.vector(2);
    const algorithm = entry.number(2);
    const signature = entry.vector(2);
    if (entry.failedAt() !== null || entry.left() > 0) return malformed('an entry of another length', 2 + at);
    timestamps.push({ logId, at: time, extensions, algorithm, signature });
  }
  return { kind: 'timestamps', timestamps };
}
