import { splitValues, trimBlanks } from '../../../web/fields.ts';

/** The eight policies, from the one that tells least to the one that tells all. */
export const referrerPolicies = [
  'no-referrer',
  'same-origin',
  'strict-origin',
  'strict-origin-when-cross-origin',
  'origin',
  'origin-when-cross-origin',
  'no-referrer-when-downgrade',
  'unsafe-url',
] as const;
export type ReferrerPolicy = (typeof referrerPolicies)[number];

/** What browsers do by themselves. */
export const defaultReferrerPolicy: ReferrerPolicy = 'strict-origin-when-cross-origin';

// HTML Standard, meta name=referrer: words of older drafts that still work there, and only there.
const legacyWords: ReadonlyMap<string, ReferrerPolicy> = new Map([
  ['never', 'no-referrer'],
  ['default', defaultReferrerPolicy],
  ['always', 'unsafe-url'],
  ['origin-when-crossorigin', 'origin-when-cross-origin'],
]);

/** The policy of all Referrer-Policy lines: the last value that is known; undefined where there is none. */
export function parseReferrerPolicy(lines: readonly string[]): ReferrerPolicy | undefined {
  return splitValues(lines)
    .map((value) => asPolicy(trimBlanks(value).toLowerCase()))
    .findLast((policy) => policy !== undefined);
}

/** The policy of one meta element's content, legacy words included. */
export function parseReferrerMeta(content: string): ReferrerPolicy | undefined {
  const word = content.toLowerCase();
  return asPolicy(word) ?? legacyWords.get(word);
}

/** True when other sites or clear-text hops learn more than by the browsers' default. */
export function isLooserThanDefault(policy: ReferrerPolicy): boolean {
  return isLooser(policy, defaultReferrerPolicy);
}

/** True when the first tells more than the second. */
export function isLooser(one: ReferrerPolicy, other: ReferrerPolicy): boolean {
  return referrerPolicies.indexOf(one) > referrerPolicies.indexOf(other);
}

function asPolicy(word: string): ReferrerPolicy | undefined {
  return referrerPolicies.find((policy) => policy === word);
}
