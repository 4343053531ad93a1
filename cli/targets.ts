import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { UsageError } from './outcome.ts';

export type TargetKind = 'domain' | 'url';

/** The names of a first column, as lists are exported. */
const heading = /^(?:domain|domains|url|urls|host|hostname|name|target|website|site)$/i;

/**
 * The target of a line of a list: the first column of a CSV file, a domain or a URL, in the form that the check takes.
 * Undefined for an empty line, a comment ("# …") and, where it is the first line, a column's heading.
 * @returns "example.com" for a check of domains, "https://example.com" for one of URLs, from either of both
 */
export function readTargetLine(line: string, kind: TargetKind, isFirst: boolean): string | undefined {
  const text = firstColumn(line.replace(/^\ufeff/, '').trim());
  if (text === '' || text.startsWith('#') || (isFirst && heading.test(text))) return undefined;
  return toKind(text, kind);
}

/** A target as a person writes it, in the form that the check takes. What is neither domain nor URL stays, for the service to refuse. */
export function toKind(text: string, kind: TargetKind): string {
  const isUrl = /^https?:\/\//i.test(text);
  if (kind === 'url')
    return isUrl || !/^[^\s:/@]+\.[^\s:/@]+(?:[:/].*)?$/.test(text) ? text : `https://${text}`;
  return isUrl ? (URL.parse(text)?.hostname ?? text) : text;
}

function firstColumn(line: string): string {
  const [, quoted] = /^"((?:[^"]|"")*)"(?:[,;\t]|$)/.exec(line) ?? [];
  if (quoted !== undefined) return quoted.replaceAll('""', '"').trim();
  return (line.split(/[,;\t]/, 1)[0] ?? '').trim();
}

/** Every target of the arguments, then of the file ("-" is stdin), each once. Throws UsageError for an empty argument, and for a file that cannot be read. */
export async function* readTargets(
  args: readonly string[],
  file: string | undefined,
  kind: TargetKind,
): AsyncGenerator<string, void, void> {
  requireNames(args);
  const known = new Set<string>();
  for await (const target of allTargets(args, file, kind)) {
    if (known.has(target)) continue;
    known.add(target);
    yield target;
  }
}

// As a shell gives it for a variable that is not set.
function requireNames(args: readonly string[]): void {
  if (args.some((text) => text.trim() === ''))
    throw new UsageError('A target is empty. Name a domain or a URL.');
}

async function* allTargets(args: readonly string[], file: string | undefined, kind: TargetKind) {
  for (const text of args) yield toKind(text.trim(), kind);
  if (file === undefined) return;
  const input = file === '-' ? process.stdin : createReadStream(file);
  let isFirst = true;
  try {
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      const target = readTargetLine(line, kind, isFirst);
      isFirst = false;
      if (target !== undefined) yield target;
    }
  } catch (error) {
    throw new UsageError(`-f: ${(error as Error).message}`);
  }
}

/** How many targets there are; undefined where that is known only at the end of stdin. */
export async function countTargets(
  args: readonly string[],
  file: string | undefined,
  kind: TargetKind,
): Promise<number | undefined> {
  requireNames(args);
  if (file === '-') return undefined;
  let count = 0;
  for await (const _ of readTargets(args, file, kind)) count += 1;
  return count;
}
