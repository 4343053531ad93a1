import { editsBetween } from '../../edits-between.ts';
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
  // Quotes are often pasted with the value.
  const word = /^[^a-z]*([a-z]*)/i.exec(value)?.[1]?.toLowerCase() ?? '';
  if (word.length < 3 || word.length > 12) return null;
  const near = policies.filter((policy) => editsBetween(word, policy) <= (policy === 'none' ? 1 : 2));
  return near.length === 1 ? (near[0] ?? null) : null;
}
