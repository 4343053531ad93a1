import { expect, test } from 'vitest';
import { findLiterals, findSlowText, isSlowPair, pairsOf, sampleOf } from './regexes.ts';

/** Expressions that are worse than linear on some text, by file and source: what keeps such a text short. */
const bounded: { readonly [literal: string]: string } = {
  'api/pages/home.ts @([^\\s@<>]+?)[>;,.]*$': 'a field of our own form, with the body that holds it',
  'shared/lifecycle/backend.ts \\/\\/[^@\\s]*@': 'addresses of our own stores',
  'shared/settings/config.ts ^\\.+|\\.+$': 'settings of the operator',
  'shared/settings/config.ts \\/+$': 'settings of the operator',
  'shared/render/formats.ts ^[-.]+|[-.]+$':
    'the run of characters before it leaves one dot or hyphen of many',
  'worker/run/mask-evidence.ts ([a-z][a-z0-9+.-]{0,30}:[\\\\/]{2,})[^\\s/?#\\\\"\'<>]*@':
    '31 characters for each place where it may begin',
  'worker/web/mask-credentials.ts (?:[a-z][a-z0-9+.-]{1,20}(?::|%(?:25){0,8}3a)|[=<"\'(;,]|%(?:25){0,8}3d|^)[\\t\\n\\r ]*(?:[\\\\/]|%(?:25){0,8}(?:2f|5c)){2,}':
    '21 characters for each place where it may begin',
  'worker/checks/pagespeed-check/judge/show-insight.ts [\\d.,]+\\s*(?:ms|s|KiB|MiB)\\b':
    'the first 200 characters of a display value',
  'worker/checks/pagespeed-check/facts/end.ts [.\\s]+$': 'the first 300 characters of a line',
  'worker/checks/dns-check/mail/dkim/parse-dkim-key.ts =+$': 'two signs at most: the expression before it',
};

test('an expression that is worse than linear is listed with the bound of its texts', () => {
  const slow = findLiterals().flatMap((each) => {
    if (Object.hasOwn(bounded, `${each.file} ${each.source}`)) return [];
    const text = findSlowText(each);
    return text === undefined ? [] : [`${each.file} ${each.source} by ${JSON.stringify(text)}`];
  });
  expect(slow).toEqual([]);
});

/** All pairs take most of a minute: `LONG=1` tries them, and else some are drawn by GROWTH_SEED. */
const pairsDrawn = 10_000;

test('no two characters by turns make an expression worse than linear that is not listed', () => {
  const literals = findLiterals().filter(({ file, source }) => !Object.hasOwn(bounded, `${file} ${source}`));
  const all = pairsOf(literals);
  const seed = Number(process.env['GROWTH_SEED'] ?? 1);
  const tried = process.env['LONG'] === undefined ? sampleOf(all, pairsDrawn, seed) : all;
  const slow = new Map(
    tried
      .filter(isSlowPair)
      .map(({ file, source, pair }) => [`${file} ${source}`, `by ${JSON.stringify(pair)}`]),
  );
  console.log(`${tried.length} of ${all.length} pairs over ${literals.length} expressions, seed ${seed}`);
  expect([...slow]).toEqual([]);
}, 150_000);

test('nothing is listed that no longer stands in the code', () => {
  const all = new Set(findLiterals().map(({ file, source }) => `${file} ${source}`));
  expect(Object.keys(bounded).filter((each) => !all.has(each))).toEqual([]);
});

test.for(['a+$', '\\s+,'])('%s is found to be worse than linear', (source) => {
  expect(findSlowText({ file: '', source, flags: '' })).toBeDefined();
});

test('the pair that no single character is', () => {
  const literal = { file: '', source: String.raw`"(?:[^"\\]|\\.)*"`, flags: 's' };
  expect(findSlowText(literal)).toBeUndefined();
  expect(
    pairsOf([literal])
      .filter(isSlowPair)
      .map(({ pair }) => pair),
  ).toContain('\\"');
});

test.for(['^a+$', 'ab', '^[^;]*;', '\\d{1,3}$'])('%s is not', (source) => {
  expect(findSlowText({ file: '', source, flags: '' })).toBeUndefined();
});
