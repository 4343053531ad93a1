import { type DerNode, derTags, readObjectIdentifier } from '../grammar/der.ts';
import { listIn, someIn, wholeIn } from './strict-der.ts';

const set = 0x31;

/** Whether Chrome can read a Name: sets of attributes, whose texts keep to the letters of their kind (RFC 5280 §4.1.2.4). Firefox compares bytes. */
export function isReadableName(name: DerNode | undefined): boolean {
  const relative = listIn(name);
  return relative?.every((one) => someIn(one, set)?.every(isReadableAttribute) === true) === true;
}

function isReadableAttribute(attribute: DerNode): boolean {
  const [type, value, ...more] = listIn(attribute) ?? [];
  if (type?.tag !== derTags.objectIdentifier || value === undefined || more.length > 0) return false;
  return (texts.get(value.tag) ?? anything)(value.content);
}

const anything = () => true;
/** Each byte as one character. */
export function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1');
}

/** What a text may hold, by its tag: PrintableString as Chrome reads it, IA5String, BMPString, UniversalString. */
const texts: ReadonlyMap<number, (content: Uint8Array) => boolean> = new Map([
  [0x13, (content) => /^[ A-Za-z'-:=?]*$/.test(textOf(content))],
  [0x16, isAscii],
  [0x1e, (content) => isUnicode(content, 2)],
  [0x1c, (content) => isUnicode(content, 4)],
]);

function isAscii(content: Uint8Array): boolean {
  return content.every((byte) => byte < 0x80);
}

function isUnicode(content: Uint8Array, size: 2 | 4): boolean {
  if (content.length % size !== 0) return false;
  const bytes = Buffer.from(content);
  for (let at = 0; at < bytes.length; at += size) {
    const point = bytes.readUIntBE(at, size);
    const isSurrogate = point >= 0xd800 && point <= 0xdfff;
    const isNoCharacter = (point >= 0xfdd0 && point <= 0xfdef) || (point & 0xfffe) === 0xfffe;
    if (point > 0x10ffff || isSurrogate || isNoCharacter) return false;
  }
  return true;
}

/** Tags of GeneralName (RFC 5280 §4.2.1.6); another is no name to either browser. */
const generalNames: ReadonlySet<number> = new Set([0xa0, 0x81, 0x82, 0xa3, 0xa4, 0xa5, 0x86, 0x87, 0x88]);

export function isGeneralName({ tag }: DerNode): boolean {
  return generalNames.has(tag);
}

/** Whether Chrome can read a GeneralName: one of IA5String in ASCII, an address of 4 or 16 bytes, a directory name of one SEQUENCE. */
export function isReadableGeneralName(node: DerNode, addressBytes: readonly number[] = [4, 16]): boolean {
  if (node.tag === 0x81 || node.tag === 0x82 || node.tag === 0x86) return isAscii(node.content);
  if (node.tag === 0x87) return addressBytes.includes(node.content.length);
  if (node.tag === 0xa4) return wholeIn(node.content)?.tag === derTags.sequence;
  return isGeneralName(node);
}

/** An address and a mask of ones, then zeros (RFC 5280 §4.2.1.10), or any other name that Chrome can read. */
export function isReadableBase(node: DerNode): boolean {
  if (!isReadableGeneralName(node, [8, 32])) return false;
  if (node.tag !== 0x87) return true;
  const bits = [...node.content.subarray(node.content.length / 2)]
    .map((byte) => byte.toString(2).padStart(8, '0'))
    .join('');
  return /^1*0*$/.test(bits);
}

/** Subtrees with a base and no more, at least one. */
export function basesIn(node: DerNode): readonly DerNode[] | null {
  const subtrees = someIn(node, node.tag)?.map((one) => listIn(one) ?? []);
  if (subtrees === undefined || subtrees.some(({ length }) => length !== 1)) return null;
  return subtrees.flat();
}

/** Object identifiers in a list; null where one is none. */
export function identifiersIn(list: readonly DerNode[] | null): readonly string[] | null {
  if (list === null || list.some(({ tag }) => tag !== derTags.objectIdentifier)) return null;
  return list.map(readObjectIdentifier);
}

/**
 * Whether a DNS entry is a host name to Firefox: labels of 1 to 63 letters, digits, underscores and hyphens inside, the last one not of digits
 * alone; a star is the first label, above two others.
 */
export function isHostToFirefox(entry: string): boolean {
  const name = entry.toLowerCase();
  const isWildcard = name.startsWith('*.');
  const labels = (isWildcard ? name.slice(2) : name).split('.');
  const isLabel = (label: string) => /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/.test(label);
  if (name.length > 253 || !labels.every(isLabel) || /^\d+$/.test(labels.at(-1) ?? '')) return false;
  return !isWildcard || labels.length > 1;
}
