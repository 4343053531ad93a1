/** A piece of a policy with its place in the header value. */
export type CspToken = { readonly text: string; readonly offset: number };

export type CspDirective = {
  /** In lower case. */
  readonly name: string;
  readonly offset: number;
  readonly values: readonly CspToken[];
};

/** One serialized policy, as a browser keeps it, and what it leaves out. */
export type CspPolicy = {
  readonly text: string;
  /** First of each name; a policy without any is none. */
  readonly directives: ReadonlyMap<string, CspDirective>;
  /** Later ones of a name that was there before; ignored. */
  readonly duplicates: readonly CspDirective[];
  /** Directives with bytes beyond ASCII; dropped whole. */
  readonly nonAscii: readonly CspToken[];
};

/**
 * Parses the value of one Content-Security-Policy line (CSP3 §2.2: a list of policies between commas, of directives between
 * semicolons, of words between ASCII whitespace). Everything can be parsed; what a browser ignores is kept apart.
 */
export function parseCspList(text: string): CspPolicy[] {
  return splitWithOffsets(text, ',', 0)
    .map(({ text: policy, offset }) => parseCsp(policy, offset))
    .filter(({ directives, nonAscii }) => directives.size > 0 || nonAscii.length > 0);
}

/** Parses one serialized policy; a comma has no meaning in it. */
export function parseCsp(text: string, offset = 0): CspPolicy {
  const directives = new Map<string, CspDirective>();
  const duplicates: CspDirective[] = [];
  const nonAscii: CspToken[] = [];
  for (const piece of splitWithOffsets(text, ';', offset)) {
    const [first, ...values] = splitWords(piece);
    if (!first) continue;
    if (!isAscii(piece.text)) {
      nonAscii.push({ text: piece.text.trim(), offset: first.offset });
      continue;
    }
    const directive = { name: first.text.toLowerCase(), offset: first.offset, values };
    if (directives.has(directive.name)) duplicates.push(directive);
    else directives.set(directive.name, directive);
  }
  return { text: text.trim(), directives, duplicates, nonAscii };
}

/** Writes what counts of a policy, so that parseCsp reads the same. */
export function printCsp({ directives }: Pick<CspPolicy, 'directives'>): string {
  return [...directives.values()]
    .map(({ name, values }) => [name, ...values.map(({ text }) => text)].join(' '))
    .join('; ');
}

function splitWithOffsets(text: string, separator: string, offset: number): CspToken[] {
  const pieces: CspToken[] = [];
  let start = 0;
  for (let end = text.indexOf(separator); start <= text.length; end = text.indexOf(separator, start)) {
    const stop = end < 0 ? text.length : end;
    pieces.push({ text: text.slice(start, stop), offset: offset + start });
    start = stop + 1;
  }
  return pieces;
}

function splitWords({ text, offset }: CspToken): CspToken[] {
  const words: CspToken[] = [];
  let start = -1;
  for (let at = 0; at <= text.length; at += 1) {
    const inWord = at < text.length && !isWhitespace(text.charCodeAt(at));
    if (inWord && start < 0) start = at;
    if (inWord || start < 0) continue;
    words.push({ text: text.slice(start, at), offset: offset + start });
    start = -1;
  }
  return words;
}

function isWhitespace(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0c || code === 0x0d;
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > 0x7f) return false;
  return true;
}
