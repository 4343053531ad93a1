import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gzip, zstdCompress } from 'node:zlib';
import type { Response } from 'express';
import type { StoredReport } from '#shared/ports/report-store';
import { jsonText } from '#shared/render/visible-text';
import { digestOf, exactly, unpackPrepared } from '#shared/stores/reports/row';

/** What a GET answers with (RFC 9110 §8): its bytes in each content coding, each made once and when first asked for. */
export type Representation = {
  readonly contentType: string;
  /** How long it is without a coding. */
  readonly sizeBytes: number;
  /** The bytes without a coding. */
  readonly identity: () => Buffer;
  /** Strong; differs by coding. */
  readonly etags: Readonly<Record<Coding, string>>;
  bytes(coding: Coding): Promise<Buffer> | Buffer;
  /** The bytes in a coding that was made before, one a character: Node sends head and body of a string in one write. */
  latin1(coding: Coding): string | undefined;
};

/** Told how many more bytes are held whenever another form was made and is kept. */
type OnGrown = (moreBytes: number) => void;

const compress = { gzip: promisify(gzip), zstd: promisify(zstdCompress) };

/** Makes a representation of bytes that do not change any more. */
export function represent(
  bytes: Uint8Array,
  contentType: string,
  onGrown: OnGrown = () => undefined,
): Representation {
  const identity = copyExactly(bytes);
  const about = { contentType, sizeBytes: identity.length, digest: digestOf(identity) };
  return openForms(about, { identity }, { unpack: () => identity, onGrown });
}

/** Makes a representation of a stored report. Its bytes without a coding are unpacked when they are first asked for; throws Problem `report_not_found` then where they are damaged. */
export function representStored(
  { prepared, json }: StoredReport,
  onGrown: OnGrown = () => undefined,
): Representation {
  const contentType = 'application/json; charset=utf-8';
  if (!prepared) return represent(json(), contentType, onGrown);
  const { jsonBytes: sizeBytes, digest } = prepared;
  const unpack = () => copyExactly(unpackPrepared(prepared));
  return openForms(
    { contentType, sizeBytes, digest },
    { gzip: copyExactly(prepared.gzip) },
    { unpack, onGrown },
  );
}

type Forms = Partial<Record<Coding, Buffer | Promise<Buffer>>>;

function openForms(
  {
    contentType,
    sizeBytes,
    digest,
  }: Pick<Representation, 'contentType' | 'sizeBytes'> & { readonly digest: string },
  made: Forms,
  { unpack, onGrown }: { readonly unpack: () => Buffer; readonly onGrown: OnGrown },
): Representation {
  const identity = () => {
    if (Buffer.isBuffer(made.identity)) return made.identity;
    const bytes = unpack();
    made.identity = bytes;
    onGrown(bytes.length);
    return bytes;
  };
  const make = async (coding: 'gzip' | 'zstd') => {
    const coded = copyExactly(await compress[coding](identity()));
    made[coding] = coded;
    onGrown(coded.length);
    return coded;
  };
  const texts: Partial<Record<Coding, string>> = {};
  return {
    contentType,
    sizeBytes,
    identity,
    etags: { identity: `"${digest}"`, gzip: `"${digest}-gzip"`, zstd: `"${digest}-zstd"` },
    bytes: (coding) => (coding === 'identity' ? identity() : (made[coding] ??= make(coding))),
    latin1(coding) {
      const known = texts[coding];
      const coded = made[coding];
      if (known !== undefined || !Buffer.isBuffer(coded)) return known;
      const text = coded.toString('latin1');
      texts[coding] = text;
      onGrown(text.length);
      return text;
    },
  };
}

// zlib answers with a view of the whole chunk that it wrote to (16 or 64 KiB), and small Buffers share a slab: either would be held for 2 kB.
function copyExactly(bytes: Uint8Array): Buffer {
  return Buffer.from(exactly(bytes).buffer);
}

/** JSON that is made when it is first asked for, and once. */
export function prepareJson(make: () => unknown): () => Representation {
  let made: Representation | undefined;
  return () => (made ??= represent(Buffer.from(jsonText(make())), 'application/json; charset=utf-8'));
}

/** What a request's headers choose of a representation. */
export type Choice = {
  readonly coding: Coding;
  /** The caller has it already: 304. */
  readonly isKnown: boolean;
};

/** Chooses by Accept-Encoding and If-None-Match; a tag of any of our codings will do (RFC 9110 §13.1.2, weak comparison). */
export function choose(
  headers: IncomingHttpHeaders,
  { contentType, sizeBytes, etags }: Pick<Representation, 'contentType' | 'sizeBytes' | 'etags'>,
): Choice {
  // A picture is compressed already.
  const isText = /json|xml|^text/.test(contentType);
  const coding = isText ? chooseCoding(headers['accept-encoding'], sizeBytes) : 'identity';
  return { coding, isKnown: isTagKnown(headers['if-none-match'], etags) };
}

/** The fields of a representation in the form that was chosen, but for its length, as a flat list of names and values. */
export function representationFields(
  { contentType, etags }: Pick<Representation, 'contentType' | 'etags'>,
  { coding, isKnown }: Choice,
): string[] {
  const tag = ['ETag', etags[coding]];
  if (isKnown) return tag;
  const coded = coding === 'identity' ? [] : ['Content-Encoding', coding];
  return [...tag, ...coded, 'Content-Type', contentType];
}

/**
 * Sends it: 200, or 304 when the caller has it already.
 * @param fields more of the answer's fields, as a flat list of names and values; they replace what was set before
 */
export async function sendRepresentation(
  { headers, method }: IncomingMessage,
  response: Response,
  representation: Representation,
  fields: readonly string[],
): Promise<void> {
  const choice = choose(headers, representation);
  const body = choice.isKnown ? undefined : await representation.bytes(choice.coding);
  response.writeHead(choice.isKnown ? 304 : 200, [
    ...representationFields(representation, choice),
    ...(body ? ['Content-Length', String(body.length)] : []),
    ...fields,
  ]);
  if (!body || method === 'HEAD') response.end();
  else if (body.length > longestTextBytes) response.end(body);
  // One character a byte: Node sends head and body of a string in one write, and those of a Buffer in a slower writev.
  else response.end(body.toString('latin1'), 'latin1');
}

/** Beyond this a copy costs more than a writev. */
const longestTextBytes = 65_536;

function isTagKnown(ifNoneMatch: string | undefined, etags: Representation['etags']): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  const ours = Object.values(etags);
  return ifNoneMatch.split(',').some((tag) => ours.includes(tag.trim().replace(/^W\//, '')));
}

const codings = ['gzip', 'zstd', 'identity'] as const;
/** A content coding that we send; of equal weight the first of the list wins: gzip, which reports are stored in. */
type Coding = (typeof codings)[number];

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
  const known = new Map<string, T>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const meaning = read(text);
    if (known.size >= memory.texts) known.clear();
    if (text.length <= memory.longest) known.set(text, meaning);
    return meaning;
  };
}
