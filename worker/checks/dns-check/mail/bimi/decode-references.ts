const predefined = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
]);

/** `unknown` names the first entity that XML itself does not know; `wrongAt` is the offset of an "&" that begins no reference. */
export type Decoded = {
  readonly text: string;
  readonly unknown: string | null;
  readonly wrongAt: number | null;
};

/** No name of an entity, and no number of a character, is longer. */
const referenceLimit = 64;

/** Decodes the references of XML text (XML 1.0 §4.1): characters by number, and the five entities of XML itself. Others stay as they are. */
export function decodeReferences(raw: string): Decoded {
  const [head = '', ...pieces] = raw.split('&');
  let text = head;
  let unknown: string | null = null;
  let at = head.length;
  for (const piece of pieces) {
    const end = piece.slice(0, referenceLimit).indexOf(';');
    const name = piece.slice(0, Math.max(end, 0));
    if (!/^(?:#[0-9]+|#x[0-9A-Fa-f]+|[A-Za-z_:][\w:.-]*)$/.test(name)) return { text, unknown, wrongAt: at };
    const decoded = name.startsWith('#') ? characterOf(name) : predefined.get(name);
    if (decoded === undefined && name.startsWith('#')) return { text, unknown, wrongAt: at };
    if (decoded === undefined) unknown ??= name;
    text += (decoded ?? `&${name};`) + piece.slice(end + 1);
    at += 1 + piece.length;
  }
  return { text, unknown, wrongAt: null };
}

function characterOf(name: string): string | undefined {
  const code = name.startsWith('#x')
    ? Number.parseInt(name.slice(2), 16)
    : Number.parseInt(name.slice(1), 10);
  return isCharacter(code) ? String.fromCodePoint(code) : undefined;
}

// XML 1.0 §2.2: no control characters but three, no surrogates.
function isCharacter(code: number): boolean {
  if (code < 0x20) return code === 0x09 || code === 0x0a || code === 0x0d;
  return code <= 0xd7ff || (code >= 0xe000 && code <= 0xfffd) || (code >= 0x10000 && code <= 0x10ffff);
}
