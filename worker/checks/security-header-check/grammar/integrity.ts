import { Token } from 'structured-headers';
import { isMalformed } from '#shared/model/verdict';
import { readDictionary } from './structured.ts';

/** Integrity metadata that browsers check: algorithm and base64 digest. */
type IntegrityHash = { readonly algorithm: 'sha256' | 'sha384' | 'sha512'; readonly digest: string };

const algorithms = ['sha256', 'sha384', 'sha512'] as const;

/** The hashes of an integrity attribute that count; words of other algorithms or not in base64 are skipped, options after ? too. */
export function parseIntegrity(text: string): IntegrityHash[] {
  return text.split(/[\t\n\f\r ]+/).flatMap((word) => {
    const [expression = ''] = word.split('?', 1);
    const dash = expression.indexOf('-');
    const algorithm = algorithms.find((one) => one === expression.slice(0, Math.max(dash, 0)).toLowerCase());
    const digest = expression.slice(dash + 1);
    return algorithm && /^[A-Za-z0-9+/_-]+={0,2}$/.test(digest) ? [{ algorithm, digest }] : [];
  });
}

/** True where Integrity-Policy makes browsers refuse scripts without integrity: blocked-destinations has script. */
export function parseBlocksScripts(lines: readonly string[]): boolean {
  const read = readDictionary(lines);
  if (isMalformed(read)) return false;
  const destinations: unknown = read.dictionary.get('blocked-destinations')?.[0];
  return (
    Array.isArray(destinations) &&
    destinations.some(([item]: unknown[]) => item instanceof Token && item.toString() === 'script')
  );
}
