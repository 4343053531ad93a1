import { type DerNode, derIn, derTags } from './der.ts';
import { childrenOf } from './extensions.ts';
import { type Malformed, malformed } from './malformed.ts';

/** Which names a CA may issue for (RFC 5280 §4.2.1.10). */
export type NameConstraints = {
  readonly kind: 'constraints';
  readonly permitted: readonly GeneralName[];
  readonly excluded: readonly GeneralName[];
};

/** One name; of kinds other than these only the tag is known. */
export type GeneralName =
  | { readonly kind: 'dns'; readonly name: string }
  | { readonly kind: 'email'; readonly mailbox: string }
  | { readonly kind: 'address'; readonly bytes: Uint8Array }
  | { readonly kind: 'directory'; readonly name: Uint8Array }
  | { readonly kind: 'other'; readonly tag: number };

/** Reads the value of the extension nameConstraints. */
export function parseNameConstraints(value: Uint8Array): NameConstraints | Malformed {
  const node = derIn(value);
  const parts = childrenOf(node);
  const isKnown = parts.every(({ tag, content }) => (tag === 0xa0 || tag === 0xa1) && content.length > 0);
  if (node?.tag !== derTags.sequence || parts.length === 0 || !isKnown)
    return malformed('name constraints that name nothing', 0);
  const read = (tag: number) => childrenOf(parts.find((part) => part.tag === tag)).map(readSubtree);
  const permitted = read(0xa0);
  const excluded = read(0xa1);
  if (![...permitted, ...excluded].every((name) => name !== null))
    return malformed('a subtree that breaks its grammar', 0);
  return {
    kind: 'constraints',
    permitted: permitted.filter((name) => name !== null),
    excluded: excluded.filter((name) => name !== null),
  };
}

/** A subtree has a base and no more: minimum and maximum must not be used. */
function readSubtree(subtree: DerNode): GeneralName | null {
  const [base, ...more] = childrenOf(subtree);
  if (base === undefined || more.length > 0) return null;
  const name = readGeneralName(base);
  return isSoundBase(name) ? name : null;
}

/** An address comes with its mask. A host may begin with a dot, but has no empty label behind it: Firefox reads no such constraint. */
function isSoundBase(name: GeneralName): boolean {
  if (name.kind === 'address') return name.bytes.length === 8 || name.bytes.length === 32;
  return name.kind !== 'dns' || !/\.(?:\.|$)/.test(name.name);
}

/** Reads one GeneralName by its context tag (RFC 5280 §4.2.1.6). */
export function readGeneralName(node: DerNode): GeneralName {
  switch (node.tag) {
    case 0x81:
      return { kind: 'email', mailbox: Buffer.from(node.content).toString('latin1') };
    case 0x82:
      return { kind: 'dns', name: Buffer.from(node.content).toString('latin1').toLowerCase() };
    case 0x87:
      return { kind: 'address', bytes: node.content };
    case 0xa4:
      return { kind: 'directory', name: node.content };
    default:
      return { kind: 'other', tag: node.tag };
  }
}
