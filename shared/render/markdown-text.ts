import { linkTo } from './link.ts';
import { visible, visibleLines } from './visible-text.ts';

/**
 * A word that no Markdown dialect makes anything of: letters and digits, joined by `-`, `/` or an apostrophe, with usual
 * punctuation around it; numbers with dots, times of day; one letter abbreviations. Not among them: addresses (they become links),
 * `@name`, `#1`, `GH-1` and commit hashes (they notify and refer on GitHub), emphasis, entities, tags.
 */
const plainWord =
  /^["'“‘(]{0,2}(?:[\p{L}\p{M}\p{N}]+(?:[-/’'][\p{L}\p{M}\p{N}]+)*|§?\d+(?:[.,]\d+)*%?|\d\d(?::\d\d){1,2}|(?:\p{L}\.)+)[)"'”’]{0,2}[.,;:!?…]?[)"'”’]{0,2}$/u;
const plainSign = /^[–—→≥≤…·×&−-]$/u;
const referring = /^\W*(?:gh-\d+|[0-9a-f]{7,40}|www.*)\W*$/i;
/** What would begin a list at the start of a line. */
const listMark = /^(?:\d+[.)]\W*|[-+*])$/;

/**
 * A sentence that may carry words of a target: plain words stay, every other word becomes a code span, in which neither
 * Markdown nor HTML nor GitHub's mentions and automatic links are read.
 */
export function sentence(text: string): string {
  const words = visible(text)
    .split(' ')
    .filter((word) => word !== '');
  if (words.length === 0) return codeSpan(text);
  return words.map((word, index) => printWord(word, index === 0)).join(' ');
}

function printWord(word: string, isFirst: boolean): string {
  if (isPlain(word) && !(isFirst && listMark.test(word))) return word;
  // Punctuation of the sentence stays outside of the code.
  const [, core = word, end = ''] = /^(.+?)([.,;:!?]?)$/u.exec(word) ?? [];
  return `${codeSpan(core)}${end}`;
}

function isPlain(word: string): boolean {
  if (word.length > 60) return false;
  return plainSign.test(word) || (plainWord.test(word) && !referring.test(word));
}

/** Any text as one code span: the fence is longer than every run of backticks in it (CommonMark §6.1). */
export function codeSpan(text: string): string {
  const shown = visible(text);
  if (shown === '') return '(empty)';
  const fence = '`'.repeat(longestRun(shown) + 1);
  const pad = /^[` ]|[` ]$/.test(shown) && /[^ ]/.test(shown) ? ' ' : '';
  return `${fence}${pad}${shown}${pad}${fence}`;
}

/** Any text as a fenced block; line feeds stay. */
export function codeBlock(text: string): string {
  const shown = visibleLines(text);
  const fence = '`'.repeat(Math.max(3, longestRun(shown) + 1));
  return `${fence}\n${shown}\n${fence}`;
}

/** A link where the address is http or https, else its title and the address as code. */
export function reference({ title, url }: { readonly title: string; readonly url: string }): string {
  const link = linkTo(url);
  return link === undefined
    ? `${sentence(title)} ${codeSpan(url)}`
    : `[${sentence(title)}](<${link.replaceAll('&', '&amp;')}>)`;
}

function longestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0);
}
