/** A source expression (CSP3 §2.3.1). Schemes and hosts are in lower case; nonces and hashes as written. */
export type CspSource =
  | { readonly kind: 'keyword'; readonly keyword: string }
  | { readonly kind: 'nonce'; readonly value: string }
  | { readonly kind: 'hash'; readonly algorithm: string; readonly value: string }
  | { readonly kind: 'scheme'; readonly scheme: string }
  | {
      readonly kind: 'host';
      readonly scheme: string | null;
      readonly host: string;
      readonly port: string | null;
      readonly path: string | null;
    }
  | { readonly kind: 'invalid'; readonly reason: string };

/** Keywords in single quotes that some browser knows, in lower case. */
export const cspKeywords: ReadonlySet<string> = new Set(
  `self none unsafe-inline unsafe-eval strict-dynamic unsafe-hashes report-sample unsafe-allow-redirects wasm-unsafe-eval
  trusted-types-eval inline-speculation-rules report-sha256 report-sha384 report-sha512 unsafe-webtransport-hashes block allow script
  allow-duplicates`.split(/\s+/),
);

/** Parses one word of a source list. Never fails: what matches nothing is `invalid`. */
export function parseCspSource(text: string): CspSource {
  if (text.startsWith("'")) return parseQuoted(text);
  const colon = text.indexOf(':');
  if (colon > 0 && colon === text.length - 1 && isScheme(text.slice(0, colon)))
    return { kind: 'scheme', scheme: text.slice(0, colon).toLowerCase() };
  return parseHost(text);
}

/** What a word lacks its single quotes for: "self" → true, "nonce-abc" → true. Such words are hosts to a browser. */
export function looksUnquoted(text: string): boolean {
  const lower = text.toLowerCase();
  if (cspKeywords.has(lower)) return !['script', 'block', 'allow'].includes(lower);
  return lower.startsWith('nonce-') || /^sha(256|384|512)-/.test(lower);
}

function parseQuoted(text: string): CspSource {
  if (text.length < 3 || !text.endsWith("'")) return invalid('has an opening quote without its closing one');
  const inner = text.slice(1, -1);
  const lower = inner.toLowerCase();
  if (cspKeywords.has(lower)) return { kind: 'keyword', keyword: lower };
  const dash = inner.indexOf('-');
  const [label, value] = [lower.slice(0, Math.max(dash, 0)), inner.slice(dash + 1)];
  if (label === 'nonce')
    return isBase64(value) ? { kind: 'nonce', value } : invalid('has a nonce that is not base64');
  if (label === 'sha256' || label === 'sha384' || label === 'sha512')
    return isBase64(value)
      ? { kind: 'hash', algorithm: label, value }
      : invalid('has a hash that is not base64');
  return invalid('is no keyword that browsers know');
}

function parseHost(text: string): CspSource {
  const [scheme, rest] = cutBefore(text, text.indexOf('://'), 3);
  const slash = rest.indexOf('/');
  const authority = slash < 0 ? rest : rest.slice(0, slash);
  const path = slash < 0 ? null : rest.slice(slash);
  const colon = authority.lastIndexOf(':');
  const host = (colon < 0 ? authority : authority.slice(0, colon)).toLowerCase();
  const port = colon < 0 ? null : authority.slice(colon + 1);
  const fault = whyInvalid({ scheme, host, port, path });
  return fault === undefined
    ? { kind: 'host', scheme: scheme?.toLowerCase() ?? null, host, port, path }
    : invalid(fault);
}

type HostParts = { scheme: string | null; host: string; port: string | null; path: string | null };

function whyInvalid({ scheme, host, port, path }: HostParts): string | undefined {
  if (scheme !== null && !isScheme(scheme)) return 'has a scheme that is not valid';
  if (path !== null && /[?#]/.test(path))
    return 'has a query or fragment, which no path of a source may have';
  if (host.startsWith('[')) return 'is an IPv6 address, which no source may be';
  if (port !== null && port !== '*' && !/^\d{1,5}$/.test(port)) return 'has a port that is not a number';
  return isHostPattern(host) ? undefined : whyHostIsInvalid(host);
}

function cutBefore(text: string, at: number, length: number): [before: string | null, after: string] {
  return at < 0 ? [null, text] : [text.slice(0, at), text.slice(at + length)];
}

function whyHostIsInvalid(host: string): string {
  if (host === '') return 'has no host';
  if (host.includes('*')) return 'has a wildcard that is not its first label';
  return 'has characters that no host has';
}

function isScheme(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*$/i.test(text);
}

function isHostPattern(host: string): boolean {
  if (host === '*') return true;
  const labels = (host.startsWith('*.') ? host.slice(2) : host).split('.');
  if (labels.length > 1 && labels.at(-1) === '') labels.pop();
  return labels.every((label) => /^[a-z0-9_-]+$/.test(label));
}

function isBase64(text: string): boolean {
  return /^[A-Za-z0-9+/_-]+={0,2}$/.test(text);
}

function invalid(reason: string): CspSource {
  return { kind: 'invalid', reason };
}
