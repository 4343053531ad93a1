import { createHash, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { joinBytes, numberBytes, vectorBytes } from '../../../worker/certificates/grammar/byte-cursor.ts';
import { extensionIds } from '../../../worker/certificates/grammar/certificate-extensions.ts';
import type { TransparencyLog } from '../../../worker/checks/ssl-check/grammar/transparency-logs.ts';
import { type Before, type Extension, makeKey } from './issue-certificate.ts';
import { der } from './write-der.ts';

/** A log of the tests, and what it signs with. */
type TestLog = TransparencyLog & { readonly privateKey: KeyObject };

const spkiOf = (key: KeyObject) => createPublicKey(key).export({ type: 'spki', format: 'der' });

function makeLog(operator: string, name: string, retiredAt: number | null = null): TestLog {
  const privateKey = makeKey();
  const key = spkiOf(privateKey);
  const id = createHash('sha256').update(key).digest('base64');
  return { id, operator, name, key: key.toString('base64'), retiredAt, privateKey };
}

/** Logs of three operators. */
export const logs = {
  first: makeLog('One', 'First'),
  second: makeLog('One', 'Second'),
  other: makeLog('Two', 'Other'),
  retired: makeLog('Three', 'Retired', Date.parse('2026-02-28T00:00:00Z')),
} as const;

/** The same as evidence has them. */
export const knownLogs: readonly TransparencyLog[] = Object.values(logs).map((one) => {
  const { privateKey: _, ...log } = one;
  return log;
});

/** A log, one whose signature has a wrong bit, or a number: a log that no list has. */
export type Signer = TestLog | { readonly wrong: TestLog } | number;

/** The extension with signed timestamps of October 2026 (RFC 6962 §3.3). */
export function timestamps(...of: readonly Signer[]): Extension {
  return timestampsAt(Date.parse('2026-10-02T00:00:00Z'), ...of);
}

/** The same of another time, in Unix ms. */
export function timestampsAt(at: number, ...of: readonly Signer[]): Extension {
  return {
    id: extensionIds.timestamps,
    value: ({ body, issuerKey }: Before) => {
      const issuerHash = createHash('sha256').update(spkiOf(issuerKey)).digest();
      const entry = joinBytes(0, 1, issuerHash, vectorBytes(3, body));
      return der(4, writeList(at, entry, of));
    },
  };
}

/** A list of timestamps about a whole certificate, as it is sent beside it (RFC 6962 §3.3). */
export function timestampListOf(certificate: Uint8Array, at: number, ...of: readonly Signer[]): string {
  const list = writeList(at, joinBytes(0, 0, vectorBytes(3, certificate)), of);
  return Buffer.from(list).toString('base64');
}

function writeList(at: number, entry: Uint8Array, of: readonly Signer[]): Uint8Array {
  const time = joinBytes(numberBytes(Math.floor(at / 2 ** 32), 4), numberBytes(at % 2 ** 32, 4));
  const signed = joinBytes(0, 0, time, entry, 0, 0);
  const entries = of.map((signer) =>
    vectorBytes(2, 0, idOf(signer), time, 0, 0, 4, 3, vectorBytes(2, signatureOf(signer, signed))),
  );
  return vectorBytes(2, ...entries);
}

function idOf(signer: Signer): Uint8Array {
  if (typeof signer === 'number') return new Uint8Array(32).fill(signer);
  return Buffer.from('wrong' in signer ? signer.wrong.id : signer.id, 'base64');
}

function signatureOf(signer: Signer, signed: Uint8Array): Uint8Array {
  if (typeof signer === 'number') return new Uint8Array(0);
  if (!('wrong' in signer)) return sign('sha256', signed, signer.privateKey);
  const signature = sign('sha256', signed, signer.wrong.privateKey);
  // The last bit of s: the signature still keeps to its grammar.
  signature[signature.length - 1] = (signature.at(-1) ?? 0) ^ 1;
  return signature;
}
