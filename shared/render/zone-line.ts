import type { Finding } from '../model/finding.ts';
import { visible } from './visible-text.ts';

export type FixRecord = NonNullable<Finding['fix']['record']>;

/** Longest string of a TXT record in bytes (RFC 1035 §3.3). */
const longestString = 255;

/**
 * The record as a line of a zone file (RFC 1035 §5.1), ready to paste: name with its last dot, TXT text quoted, escaped and
 * cut into strings of 255 bytes. Always one line.
 */
export function zoneLine({ name, type, value }: FixRecord): string {
  const owner = printName(name);
  const data = type.toUpperCase() === 'TXT' ? printText(value) : visible(value);
  return `${owner} IN ${visible(type)} ${data}`;
}

function printName(name: string): string {
  const bytes = Buffer.from(name);
  const text = Array.from(bytes, (byte) =>
    isPlainInName(byte) ? String.fromCharCode(byte) : escapeByte(byte),
  );
  return text.at(-1) === '.' ? text.join('') : `${text.join('')}.`;
}

function printText(value: string): string {
  return quoteText(Buffer.from(value));
}

/** Bytes as the quoted strings of a TXT record, of at most 255 bytes each; one line of ASCII. */
export function quoteText(bytes: Buffer): string {
  const strings: string[] = [];
  for (let at = 0; at < bytes.length || strings.length === 0; at += longestString) {
    const text = Array.from(bytes.subarray(at, at + longestString), (byte) =>
      isPlainInQuotes(byte) ? String.fromCharCode(byte) : escapeByte(byte),
    );
    strings.push(`"${text.join('')}"`);
  }
  return strings.join(' ');
}

function isPlainInName(byte: number): boolean {
  return /[\w.*-]/.test(String.fromCharCode(byte));
}

function isPlainInQuotes(byte: number): boolean {
  return byte >= 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c;
}

/** `\"` and `\\` for themselves, `\DDD` for any other byte. */
function escapeByte(byte: number): string {
  return byte === 0x22 || byte === 0x5c
    ? `\\${String.fromCharCode(byte)}`
    : `\\${String(byte).padStart(3, '0')}`;
}
