/** One link of a Link field: its target as written, and its parameters in order, names in lower case. */
export type Link = {
  readonly target: string;
  readonly parameters: readonly (readonly [name: string, value: string])[];
};

/**
 * Reads a Link field as RFC 8288 appendix B.2 does: what stands before the first fault counts, the rest is dropped.
 * @param text e.g. `<https://a.test/>; rel="canonical"`
 */
export function parseLinks(text: string): readonly Link[] {
  const links: Link[] = [];
  let at = skip(text, 0, ' \t,');
  while (text[at] === '<') {
    const targetEnd = text.indexOf('>', at);
    if (targetEnd === -1) break;
    const { parameters, end } = readParameters(text, targetEnd + 1);
    links.push({ target: text.slice(at + 1, targetEnd), parameters });
    at = skip(text, end, ' \t,');
  }
  return links;
}

/** The first target that Link fields name as canonical for the page itself (RFC 6596), unresolved; null when there is none. */
export function findCanonical(values: readonly string[]): string | null {
  const canonical = values
    .flatMap(parseLinks)
    .find(({ parameters }) => isCanonical(parameters) && !parameters.some(([name]) => name === 'anchor'));
  return canonical?.target ?? null;
}

// RFC 8288 §3.3: only the first rel counts.
function isCanonical(parameters: Link['parameters']): boolean {
  const rel = parameters.find(([name]) => name === 'rel')?.[1] ?? '';
  return rel.toLowerCase().split(/[ \t]/).includes('canonical');
}

function readParameters(text: string, from: number): { parameters: Link['parameters']; end: number } {
  const parameters: (readonly [string, string])[] = [];
  let at = skip(text, from, ' \t');
  while (text[at] === ';') {
    const start = skip(text, at + 1, ' \t');
    const nameEnd = find(text, start, ' \t=;,');
    const equals = skip(text, nameEnd, ' \t');
    const { value, end } =
      text[equals] === '=' ? readValue(text, skip(text, equals + 1, ' \t')) : { value: '', end: equals };
    if (nameEnd > start) parameters.push([text.slice(start, nameEnd).toLowerCase(), value]);
    at = skip(text, end, ' \t');
  }
  return { parameters, end: at };
}

function readValue(text: string, from: number): { value: string; end: number } {
  if (text[from] === '"') return readQuoted(text, from + 1);
  const end = find(text, from, ';,');
  return { value: text.slice(from, end).trim(), end };
}

function readQuoted(text: string, from: number): { value: string; end: number } {
  let value = '';
  let at = from;
  for (; at < text.length && text[at] !== '"'; at += 1) {
    if (text[at] === '\\') at += 1;
    value += text[at] ?? '';
  }
  return { value, end: at + 1 };
}

/** Where the first character that is not one of these stands. */
function skip(text: string, from: number, characters: string): number {
  let at = from;
  while (at < text.length && characters.includes(text[at] ?? '')) at += 1;
  return at;
}

/** Where the first of these characters stands, or the end. */
function find(text: string, from: number, characters: string): number {
  let at = from;
  while (at < text.length && !characters.includes(text[at] ?? '')) at += 1;
  return at;
}
