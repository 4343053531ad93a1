/** What a browser keeps of a Strict-Transport-Security field. */
export type Hsts = { readonly maxAgeS: number; readonly includesSubdomains: boolean };

/**
 * Reads a Strict-Transport-Security field (RFC 6797 §6.1). Enough to know what a browser keeps; security-header-check judges the field itself.
 * @returns undefined where browsers ignore it: without a max-age in digits, or with a directive given twice
 */
export function parseHsts(text: string): Hsts | undefined {
  const directives = new Map<string, string>();
  for (const part of text.split(';')) {
    const [name, value] = splitOnce(part);
    if (name === '') continue;
    if (directives.has(name)) return undefined;
    directives.set(name, value);
  }
  const maxAge = unquote(directives.get('max-age') ?? '');
  return /^\d+$/.test(maxAge)
    ? {
        maxAgeS: Math.min(Number(maxAge), Number.MAX_SAFE_INTEGER),
        includesSubdomains: directives.has('includesubdomains'),
      }
    : undefined;
}

function splitOnce(part: string): readonly [name: string, value: string] {
  const equals = part.indexOf('=');
  return equals === -1
    ? [part.trim().toLowerCase(), '']
    : [part.slice(0, equals).trim().toLowerCase(), part.slice(equals + 1).trim()];
}

function unquote(value: string): string {
  return value.length > 1 && value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : value;
}
