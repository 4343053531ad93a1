import { splitValues, trimBlanks } from '../../../web/fields.ts';

/** What browsers know (Clear Site Data, "parse response's Clear-Site-Data header"; the last two are Chromium's). */
const types: readonly string[] = [
  '*',
  'cache',
  'clientHints',
  'cookies',
  'executionContexts',
  'storage',
  'prefetchCache',
  'prerenderCache',
];

/** The types of Clear-Site-Data that browsers skip, and why; each must be a quoted string as it is listed, in the same case. */
export function findSkippedTypes(
  lines: readonly string[],
): readonly { readonly type: string; readonly reason: string }[] {
  return splitValues(lines)
    .map(trimBlanks)
    .flatMap((type) => {
      if (type === '' || types.some((known) => type === `"${known}"`)) return [];
      const isQuoted = type.length > 1 && type.startsWith('"') && type.endsWith('"');
      return [{ type, reason: isQuoted ? 'browsers know no such type' : 'it is not in double quotes' }];
    });
}
