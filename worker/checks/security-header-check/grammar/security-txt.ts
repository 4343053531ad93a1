/** A line of a security.txt: its name in lower case, its value without spaces around it, its number from 1. */
export type SecurityTxtField = { readonly name: string; readonly value: string; readonly line: number };

/** A security.txt (RFC 9116). */
export type SecurityTxt = {
  readonly fields: readonly SecurityTxtField[];
  /** Numbers of the lines that are neither field nor comment nor empty. */
  readonly faultyLines: readonly number[];
  /** An OpenPGP cleartext signature stands around it; nobody has verified it. */
  readonly signed: boolean;
};

const knownFields: ReadonlySet<string> = new Set(
  'acknowledgments canonical contact csaf encryption expires hiring policy preferred-languages'.split(' '),
);

/** Reads a security.txt. Of a signed one only what the signature covers counts. Linear in the text's length. */
export function parseSecurityTxt(text: string): SecurityTxt {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  const begin = lines.findIndex((line) => line.trimEnd() === '-----BEGIN PGP SIGNED MESSAGE-----');
  const end = lines.findIndex((line) => line.trimEnd() === '-----BEGIN PGP SIGNATURE-----');
  const signed = begin >= 0 && end > begin;
  // Armor headers such as "Hash: SHA512" end with an empty line (RFC 9580 §7).
  const from = signed ? lines.findIndex((line, at) => at > begin && line.trim() === '') : -1;
  const fields: SecurityTxtField[] = [];
  const faultyLines: number[] = [];
  for (let at = from + 1; at < (signed ? end : lines.length); at += 1) {
    const line = readLine(signed ? undash(lines[at] ?? '') : (lines[at] ?? ''));
    if (line === 'faulty') faultyLines.push(at + 1);
    else if (line) fields.push({ ...line, line: at + 1 });
  }
  return { fields, faultyLines, signed };
}

/** The values of a field, in the order sent. */
export function valuesOfField({ fields }: SecurityTxt, name: string): string[] {
  return fields.flatMap((field) => (field.name === name ? [field.value] : []));
}

/** True where at least one field is one that RFC 9116 or its registry knows: any other text has colons too. */
export function hasKnownField({ fields }: SecurityTxt): boolean {
  return fields.some(({ name }) => knownFields.has(name));
}

function readLine(text: string): { readonly name: string; readonly value: string } | 'faulty' | undefined {
  const line = text.trim();
  if (line === '' || line.startsWith('#')) return undefined;
  const colon = line.indexOf(':');
  const name = line.slice(0, Math.max(colon, 0)).toLowerCase();
  const value = line.slice(colon + 1).trim();
  return /^[!-9;-~]+$/.test(name) && value !== '' ? { name, value } : 'faulty';
}

// A signed text has "- " before each line that begins with a dash.
function undash(line: string): string {
  return line.startsWith('- ') ? line.slice(2) : line;
}
