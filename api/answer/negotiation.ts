import { LRUCache } from 'lru-cache';

export const codings = ['gzip', 'zstd', 'identity'] as const;
/** A content coding that we send; of equal weight the first of the list wins: gzip, which reports are stored in. */
export type Coding = (typeof codings)[number];

/** Below this size a coding saves less than its header costs. */
const leastCompressed = 1024;

/** Clients of one kind send one text: what it means is worked out once. Longer texts are worked out each time, so that the memory stays below 200 kB. */
const memory = { texts: 256, longest: 256 };

/** The coding to send by Accept-Encoding (RFC 9110 §12.5.3): the greatest weight wins; without the field, or where it allows none of ours, identity. */
export function chooseCoding(acceptEncoding: string | undefined, sizeBytes: number): Coding {
  return acceptEncoding === undefined || sizeBytes < leastCompressed
    ? 'identity'
    : rememberCoding(acceptEncoding);
}

/** True when a client takes JSON, by Accept (RFC 9110 §12.5.1): the most exact range that covers application/json decides. */
export function takesJson(accept: string | undefined): boolean {
  return accept === undefined || accept.trim() === '' || rememberJson(accept);
}

const rememberCoding = remembering((text): Coding => {
  const weights = readWeights(text);
  const any = weights.get('*');
  // Identity is always allowed unless it is named; any coding that is wanted goes before it.
  const weightOf = (coding: Coding) =>
    weights.get(coding) ?? (coding === 'identity' ? leastWeight : (any ?? 0));
  const best = codings.reduce((first, coding) => (weightOf(coding) > weightOf(first) ? coding : first));
  return weightOf(best) > 0 ? best : 'identity';
});

const rememberJson = remembering((text) => {
  const weights = readWeights(text);
  const range = ['application/json', 'application/*', '*/*'].find((name) => weights.has(name));
  return range !== undefined && weights.get(range) !== 0;
});

/** Less than any weight that can be written, and more than none. */
const leastWeight = 0.0001;

/**
 * Reads a list of names with weights, such as "gzip;q=0.5, zstd"; other parameters are passed over.
 * @returns lower-case name → weight from 0 to 1; one that cannot be read counts as 1
 */
function readWeights(field: string): ReadonlyMap<string, number> {
  return new Map(
    field.split(',').map((item) => {
      const [name = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
      const [, q] = parameters.map((part) => /^q\s*=\s*([01](?:\.\d{0,3})?)$/.exec(part)).find(Boolean) ?? [];
      return [name, q === undefined ? 1 : Number(q)];
    }),
  );
}

/** The same function, asked once for each text that is not very long. */
function remembering<T extends string | boolean>(read: (text: string) => T): (text: string) => T {
  const known = new LRUCache<string, T>({ max: memory.texts });
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const meaning = read(text);
    if (text.length <= memory.longest) known.set(text, meaning);
    return meaning;
  };
}
