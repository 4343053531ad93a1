import { readFileSync, statSync } from 'node:fs';
import { domainToASCII } from 'node:url';
import { parseDomain } from '../targets/parse-target.ts';

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

/** A list that was read: its names in lower-case ASCII, and a clause for each line that has no name. */
type ReadNames = { readonly names: ReadonlySet<string>; readonly faults: readonly string[] };

const noAddresses = { allow: [], deny: [] };

/** Reads a list of names, one a line: "example.com", "*.example.com" (the same), "bücher.example."; a # begins a comment. */
export function readDeniedNames(text: string): ReadNames {
  const names = new Set<string>();
  const faults: string[] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const written = line.replace(/#.*$/, '').trim();
    if (written === '') continue;
    const read = readDeniedName(written);
    if ('fault' in read) faults.push(`line ${index + 1}: ${read.fault}`);
    else names.add(read.name);
  }
  return { names, faults };
}

/** Reads one name, which stands for all names below it too. */
export function readDeniedName(text: string): { readonly name: string } | { readonly fault: string } {
  const written = text.replace(/^\*\./, '');
  const [last = ''] = domainToASCII(written.replace(/\.$/, '')).split('.').slice(-1);
  // Names of labs and whole top-level domains are allowed here, though a caller may not ask for them.
  const policy = { addresses: noAddresses, allowedSuffixes: [last], ports: [] };
  const parsed = parseDomain(written, policy);
  return parsed.ok ? { name: parsed.value } : { fault: parsed.fault.why };
}
