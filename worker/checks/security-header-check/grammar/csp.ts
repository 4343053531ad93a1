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
  /** Directives with bytes that none may have, beyond ASCII or control characters; dropped whole (Chromium reads them so). */
  readonly unreadable: readonly CspToken[];
};

/**
 * Parses the value of one Content-Security-Policy line (CSP3 §2.2: a list of policies between commas, of directives between
 * semicolons, of words between ASCII whitespace). Everything can be parsed; what a browser ignores is kept apart.
 */
export function parseCspList(text: string): CspPolicy[] {
  return splitWithOffsets(text, ',', 0)
    .map(({ text: policy, offset }) => parseCsp(policy, offset))
    .filter(({ directives, unreadable }) => directives.size > 0 || unreadable.length > 0);
}

/** Parses one serialized policy; a comma has no meaning in it. */
export function parseCsp(text: string, offset = 0): CspPolicy {
  const directives = new Map<string, CspDirective>();
  const duplicates: CspDirective[] = [];
  const unreadable: CspToken[] = [];
  for (const piece of splitWithOffsets(text, ';', offset)) {
    const [first, ...values] = splitWords(piece);
    if (!first) continue;
    if (/[^\t\n\f\r\u0020-\u007e]/.test(piece.text)) {
      unreadable.push({ text: piece.text.trim(), offset: first.offset });
      continue;
    }
    const directive = { name: first.text.toLowerCase(), offset: first.offset, values };
    if (directives.has(directive.name)) duplicates.push(directive);
    else directives.set(directive.name, directive);
  }
  return { text: text.trim(), directives, duplicates, unreadable };
}

function splitWithOffsets(text: string, separator: string, offset: number): CspToken[] {
  let start = offset;
  return text.split(separator).map((piece) => {
    const token = { text: piece, offset: start };
    start += piece.length + 1;
    return token;
  });
}

function splitWords({ text, offset }: CspToken): CspToken[] {
  return Array.from(text.matchAll(/[^\t\n\f\r ]+/g), ({ 0: word, index }) => ({
    text: word,
    offset: offset + index,
  }));
}
