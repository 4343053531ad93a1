import { type DerNode, derChildren, derTags, readObjectIdentifier } from './der.ts';

/** An extension of a certificate, a list or an entry of one (RFC 5280 §4.1): its value is the content of its OCTET STRING. */
export type Extension = { readonly value: Uint8Array; readonly isCritical: boolean };

/** The children of a value; none where there is no value. */
export function childrenOf(node: DerNode | undefined): readonly DerNode[] {
  return node === undefined ? [] : derChildren(node);
}

/** Extensions by object identifier, in order; the first of two equals counts, and what is no extension is passed over. */
export function collectExtensions(list: DerNode | undefined): ReadonlyMap<string, Extension> {
  const extensions = new Map<string, Extension>();
  for (const extension of childrenOf(list)) {
    const fields = derChildren(extension);
    const id = readObjectIdentifier(fields[0]);
    const value = fields.at(-1);
    if (id !== '' && value?.tag === derTags.octetString && !extensions.has(id))
      extensions.set(id, { value: value.content, isCritical: isTrue(fields[1]) });
  }
  return extensions;
}

/** A BOOLEAN that is true. */
export function isTrue(node: DerNode | undefined): boolean {
  return node?.tag === derTags.boolean && isSet(node);
}

/** The same where an implicit tag stands for BOOLEAN. */
export function isSet(node: DerNode | undefined): boolean {
  return node?.content.some((byte) => byte !== 0) ?? false;
}

/** The addresses of a DistributionPointName's full name (RFC 5280 §4.2.1.13); none of another kind of name. */
export function readFullName(name: DerNode | undefined): readonly string[] {
  const fullName = childrenOf(name).find(({ tag }) => tag === 0xa0);
  return childrenOf(fullName)
    .filter(({ tag }) => tag === 0x86)
    .map(({ content }) => Buffer.from(content).toString('latin1'));
}
