import { Token } from 'structured-headers';
import { isMalformed, type Malformed } from '#shared/model/verdict';
import { readDictionary } from './structured.ts';

/** Feature → whether it is open to every frame. A Map: feature names are the target's. */
export type PermissionsPolicy = {
  readonly features: ReadonlyMap<string, { readonly wildcard: boolean }>;
};

/**
 * Parses all Permissions-Policy lines together as a structured dictionary (RFC 9651 §3.2).
 * Browsers drop the whole header when it does not parse.
 */
export function parsePermissionsPolicy(lines: readonly string[]): PermissionsPolicy | Malformed {
  const read = readDictionary(lines);
  if (isMalformed(read)) return read;
  const features = new Map<string, { wildcard: boolean }>();
  for (const [feature, [value]] of read.dictionary) {
    const items: readonly unknown[] = Array.isArray(value) ? value.map(([item]) => item) : [value];
    features.set(feature, { wildcard: items.some(isStar) });
  }
  return { features };
}

/** True for the syntax of the older Feature-Policy: semicolons between features, quoted 'self' and 'none'. */
export function isFeaturePolicySyntax(text: string): boolean {
  return text.includes(';') || /'(?:self|none|src)'/.test(text) || /^\s*[a-z-]+ [^=]*$/.test(text);
}

function isStar(item: unknown): boolean {
  return item instanceof Token && item.toString() === '*';
}
