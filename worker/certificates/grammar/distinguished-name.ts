import { toHex } from './byte-cursor.ts';
import { type DerNode, derChildren, derIn, readObjectIdentifier } from './der.ts';
import { childrenOf } from './extensions.ts';

/** Kinds of text whose case and spacing do not count (RFC 5280 §7.1): UTF8String, PrintableString, IA5String. */
const textTags: readonly number[] = [0x0c, 0x13, 0x16];

/** One relative name, as the attributes in it in the form in which they are compared. */
type RelativeName = readonly string[];

/** A Name (DER) in the form in which two names are compared: equal names give equal keys. "" for the empty name. */
export function nameKeyOf(name: Uint8Array): string {
  return relativeNamesOf(name)
    .map((attributes) => attributes.join('+'))
    .join(',');
}

/** Whether a name lies below another: it begins with all of its parts (RFC 5280 §4.2.1.10). */
export function isNameBelow(name: Uint8Array, above: Uint8Array): boolean {
  const parts = relativeNamesOf(name).map(String);
  return relativeNamesOf(above).every((part, index) => parts[index] === String(part));
}

/** The same as Firefox compares: byte by byte, but for UTF8String and PrintableString, which are one. */
export function isWrittenBelow(name: Uint8Array, above: Uint8Array): boolean {
  const parts = writtenPartsOf(name);
  return writtenPartsOf(above).every((part, index) => parts[index] === part);
}

function writtenPartsOf(name: Uint8Array): readonly string[] {
  const write = (attribute: DerNode) => {
    const [type, value] = derChildren(attribute);
    const tag = value?.tag === 0x13 ? 0x0c : value?.tag;
    return `${readObjectIdentifier(type)}=${tag}:${toHex(value?.content ?? new Uint8Array(0))}`;
  };
  return childrenOf(derIn(name)).map((relative) => derChildren(relative).map(write).join('+'));
}

function relativeNamesOf(name: Uint8Array): readonly RelativeName[] {
  return childrenOf(derIn(name)).map((relative) => derChildren(relative).map(keyOfAttribute).sort());
}

function keyOfAttribute(attribute: DerNode): string {
  const [type, value] = derChildren(attribute);
  if (value === undefined) return '';
  const text = textTags.includes(value.tag)
    ? Buffer.from(value.content).toString('utf8').trim().replaceAll(/\s+/g, ' ').toLowerCase()
    : `${value.tag}:${toHex(value.content)}`;
  // What separates parts must not appear in one: a name could otherwise pretend to be another.
  return `${readObjectIdentifier(type)}=${encodeURIComponent(text.toWellFormed())}`;
}
