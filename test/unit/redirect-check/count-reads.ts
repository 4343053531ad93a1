/**
 * A text that counts how often its characters are read, so that a test can tell linear from quadratic without a clock.
 * Knows the ways that the scanners read by; each adds as many characters as it may look at.
 */
function countReads(text: string): { readonly text: string; readonly reads: () => number } {
  let reads = 0;
  const methods: { readonly [name: string]: (...spans: never[]) => unknown } = {
    slice: (from = 0, to = text.length) => {
      reads += Math.max(0, Math.min(to, text.length) - from);
      return text.slice(from, to);
    },
    indexOf: (mark: string, from = 0) => {
      const found = text.indexOf(mark, from);
      reads += (found === -1 ? text.length : found) - from + mark.length;
      return found;
    },
    charAt: (at: number) => {
      reads += 1;
      return text.charAt(at);
    },
    startsWith: (mark: string, from = 0) => {
      reads += mark.length;
      return text.startsWith(mark, from);
    },
  };
  // A Proxy, as there is no other way to see text[at]; only what it was asked for by name is a method.
  const counting = new Proxy(Object(text) as object, {
    get(_target, name) {
      if (name === Symbol.toPrimitive) return () => text;
      const at = Number(name.toString());
      if (at >= 0) {
        reads += 1;
        return text[at];
      }
      if (name === 'length') return text.length;
      const method = Object.hasOwn(methods, name) ? methods[name.toString()] : undefined;
      if (!method) throw new Error(`${name.toString()} is not counted`);
      return method;
    },
  });
  return { text: counting as unknown as string, reads: () => reads };
}

/** One piece over and over, a million characters long. */
export function million(piece: string): string {
  return piece.repeat(Math.floor(1_000_000 / piece.length));
}

const countedLength = 20_000;

/**
 * How often each character of a long text is read at the most, on average. The text is a million characters for
 * the scanner itself, which a quadratic one would not survive, and the first of them to be counted: a quadratic one would read each of
 * these ten thousand times.
 */
export function readsPerCharacter(scan: (text: string) => unknown, text: string): number {
  scan(text);
  const counted = countReads(text.slice(0, countedLength));
  scan(counted.text);
  return counted.reads() / countedLength;
}
