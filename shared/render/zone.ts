import type { Finding } from '../model/finding.ts';
import { block, type Markup, markup, nothing } from './markup.ts';
import { cut, jsonText, visible } from './visible-text.ts';

type FixRecord = NonNullable<Finding['fix']['record']>;

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
function quoteText(bytes: Buffer): string {
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

type Records = { readonly [type: string]: readonly { readonly data?: unknown; readonly ttl: number }[] };

const mostRecords = 100;
const longestData = 2000;
/** Fields of a record that are names, and so end with a dot in a zone file. */
const nameFields = new Set(['exchange', 'mname', 'rname', 'target']);

/** The records that were seen, as lines of a zone file (RFC 1035 §5.1). Nothing where there are none. */
export function zoneFile(owner: string, records: Records): Markup {
  const lines = Object.entries(records).flatMap(([type, all]) =>
    all.map(
      ({ data, ttl }) =>
        `${visible(cut(owner, 253))}. ${ttl} IN ${visible(cut(type, 20))} ${printData(type, data)}`,
    ),
  );
  if (lines.length === 0) return nothing;
  const left = lines.length - mostRecords;
  return markup`<section class="picture"><h2>Records</h2>
<pre tabindex="0" aria-label="Records as a zone file"><code>${block(lines.slice(0, mostRecords).join('\n'))}</code></pre>${left > 0 ? markup`<p class="more">… ${left} more</p>` : nothing}</section>
`;
}

function printData(type: string, data: unknown): string {
  if (typeof data === 'string') return visible(cut(isNameType(type) ? `${data}.` : data, longestData));
  if (typeof data !== 'object' || data === null) return visible(cut(jsonText(data ?? null), longestData));
  const fields = Object.entries(data);
  const strings: unknown = Object.hasOwn(data, 'strings')
    ? (data as { strings: unknown }).strings
    : undefined;
  if (Array.isArray(strings)) return cut(strings.map((text) => quote(String(text))).join(' '), longestData);
  return cut(
    fields
      // A key's tag is worked out from the key; it is no field of the record.
      .filter(([name]) => type !== 'DNSKEY' || name !== 'keyTag')
      .map(([name, value]) => printField(type, name, value))
      .join(' '),
    longestData,
  );
}

function printField(type: string, name: string, value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') return visible(jsonText(value));
  if (nameFields.has(name)) return value === '' ? '.' : `${visible(value)}.`;
  return type === 'CAA' && name === 'value' ? quote(value) : visible(value);
}

// The report has one character for each byte.
function quote(text: string): string {
  return quoteText(Buffer.from(text, 'latin1'));
}

function isNameType(type: string): boolean {
  return ['NS', 'CNAME', 'DNAME', 'PTR'].includes(type);
}
