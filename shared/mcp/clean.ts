import { clip } from '../render/visible-text.ts';

/** Longest text of a target that an agent is shown. */
const longestText = 200;
const mostItems = 20;
const deepest = 6;

/** What a reader does not see: controls, marks of format and direction, fillers, tags, and every selector of variants, which can spell a message. */
const hidden =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}\p{Default_Ignorable_Code_Point}\p{Variation_Selector}]/gv;

/** A text that a target may have chosen: on one line, at most 200 characters, without anything that cannot be seen. */
export function cleanText(text: string): string {
  // Far more than is kept is not looked through: most of it could be hidden, and then less is kept.
  const shown = clip(text, 20 * longestText).replace(hidden, '');
  return shown.length > longestText ? `${clip(shown, longestText - 1)}…` : shown;
}

/** Our own words without the texts of a call that they quote: an agent may have copied those from a page. */
export function withoutQuoted(words: string, given: object): string {
  const quoted = Object.values(given)
    .flat()
    .filter((text): text is string => typeof text === 'string' && text.length > 2);
  // What was quoted may have been cut or changed on its way into the words; the end of a long detail goes with it.
  return clip(
    quoted.reduce((left, text) => left.replaceAll(text, '…'), words).replace(hidden, ''),
    2 * longestText,
  );
}

/** A value that a target may have chosen, every text and every name in it cleaned, its lists and its depth cut. */
export function cleanValue(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return cleanText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= deepest) return '…';
  if (Array.isArray(value)) return value.slice(0, mostItems).map((item) => cleanValue(item, depth + 1));
  const entries = Object.entries(value).slice(0, mostItems);
  return Object.fromEntries(entries.map(([name, item]) => [cleanText(name), cleanValue(item, depth + 1)]));
}
