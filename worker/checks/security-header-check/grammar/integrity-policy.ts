import { Token } from 'structured-headers';
import { isMalformed } from '#shared/model/verdict';
import { readDictionary } from './structured.ts';

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
