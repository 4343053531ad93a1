import { isAllDigits, trimSpaces } from './ascii.ts';
import { clip } from './fault.ts';
import { isFieldName } from './parse-versioned.ts';

export type StsMode = 'enforce' | 'testing' | 'none';

/** An MTA-STS policy (RFC 8461 §3.2). */
export type StsPolicy = {
  readonly mode: StsMode;
  /** Lower case; "*.example.com" stands for exactly one label more. */
  readonly mx: readonly string[];
  /** Seconds. */
  readonly maxAge: number;
};

/** Where a policy breaks its grammar; the first line is 1, a field that is missing has the last line's number. */
export type PolicyFault = { readonly line: number; readonly problem: string };

const maxAgeLimit = 31_557_600;

type PolicyLine = { readonly key: string; readonly value: string; readonly line: number };

/**
 * Reads a policy file: one "key: value" a line, parted by LF or CRLF. Unknown keys are skipped; of repeated keys but mx the first counts.
 * @param text the body as served
 */
export function parseStsPolicy(text: string): StsPolicy | { readonly fault: PolicyFault } {
  const mark = findMark(text);
  if (mark !== undefined) return { fault: { line: 1, problem: mark } };
  const rows = text.split('\n');
  const lines = rows.flatMap((row, index) => parseLine(row, index + 1));
  const lastLine = Math.max(rows.length - 1, 1);
  for (const [key, isValid, wanted] of fields) {
    const fault = findFault(lines, key, isValid, wanted);
    if (fault) return { fault: { line: fault.line ?? lastLine, problem: fault.problem } };
  }
  const valueOf = (key: string) => lines.find((line) => line.key === key)?.value;
  const mode = modes.find((known) => known === valueOf('mode')) ?? 'none';
  const patterns = new Set(lines.filter(({ key }) => key === 'mx').map(({ value }) => value.toLowerCase()));
  if (mode !== 'none' && patterns.size === 0) return { fault: { line: lastLine, problem: 'mx is missing' } };
  return { mode, mx: [...patterns], maxAge: Number(valueOf('max_age')) };
}

// What editors put before a text, and a text of two octets a character, whose mark is no UTF-8.
function findMark(text: string): string | undefined {
  if (text.startsWith('\ufeff'))
    return 'a byte order mark stands before the first key, which senders then do not know; save the file without it';
  return /^\ufffd?\ufffd?[^\n]?\0/.test(text) ? 'the file is in UTF-16, and must be in UTF-8' : undefined;
}

const modes = ['enforce', 'testing', 'none'] as const;

/** What must be there, by key, and what belongs there. */
const fields: readonly (readonly [key: string, isValid: (value: string) => boolean, wanted: string])[] = [
  ['version', (value) => value === 'STSv1', 'STSv1'],
  ['mode', (value) => modes.some((mode) => mode === value), 'enforce, testing or none'],
  ['max_age', isMaxAge, `seconds from 0 to ${maxAgeLimit}`],
  ['mx', isMxPattern, 'a host name, or *. and a domain'],
];

function findFault(
  lines: readonly PolicyLine[],
  key: string,
  isValid: (value: string) => boolean,
  wanted: string,
): { line: number | null; problem: string } | null {
  const own = lines.filter((line) => line.key === key);
  if (key === 'mx') {
    const odd = own.find(({ value }) => !isValid(value));
    return odd ? { line: odd.line, problem: `mx is ${show(odd)}, not ${wanted}` } : null;
  }
  const [first] = own;
  if (!first) return { line: null, problem: `${key} is missing` };
  return isValid(first.value)
    ? null
    : { line: first.line, problem: `${key} is ${show(first)}, not ${wanted}` };
}

function parseLine(row: string, line: number): PolicyLine[] {
  const text = row.endsWith('\r') ? row.slice(0, -1) : row;
  const colon = text.indexOf(':');
  const key = text.slice(0, Math.max(colon, 0));
  return isFieldName(key) ? [{ key, value: trimSpaces(text.slice(colon + 1)).text, line }] : [];
}

function isMaxAge(value: string): boolean {
  return isAllDigits(value) && value.length <= 10 && Number(value) <= maxAgeLimit;
}

function show({ value }: PolicyLine): string {
  return value === '' ? 'empty' : `"${clip(value, 60)}"`;
}

// ["*."] Domain, which is letters, digits and inner hyphens (RFC 5321 §4.1.2)
function isMxPattern(value: string): boolean {
  const name = value.startsWith('*.') ? value.slice(2) : value;
  return (
    name.length <= 253 &&
    name.split('.').every((label) => /^[a-z0-9](?:[a-z0-9-]{0,62})$/i.test(label) && !label.endsWith('-'))
  );
}

/** True when the policy allows this mail host (RFC 8461 §4.1): the same name, or a wildcard for exactly its first label. */
export function allowsMx({ mx }: StsPolicy, host: string): boolean {
  const name = host.toLowerCase();
  return mx.some((pattern) =>
    pattern.startsWith('*.')
      ? name.slice(name.indexOf('.')) === pattern.slice(1) && name.indexOf('.') > 0
      : pattern === name,
  );
}
