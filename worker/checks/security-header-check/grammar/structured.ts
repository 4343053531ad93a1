import { type Dictionary, type Item, ParseError, parseDictionary, parseItem } from 'structured-headers';
import { type Malformed, malformed } from '#shared/model/verdict';

/** A structured dictionary (RFC 9651 §3.2) of all lines of a field. */
export function readDictionary(lines: readonly string[]): { readonly dictionary: Dictionary } | Malformed {
  try {
    return { dictionary: parseDictionary(lines.join(', ')) };
  } catch (error) {
    return asMalformed(error, 'it is no structured dictionary');
  }
}

/** A structured item (RFC 9651 §3.3). */
export function readItem(text: string): { readonly item: Item } | Malformed {
  try {
    return { item: parseItem(text) };
  } catch (error) {
    return asMalformed(error, 'it is no structured item');
  }
}

function asMalformed(error: unknown, reason: string): Malformed {
  if (!(error instanceof ParseError)) throw error;
  const offset = /offset (\d+)/.exec(error.message)?.[1];
  return malformed(reason, offset === undefined ? 0 : Number(offset));
}
