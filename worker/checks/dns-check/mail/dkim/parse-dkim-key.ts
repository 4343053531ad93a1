import { createPublicKey, type KeyObject } from 'node:crypto';
import { clip, type SyntaxFault, type Faulty } from '../../../../mail/fault.ts';
import { findRepeated, parseTagList } from '../text/tag-list.ts';

/** A DKIM key record (RFC 6376 §3.6.1). */
export type DkimKey = {
  readonly text: string;
  readonly keyType: string;
  /** Base64 without spaces; empty where the key is revoked. */
  readonly key: string;
  readonly isTesting: boolean;
  /** Lower case; empty where all are allowed. */
  readonly hashes: readonly string[];
  readonly services: readonly string[];
};

/**
 * Reads a key record. Unknown tags are skipped; a fault anywhere makes a verifier answer permfail.
 * @param text the strings of the TXT record joined without a space
 */
export function parseDkimKey(text: string): DkimKey | Faulty {
  const { tags, faults } = parseTagList(text);
  const values = new Map(tags.map(({ name, value }) => [name, value]));
  const all = [
    ...faults,
    ...findVersionFaults(tags),
    ...findDuplicateFaults(tags),
    ...findKeyFaults(tags, text.length),
  ];
  const [first, ...others] = all.sort((a, b) => a.at - b.at);
  if (first) return { faults: [first, ...others] };
  return {
    text,
    keyType: (values.get('k') ?? 'rsa').toLowerCase(),
    key: (values.get('p') ?? '').replace(/[ \t\r\n]/g, ''),
    isTesting: splitList(values.get('t')).includes('y'),
    hashes: splitList(values.get('h')),
    services: splitList(values.get('s')),
  };
}

/** True for a text that means to be a DKIM key: its version says so, or it has a key. */
export function isDkimKey(text: string): boolean {
  const { tags } = parseTagList(text);
  // Names in capitals, or with quotes before them, are meant all the same, and wrong.
  return tags.some(
    ({ name, value }) =>
      name.toLowerCase() === 'p' || (name.toLowerCase() === 'v' && value.toUpperCase() === 'DKIM1'),
  );
}

type Tags = ReturnType<typeof parseTagList>['tags'];

// RFC 6376 §3.6.1: v must come first where it is there at all, and be exactly DKIM1.
function findVersionFaults(tags: Tags): SyntaxFault[] {
  const index = tags.findIndex(({ name }) => name === 'v');
  const tag = tags[index];
  if (!tag || (index === 0 && tag.value === 'DKIM1')) return [];
  const problem = index > 0 ? 'v must come first' : `"${clip(tag.value, 20)}" is not the version DKIM1`;
  return [{ at: tag.at, term: 'v', problem }];
}

function findDuplicateFaults(tags: Tags): SyntaxFault[] {
  return findRepeated(tags).map(({ second }) => ({
    at: second.at,
    term: second.name,
    problem: `the tag ${clip(second.name, 20)} is in the record more than once`,
  }));
}

function findKeyFaults(tags: Tags, end: number): SyntaxFault[] {
  if (tags.some(({ name }) => name === 'p')) return [];
  const wrong = tags.find(({ name }) => name === 'P');
  return wrong
    ? [
        {
          at: wrong.at,
          term: 'P',
          problem: 'the tag p, the key, is written P; names of tags are in small letters',
        },
      ]
    : [{ at: end, term: '', problem: 'the tag p, the key, is missing' }];
}

function splitList(value: string | undefined): string[] {
  if (value === undefined) return [];
  return value
    .toLowerCase()
    .split(':')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** How strong a key is, or why it is none, as a sentence's end. Only rsa and ed25519 keys can be measured. */
export function measureDkimKey({ keyType, key }: DkimKey): { bits: number } | { problem: string } {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(key) || key.replace(/=+$/, '').length % 4 === 1)
    return { problem: 'is not base64' };
  const bytes = Buffer.from(key, 'base64');
  // RFC 8463 §4: the 32 bytes of the key itself, without ASN.1 around them.
  if (keyType === 'ed25519')
    return bytes.length === 32
      ? { bits: 256 }
      : { problem: `has ${bytes.length} bytes, an ed25519 key has 32` };
  const bits = readRsa(bytes)?.asymmetricKeyDetails?.modulusLength;
  return bits === undefined ? { problem: 'is not an RSA public key' } : { bits };
}

// RFC 6376 §3.6.1 wants an RSAPublicKey (PKCS #1); all the world publishes a SubjectPublicKeyInfo, as the RFC's own example does.
function readRsa(bytes: Buffer): KeyObject | null {
  for (const type of ['spki', 'pkcs1'] as const) {
    try {
      const key = createPublicKey({ key: bytes, format: 'der', type });
      if (key.asymmetricKeyType === 'rsa') return key;
    } catch {
      // Not of this form; the key is the target's, and a broken one is a finding.
    }
  }
  return null;
}
