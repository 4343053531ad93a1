import { type Malformed, malformed } from '#shared/model/verdict';
import { trimSpaces } from '../../../../web/fields.ts';

/** The value of an issue, issuewild or issuemail property. */
export type CaaIssue = {
  /** The CA's domain; null when no CA is meant (";"). */
  readonly issuer: string | null;
  readonly parameters: ReadonlyMap<string, string>;
};

/** Reads `[issuer] [";" parameters]` (RFC 8659 §4.2). Text beyond ASCII, a space inside a name, or an empty parameter break it. */
export function parseCaaIssue(text: string): CaaIssue | Malformed {
  const [head = '', ...rest] = text.split(';');
  const issuer = trimSpaces(head);
  if (issuer !== '' && !isIssuerName(issuer)) return malformed(describeIssuer(issuer));
  const parameters = parseParameters(rest);
  if ('malformed' in parameters) return parameters;
  return { issuer: issuer === '' ? null : issuer.toLowerCase(), parameters: parameters.read };
}

function parseParameters(pieces: readonly string[]): { read: ReadonlyMap<string, string> } | Malformed {
  const read = new Map<string, string>();
  // One semicolon with nothing behind it is how "no CA" and "no parameters" are written.
  if (pieces.length === 0 || (pieces.length === 1 && trimSpaces(pieces[0] ?? '') === '')) return { read };
  for (const piece of pieces) {
    const equals = piece.indexOf('=');
    if (equals < 0) return malformed(`the parameter “${trimSpaces(piece)}” has no “=”`);
    const tag = trimSpaces(piece.slice(0, equals));
    const value = trimSpaces(piece.slice(equals + 1));
    if (!isTag(tag)) return malformed(`“${tag}” is not the name of a parameter`);
    if (!/^[!-:<-~]*$/.test(value))
      return malformed(`the value of “${tag}” has a character that is not allowed`);
    const name = tag.toLowerCase();
    // A CA must not take a property that has one of these twice (RFC 8657 §3 and §4).
    if (read.has(name) && bindingTags.includes(name))
      return malformed(`the parameter “${name}” is there more than once`);
    read.set(name, value);
  }
  return { read };
}

const bindingTags: readonly string[] = ['accounturi', 'validationmethods'];

function describeIssuer(text: string): string {
  if (/^["'“”]|["'“”]$/.test(text)) return `“${text}” has quotes in it, which are part of the value`;
  if (isIssuerName(text.replace(/\.$/, ''))) return `“${text}” ends in a dot`;
  if (/^https?:/i.test(text)) return `“${text}” is a web address and not a domain name`;
  return `“${text}” is not a domain name`;
}

function isIssuerName(text: string): boolean {
  return text.split('.').every(isTag);
}

// Letters and digits, hyphens inside.
function isTag(text: string): boolean {
  return /^[A-Za-z0-9-]+$/.test(text) && !text.startsWith('-') && !text.endsWith('-');
}
