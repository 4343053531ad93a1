import { createPublicKey } from 'node:crypto';
import { isMalformed } from '#shared/model/verdict';
import { type Certificate, isSignedBy } from '../../../certificates/certificate.ts';
import type { Chain } from '../../../certificates/chain.ts';
import {
  parseSignedTimestamps,
  type SignedTimestamp,
} from '../../../certificates/grammar/signed-timestamps.ts';
import {
  isSignedByLog,
  type LogEntry,
  writeCertificateEntry,
  writePrecertificateEntry,
} from '../../../certificates/timestamp-signature.ts';
import type { TransparencyLog } from '../grammar/transparency-logs.ts';

/** A timestamp of the leaf, and what came of the check of its signature. */
export type TimestampRead = Pick<SignedTimestamp, 'logId' | 'at'> & {
  /** null for a log that is not in the list. */
  readonly log: TransparencyLog | null;
  /** Inside the certificate, or in a TLS extension beside it. */
  readonly isEmbedded: boolean;
  /** unknown: the key of the log or of the issuer is not known, or there are more than are checked. */
  readonly signature: 'good' | 'bad' | 'unknown';
};

/** Public certificates carry two to five. */
const checkedAtMost = 16;

/**
 * Reads the timestamps of a chain's leaf.
 * @param sent those that came in a TLS extension, base64
 * @param logs the logs that are known
 */
export function readTimestamps(
  { leaf, trust }: Chain,
  sent: string | null,
  logs: readonly TransparencyLog[],
): readonly TimestampRead[] {
  if (leaf === null) return [];
  const issuer = trust?.path[1];
  const entries: Entries = {
    embedded:
      issuer !== undefined && isSignedBy(leaf, issuer) ? writePrecertificateEntry(leaf, issuer) : null,
    sent: writeCertificateEntry(leaf),
  };
  let left = checkedAtMost;
  const read = (timestamp: SignedTimestamp, place: keyof Entries): TimestampRead => {
    const { logId, at } = timestamp;
    const log = logs.find(({ id }) => id === logId) ?? null;
    const entry = entries[place];
    const isChecked = log !== null && entry !== null && left-- > 0;
    const signature = isChecked ? check(timestamp, entry, log) : 'unknown';
    return { logId, at, log, isEmbedded: place === 'embedded', signature };
  };
  return [
    ...embeddedIn(leaf).map((one) => read(one, 'embedded')),
    ...parseSent(sent).map((one) => read(one, 'sent')),
  ];
}

type Entries = { readonly embedded: LogEntry | null; readonly sent: LogEntry };

function check(timestamp: SignedTimestamp, entry: LogEntry, { key }: TransparencyLog): 'good' | 'bad' {
  const publicKey = createPublicKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' });
  return isSignedByLog(timestamp, entry, publicKey) ? 'good' : 'bad';
}

function embeddedIn({ extensions: { timestamps } }: Certificate): readonly SignedTimestamp[] {
  return timestamps === null || isMalformed(timestamps) ? [] : timestamps;
}

function parseSent(base64: string | null): readonly SignedTimestamp[] {
  const list = parseSignedTimestamps(Buffer.from(base64 ?? '', 'base64'));
  return isMalformed(list) ? [] : list.timestamps;
}

/** Ids of the logs that have signed anything about these certificates. @param lists timestamps that came beside them, base64 */
export function listLogIds(leaves: readonly Certificate[], lists: readonly string[]): readonly string[] {
  return [...leaves.flatMap(embeddedIn), ...lists.flatMap(parseSent)].map(({ logId }) => logId);
}
