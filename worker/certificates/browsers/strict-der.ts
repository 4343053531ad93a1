import { type DerNode, derChildren, derIn, derTags } from '../grammar/der.ts';

/** The value that fills the bytes; undefined where there is none, or something behind it. */
export function wholeIn(bytes: Uint8Array | undefined): DerNode | undefined {
  const node = derIn(bytes);
  return node?.whole.length === bytes?.length ? node : undefined;
}

/** The values inside a SEQUENCE, or a value of another tag; null for a value that is none, or that they do not fill. */
export function listIn(node: DerNode | undefined, tag: number = derTags.sequence): readonly DerNode[] | null {
  if (node?.tag !== tag) return null;
  const children = derChildren(node);
  return children.length === 0 && node.content.length > 0 ? null : children;
}

/** The same, where at least one value must be there. */
export function someIn(node: DerNode | undefined, tag: number = derTags.sequence): readonly DerNode[] | null {
  const list = listIn(node, tag);
  return list === null || list.length === 0 ? null : list;
}

/** The content of an INTEGER as short as it can be (X.690 §8.3.2). */
export function isShortest(content: Uint8Array): boolean {
  const [first, second] = content;
  if (first === undefined || second === undefined) return first !== undefined;
  return !(first === 0 && second < 0x80) && !(first === 0xff && second >= 0x80);
}

/** A number from 0 to 255, the most that browsers read here; null for any other content. */
export function readByte(content: Uint8Array): number | null {
  const [first = 0, second] = content;
  if (!isShortest(content) || first >= 0x80) return null;
  if (content.length === 1) return first;
  return content.length === 2 && first === 0 ? (second ?? null) : null;
}

/** A BIT STRING whose padding is zero (X.690 §11.2). */
export function isBitString([padding, ...bytes]: Uint8Array): boolean {
  if (padding === undefined || padding > 7) return false;
  const last = bytes.at(-1);
  return last === undefined ? padding === 0 : (last & ((1 << padding) - 1)) === 0;
}

/** Reads the values of a SEQUENCE in their order. */
export type Fields = {
  /** The next value where it has this tag, which is then behind us. */
  readonly take: (tag: number) => DerNode | undefined;
  /** Whether all have been taken. */
  readonly isAtEnd: () => boolean;
};

/** Opens the values of a SEQUENCE; without a list nothing can be taken, and the end is never reached. */
export function openFields(list: readonly DerNode[] | null): Fields {
  let at = 0;
  return {
    take: (tag) => {
      const node = list?.[at];
      if (node?.tag !== tag) return undefined;
      at += 1;
      return node;
    },
    isAtEnd: () => list !== null && at === list.length,
  };
}
