import { readFileSync, statSync } from 'node:fs';
import { readDeniedNames } from '../targets/read-denied-names.ts';

/** A list of a million names is smaller. */
const mostBytes = 33_554_432;

type ReadDenyFile = { readonly names: ReadonlySet<string> } | { readonly fault: string };

/**
 * Reads a file of names. Without a name and without a comment it is a fault: that is how a file looks while it is written, and how a
 * mistake looks; who wants an empty list leaves a comment in it.
 */
export function readDenyFile(path: string): ReadDenyFile {
  try {
    const { size } = statSync(path);
    if (size > mostBytes) return { fault: `is larger than ${mostBytes} bytes` };
    const text = readFileSync(path, 'utf8');
    if (text.trim() === '')
      return { fault: 'names an empty file; leave a # comment in a list without names' };
    const { names, faults } = readDeniedNames(text);
    return faults.length === 0 ? { names } : { fault: faults.slice(0, 3).join('; ') };
  } catch (error) {
    return { fault: `cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})` };
  }
}
