/**
 * The max-age of a Strict-Transport-Security value in seconds, or null when browsers ignore the field (RFC 6797 §6.1): a name that is no token,
 * a directive twice, a value that is neither token nor quoted string. Enough for the grade; security-header-check judges the field itself.
 */
export function readMaxAge(value: string): number | null {
  const directives = new Map<string, string>();
  for (const piece of splitDirectives(value)) {
    const equals = piece.indexOf('=');
    const name = (equals < 0 ? piece : piece.slice(0, equals)).trim().toLowerCase();
    const read = equals < 0 ? '' : unquote(piece.slice(equals + 1).trim());
    if (name === '' && equals < 0) continue;
    if (!isToken(name) || directives.has(name) || read === null) return null;
    directives.set(name, read);
  }
  const seconds = directives.get('max-age') ?? '';
  return /^\d{1,15}$/.test(seconds) ? Number(seconds) : null;
}

/** Cuts at semicolons outside of quotes. */
function splitDirectives(value: string): readonly string[] {
  const pieces: string[] = [];
  let start = 0;
  let isQuoted = false;
  for (let at = 0; at < value.length; at += 1) {
    if (isQuoted && value[at] === '\\') at += 1;
    else if (value[at] === '"') isQuoted = !isQuoted;
    else if (value[at] === ';' && !isQuoted) {
      pieces.push(value.slice(start, at));
      start = at + 1;
    }
  }
  return [...pieces, value.slice(start)];
}

/** A token as it is, a quoted string without its quotes; null for neither. */
function unquote(text: string): string | null {
  if (isToken(text)) return text;
  const inner = text.slice(1, -1);
  const isQuoted = text.length >= 2 && text.startsWith('"') && text.endsWith('"');
  return isQuoted && !inner.replaceAll(/\\./g, '').match(/["\\]/) ? inner.replaceAll(/\\(.)/g, '$1') : null;
}

function isToken(text: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(text);
}
