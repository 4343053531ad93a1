type PolicySource = { readonly source: string; readonly policy: number; keep: boolean };

/** Directive → its sources after the Observatory's own way of joining several policies into one. */
export type ObservatoryCsp = {
  readonly directives: ReadonlyMap<string, Set<string>>;
  /** report-uri or report-to stands twice in one policy; all other repetitions make the whole unreadable. */
  readonly repeats: boolean;
};

const compare = new Intl.Collator('en').compare;
const repeatable: ReadonlySet<string> = new Set(['report-uri', 'report-to']);
const shortestPolicy = 6;
// Each policy is merged with all before it; thousands of meta elements would take seconds.
const policyLimit = 100;

/**
 * Reads policies as the Observatory does, faults included: a policy of fewer than six characters, a repeated directive and a bad
 * percent-encoding make all of them unreadable (undefined); of several policies only sources that stand in each are kept, and a
 * directive that only a later one has becomes 'none'.
 */
export function parseLikeObservatory(policies: readonly string[]): ObservatoryCsp | undefined {
  const texts = policies.slice(0, policyLimit).map((policy) => policy.replaceAll(/[\r\n]/g, '').trim());
  if (texts.some((text) => text.length < shortestPolicy)) return undefined;
  const all = new Map<string, PolicySource[]>();
  let repeats = false;
  for (const [policy, text] of texts.entries()) {
    const read = readPolicy(text);
    if (!read) return undefined;
    repeats ||= read.repeats;
    for (const [directive, words] of read.directives) {
      const merged = merge(all.get(directive) ?? [], sourcesOf(directive, words, policy), policy);
      if (!merged) return undefined;
      all.set(directive, merged);
    }
    // With more policies to come, each source must be met again to be kept.
    if (policy === 0 && texts.length > 1) for (const each of [...all.values()].flat()) each.keep = false;
  }
  const directives = new Map(
    [...all].map(([name, kept]) => [
      name,
      new Set(kept.length > 0 ? kept.map(({ source }) => source) : ["'none'"]),
    ]),
  );
  return { directives, repeats };
}

type ReadPolicy = {
  readonly directives: readonly (readonly [name: string, words: readonly string[]])[];
  readonly repeats: boolean;
};

function readPolicy(text: string): ReadPolicy | undefined {
  const seen = new Set<string>();
  const directives: [string, string[]][] = [];
  let repeats = false;
  for (const piece of text.split(';')) {
    const [first = '', ...words] = piece.trim().split(/\s+/);
    const name = first.toLowerCase();
    if (name === '') continue;
    if (seen.has(name) && !repeatable.has(name)) return undefined;
    repeats ||= seen.has(name);
    seen.add(name);
    directives.push([name, words]);
  }
  return { directives, repeats };
}

function sourcesOf(directive: string, words: readonly string[], policy: number): PolicySource[] {
  const texts = words.length === 0 && directive.endsWith('-src') ? ["'none'"] : words;
  // A word that stands twice is dropped by the sorting below too; here it costs less.
  const sources = new Set(texts.map((text) => text.toLowerCase()));
  return [...sources].map((source) => ({ source, policy, keep: policy === 0 }));
}

// Of one policy, a source that another begins is dropped; of two, a source is kept where its neighbour in the other matches.
function merge(
  before: readonly PolicySource[],
  added: readonly PolicySource[],
  policy: number,
): PolicySource[] | undefined {
  const sorted = [...(policy === 0 ? [] : before), ...added].sort((one, other) =>
    compare(one.source, other.source),
  );
  for (const [at, entry] of sorted.entries()) {
    const previous = sorted[at - 1];
    if (!previous) continue;
    if (entry.policy === previous.policy) {
      if (entry.source.startsWith(previous.source)) entry.keep = false;
      continue;
    }
    const matches = matchesPath(previous.source, entry.source);
    if (matches === undefined) return undefined;
    if (matches) entry.keep = true;
  }
  return sorted.filter(({ keep }) => keep);
}

/** Longer sources are compared as they are: nobody writes them, and decoding many of them blocks the process. */
const decodedLength = 1024;

// undefined where a percent-encoding cannot be decoded.
function matchesPath(one: string, other: string): boolean | undefined {
  if (one === '' || (one === '/' && other === '')) return true;
  const isFolder = one.endsWith('/');
  if (!isDecoded(one) && !isDecoded(other)) return isFolder ? other.startsWith(one) : one === other;
  const left = one.split('/');
  const right = other.split('/');
  if (left.length > right.length || (!isFolder && left.length !== right.length)) return false;
  if (isFolder) left.pop();
  try {
    return left.every((piece, at) => decodeURIComponent(piece) === decodeURIComponent(right[at] ?? ''));
  } catch {
    return undefined;
  }
}

function isDecoded(source: string): boolean {
  return source.includes('%') && source.length <= decodedLength;
}
