import { trimSpaces } from './ascii.ts';
import { clip, type SyntaxFault, type Faulty } from './fault.ts';

/** A field of an MTA-STS or TLS reporting record. */
export type Field = {
  readonly name: string;
  readonly value: string;
  readonly at: number;
  readonly valueAt: number;
};

/**
 * True for a record that senders take for one of this version (RFC 8461 §3.1, RFC 8460 §3): the version to the letter, spaces, a semicolon.
 * Others are skipped before the records are counted.
 */
export function hasVersion(text: string, version: string): boolean {
  return new RegExp(`^v=${version}[ \\t]*;`).test(text);
}

/**
 * Reads the fields behind the version: name=value, parted by semicolons with spaces around them, one at the end allowed.
 * The first fault ends the reading: such a record counts as none.
 */
export function parseVersioned(text: string, version: string): { fields: Field[] } | Faulty {
  if (!hasVersion(text, version))
    return { faults: [{ at: 0, term: clip(text, 20), problem: `a record begins with v=${version};` }] };
  const fields: Field[] = [];
  let at = text.indexOf(';') + 1;
  const pieces = text.slice(at).split(';');
  for (const [index, piece] of pieces.entries()) {
    const field = parseField(piece, at, index === pieces.length - 1);
    if (field !== null && 'problem' in field) return { faults: [field] };
    if (field !== null) fields.push(field);
    at += piece.length + 1;
  }
  return { fields };
}

function parseField(piece: string, start: number, isLast: boolean): Field | SyntaxFault | null {
  const { text, skipped } = trimSpaces(piece);
  const at = start + skipped;
  if (text === '')
    return isLast ? null : { at, term: ';', problem: 'there is nothing between two semicolons' };
  const equals = text.indexOf('=');
  const name = text.slice(0, Math.max(equals, 0));
  if (!isFieldName(name))
    return { at, term: clip(text, 80), problem: 'a field is a name, an equals sign and a value' };
  const value = text.slice(equals + 1);
  const valueAt = at + equals + 1;
  const odd = value.search(/[^!-~]/);
  if (value === '' || (odd >= 0 && name !== 'rua'))
    return {
      at: valueAt + Math.max(odd, 0),
      term: clip(text, 80),
      problem: 'a value is one visible ASCII character or more',
    };
  return { name, value, at, valueAt };
}

/** (ALPHA / DIGIT) *31(ALPHA / DIGIT / "_" / "-" / ".") */
export function isFieldName(name: string): boolean {
  return /^[a-z0-9][a-z0-9_.-]{0,31}$/i.test(name);
}
