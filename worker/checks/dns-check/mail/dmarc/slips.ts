import { type Policy, policies } from './parse-dmarc.ts';

const tagNames = ['p', 'sp', 'np', 'adkim', 'aspf', 'psd', 't', 'fo', 'rua', 'ruf'];

// Words that are met for a tag, beside slips of one letter.
const words: ReadonlyMap<string, string> = new Map([
  ['policy', 'p'],
  ['subdomain', 'sp'],
  ['subp', 'sp'],
  ['test', 't'],
]);

/** The tag that a misspelt name means: another letter case, a word for it, or one letter wrong in a longer name; null where that is not clear. */
export function meantTag(name: string): string | null {
  const lower = name.toLowerCase();
  if (tagNames.includes(lower)) return lower;
  const word = words.get(lower);
  if (word !== undefined) return word;
  const near = tagNames.filter((tag) => tag.length > 2 && editsBetween(lower, tag) === 1);
  return near.length === 1 ? (near[0] ?? null) : null;
}

/** The policy that a misspelt value means; null where that is not clear. */
export function meantPolicy(value: string): Policy | null {
  const word = /^[a-z]*/i.exec(value.trim())?.[0].toLowerCase() ?? '';
  if (word.length < 3 || word.length > 12) return null;
  const near = policies.filter((policy) => editsBetween(word, policy) <= (policy === 'none' ? 1 : 2));
  return near.length === 1 ? (near[0] ?? null) : null;
}

/** How many letters are to be changed, added or left out; both words are short. */
function editsBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [index, letter] of one.split('').entries()) {
    const next = [index + 1];
    for (const [at, wanted] of other.split('').entries())
      next.push(
        Math.min((next[at] ?? 0) + 1, (row[at + 1] ?? 0) + 1, (row[at] ?? 0) + Number(letter !== wanted)),
      );
    row = next;
  }
  return row.at(-1) ?? 0;
}
