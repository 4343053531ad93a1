import { type Malformed, malformed } from '#shared/model/verdict';

const name = String.raw`[A-Za-z_:\u00c0-\uffff][\w:.\-\u00b7-\uffff]*`;
const literal = `(?:"[^"]*"|'[^']*')`;
const head = new RegExp(
  String.raw`^\s+${name}(?:\s+(?:SYSTEM\s+${literal}|PUBLIC\s+${literal}\s+${literal}))?\s*(?:\[([^]*)\]\s*)?$`,
);
const entity = new RegExp(String.raw`<!ENTITY\s+(${name})\s`, 'g');

/**
 * Reads what a DOCTYPE declares (XML 1.0 §2.8): the names of its entities, never their values.
 * @param doctype what stands between "<!DOCTYPE" and its ">"
 */
export function readDoctype(doctype: string): { readonly entities: readonly string[] } | Malformed {
  const found = head.exec(doctype);
  if (!found) return malformed('the DOCTYPE is not one of XML');
  return { entities: [...(found[1] ?? '').matchAll(entity)].map(([, declared = '']) => declared) };
}
