import { extensionIds } from '../../../worker/certificates/grammar/certificate-extensions.ts';
import { der } from './write-der.ts';

/** Ids of real logs, as log lists write them. */
export const logs = {
  nimbus2026: 'yzj3FYl8hKFEX1vB3fvJbvKaWc1HCmkFhbDLFMMUWOc=',
  nimbus2027: 'TGPcmOWcHauI9h6KPd6uj6tEozd7X5uUw/uhnPzBviY=',
  argon2026h2: '1219ENGn9XfCx+lf1wC/+YLJM1pl4dCzAXMXwMjFaXc=',
  /** Retired on 2026-02-28. */
  oak2026h2: 'rKswcGzr7IQx9BPS9JFfER5CJEOx8qaMTzwrO6ceAsM=',
} as const;

/** The id of a log; a number makes one that no list has. */
type Log = string | number;

/** The extension with signed timestamps of October 2026 (RFC 6962 §3.3). */
export function timestamps(...of: readonly Log[]) {
  return timestampsAt(Date.parse('2026-10-02T00:00:00Z'), ...of);
}

/** The same of another time, in Unix ms. */
export function timestampsAt(at: number, ...of: readonly Log[]) {
  const entries = of.flatMap((log) => entryOf(log, at));
  return {
    id: extensionIds.timestamps,
    value: der(4, [entries.length >> 8, entries.length & 255, ...entries]),
  };
}

/** Version 1, the id, the time, no extensions, and an empty ECDSA signature. */
function entryOf(log: Log, at: number): readonly number[] {
  const id = typeof log === 'number' ? new Uint8Array(32).fill(log) : Buffer.from(log, 'base64');
  const time = Buffer.alloc(8);
  time.writeBigUInt64BE(BigInt(at));
  return [0, 47, 0, ...id, ...time, 0, 0, 4, 3, 0, 0];
}
