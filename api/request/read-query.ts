import type { IncomingMessage } from 'node:http';
import { describeFaults, type InputError, Problem } from '#shared/model/problem';

export type Query = {
  /** Name → the values sent, in order; only names that are known. */
  readonly values: ReadonlyMap<string, readonly string[]>;
  readonly faults: readonly InputError[];
};

/** Faults that an answer names: an address of 15 kB has room for 7,500, and naming them all took 1.4 MB. */
const faultLimit = 50;

/**
 * Reads a raw query string strictly: unknown names, repeated ones, empty values and bad percent-encoding are faults, all told at once (50 at most).
 * Express would let "%ZZ" pass undecoded and hand on a repeated key as an array.
 * @param raw what stands behind the "?", e.g. "url=https%3A%2F%2Fa.test%2F&wait=5"
 */
export function readQuery(raw: string, known: readonly string[], repeatable: readonly string[]): Query {
  const values = new Map<string, string[]>();
  const faults: InputError[] = [];
  const refuse = (name: string, detail: string) => faults.push({ in: 'query', name, detail });
  for (const pair of raw.split('&').filter((piece) => piece !== '')) {
    if (faults.length >= faultLimit) break;
    const at = pair.indexOf('=');
    const name = decode(at === -1 ? pair : pair.slice(0, at));
    const value = decode(at === -1 ? '' : pair.slice(at + 1));
    if (name === undefined)
      refuse(pair.slice(0, 60), 'The name of this parameter is not valid percent-encoding.');
    else if (!known.includes(name)) refuse(name.slice(0, 60), unknownHint(name, known));
    else if (value === undefined) refuse(name, 'The value is not valid percent-encoding of UTF-8.');
    else if (value === '') refuse(name, 'The value is empty.');
    else if (values.has(name) && !repeatable.includes(name))
      refuse(name, 'This parameter may be given once.');
    else values.set(name, [...(values.get(name) ?? []), value]);
  }
  return { values, faults };
}

/** Percent-decodes a path segment; undefined where it is not valid UTF-8 in percent-encoding. */
export function decodeSegment(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined; // said to the caller as a fault
  }
}

// application/x-www-form-urlencoded: "+" is a space.
function decode(text: string): string | undefined {
  return decodeSegment(text.replaceAll('+', ' '));
}

function unknownHint(name: string, known: readonly string[]): string {
  if (known.length === 0) return 'There are no parameters here.';
  const meant = known.find((one) => one.toLowerCase() === name.toLowerCase());
  if (meant !== undefined) return `Write it "${meant}".`;
  const encode = known.includes('url')
    ? ' If it belongs to the URL to check, percent-encode that URL whole.'
    : '';
  return `This parameter is not known here.${encode} There are: ${known.join(', ')}.`;
}

/** What stands behind the "?" as it was sent. */
export function rawQueryOf({ url = '' }: Pick<IncomingMessage, 'url'>): string {
  const at = url.indexOf('?');
  return at === -1 ? '' : url.slice(at + 1);
}

/** The parameters of an endpoint that takes these alone, each at most once. Throws the Problem that names every fault. */
export function readOwnQuery<Name extends string>(
  request: Pick<IncomingMessage, 'url'>,
  names: readonly Name[],
): { readonly [name in Name]?: string } {
  const { values, faults } = readQuery(rawQueryOf(request), names, []);
  if (faults.length > 0) throw new Problem('invalid_request', describeFaults(faults), { errors: faults });
  const sent = names.flatMap((name) => {
    const [text] = values.get(name) ?? [];
    return text === undefined ? [] : [[name, text] as const];
  });
  return Object.fromEntries(sent) as { [name in Name]?: string };
}
