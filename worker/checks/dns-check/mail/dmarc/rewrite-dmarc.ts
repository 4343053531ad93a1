import type { Fix } from '#shared/model/verdict';
import { editsBetween } from '../../names.ts';
import { publish } from '../../verdicts.ts';
import type { Applied, DmarcFacts } from './facts.ts';
import { type Dmarc, policies, type Policy, printDmarc } from './parse-dmarc.ts';

/** Tags to set, or, where null, to leave out. */
export type Changes = { readonly [tag: string]: string | null };

type Pair = { readonly name: string; readonly value: string };

/** The record with these tags changed, and all others as they are, in their order; a new p stands behind v, where old receivers look for it. */
export function rewriteDmarc(dmarc: Dmarc, changes: Changes): string {
  const kept = dmarc.tags.slice(1).flatMap(({ name, value }): Pair[] => {
    const change = Object.hasOwn(changes, name) ? changes[name] : value;
    return typeof change === 'string' ? [{ name, value: change }] : [];
  });
  const isNew = ([name]: [string, unknown]) => !dmarc.tags.some((tag) => tag.name === name);
  const added = Object.entries(changes)
    .filter(isNew)
    .flatMap(([name, value]): Pair[] => (value === null ? [] : [{ name, value }]));
  const first = added.filter(({ name }) => name === 'p');
  const last = added.filter(({ name }) => name !== 'p');
  return printDmarc([{ name: 'v', value: 'DMARC1' }, ...first, ...kept, ...last]);
}

/** Where the reports about a domain may go, as an example. */
export function reportAddressOf(domain: string): string {
  return `mailto:dmarc-reports@${domain}`;
}

/** Gives the names of misspelt tags back, where it is clear what was meant and the right one is not there. */
export function correctedNames(dmarc: Dmarc): Changes {
  const present = new Set(dmarc.tags.map(({ name }) => name));
  const repairs = dmarc.unknown.flatMap(({ name, value }) => {
    const meant = meantTag(name);
    if (meant === null || present.has(meant)) return [];
    present.add(meant);
    return [
      [name, null],
      [meant, isPolicy(value) ? value.toLowerCase() : value],
    ] as const;
  });
  return Object.fromEntries(repairs);
}

function isPolicy(value: string): boolean {
  return policies.some((one) => one === value.toLowerCase());
}

/** What makes p, sp and np count: misspelt names and values are put right; what cannot be read becomes what receivers take it for. */
export function correctedPolicies(dmarc: Dmarc): Changes {
  const { p: named, ...others } = correctedNames(dmarc);
  const written = (tag: string) => dmarc.tags.find(({ name }) => name === tag)?.value ?? '';
  const p = typeof named === 'string' ? named : written('p');
  return {
    // A misspelt p carries the policy; the other names have a finding of their own.
    ...(dmarc.p === undefined && typeof named === 'string' ? removed(others, dmarc) : {}),
    ...(dmarc.p ? {} : { p: isPolicy(p) ? p.toLowerCase() : (meantPolicy(p) ?? 'none') }),
    ...(dmarc.sp === null ? { sp: meantPolicy(written('sp')) } : {}),
    ...(dmarc.np === null ? { np: meantPolicy(written('np')) } : {}),
  };
}

// Only the name that was read as p goes.
function removed(others: Changes, dmarc: Dmarc): Changes {
  const wrong = dmarc.unknown.find(({ name }) => meantTag(name) === 'p' && others[name] === null);
  return wrong === undefined ? {} : { [wrong.name]: null };
}

/**
 * A fix with the changed record. The record of a public suffix above is not the owner's to change (RFC 9989 §4.10.1): then it is one of the
 * domain's own organization.
 */
export function fixRecord(
  { orgDomain, domain }: Pick<DmarcFacts, 'orgDomain' | 'domain'>,
  { domain: location, dmarc }: Applied,
  text: string,
  changes: Changes,
): Fix {
  if (Object.keys(changes).length === 0) return { text };
  if (dmarc.psd !== 'y' || location === domain)
    return publish(text, `_dmarc.${location}`, rewriteDmarc(dmarc, changes));
  const own = orgDomain ?? domain;
  const p = changes['p'] ?? changes['sp'] ?? changes['np'] ?? dmarc.p ?? 'none';
  return publish(
    'The policy comes from the public suffix above. Publish your own.',
    `_dmarc.${own}`,
    printDmarc([
      { name: 'v', value: 'DMARC1' },
      { name: 'p', value: p },
      { name: 'rua', value: reportAddressOf(own) },
    ]),
  );
}

const tagNames = ['p', 'sp', 'np', 'adkim', 'aspf', 'psd', 't', 'fo', 'rua', 'ruf'];

// Words that are met for a tag, beside slips of one letter.
const words: ReadonlyMap<string, string> = new Map([
  ['policy', 'p'],
  ['subdomain', 'sp'],
  ['subp', 'sp'],
  ['test', 't'],
]);

/** The tag that a misspelt name means: another letter case, a word for it, or one letter wrong in a longer name; null where that is not clear. */
function meantTag(name: string): string | null {
  const lower = name.toLowerCase();
  if (tagNames.includes(lower)) return lower;
  const word = words.get(lower);
  if (word !== undefined) return word;
  const near = tagNames.filter((tag) => tag.length > 2 && editsBetween(lower, tag) === 1);
  return near.length === 1 ? (near[0] ?? null) : null;
}

/** The policy that a misspelt value means; null where that is not clear. */
function meantPolicy(value: string): Policy | null {
  // Quotes are often pasted with the value.
  const word = /^[^a-z]*([a-z]*)/i.exec(value)?.[1]?.toLowerCase() ?? '';
  if (word.length < 3 || word.length > 12) return null;
  const near = policies.filter((policy) => editsBetween(word, policy) <= (policy === 'none' ? 1 : 2));
  return near.length === 1 ? (near[0] ?? null) : null;
}
