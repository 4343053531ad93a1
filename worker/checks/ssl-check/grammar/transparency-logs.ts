import { createHash } from 'node:crypto';
import { operators } from './listed-logs.ts';

/** A log, as it stands in evidence too. */
export type TransparencyLog = {
  /** SHA-256 of the public key, base64 (RFC 6962 §3.2). */
  readonly id: string;
  readonly operator: string;
  readonly name: string;
  /** SubjectPublicKeyInfo, DER in base64. */
  readonly key: string;
  /** Unix ms; later timestamps of the log do not count. null for a log in service. */
  readonly retiredAt: number | null;
};

/** SubjectPublicKeyInfo of any key on P-256, up to the point (RFC 5480 §2). */
export const beforePoint = 'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE';

/**
 * The logs whose timestamps Chrome counts. Those that are pending, rejected or for tests are left out, and newer ones are not known here:
 * a log that is not in this table may be accepted all the same.
 */
export const listedLogs: readonly TransparencyLog[] = Object.entries(operators).flatMap(([operator, all]) =>
  all.map(([name, point, retired]) => {
    const key = `${beforePoint}${point}`;
    const id = createHash('sha256').update(Buffer.from(key, 'base64')).digest('base64');
    return { id, operator, name, key, retiredAt: retired === undefined ? null : Date.parse(retired) };
  }),
);

/** Those of the logs with these ids (base64) that are listed, each once. */
export function findLogs(ids: readonly string[]): readonly TransparencyLog[] {
  return listedLogs.filter(({ id }) => ids.includes(id));
}
