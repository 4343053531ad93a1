import ipaddr from 'ipaddr.js';
import { isAllDigits, lengthOf } from '../../../../mail/ascii.ts';
import { clip, type SyntaxFault } from '../../../../mail/fault.ts';
import { type DomainSpec, parseDomainSpec, parseMacroString } from './parse-domain-spec.ts';

export type Qualifier = '+' | '-' | '~' | '?';

type Placed = {
  readonly text: string;
  /** Offset in the record. */
  readonly at: number;
};

export type Mechanism = Placed & { readonly kind: 'mechanism'; readonly qualifier: Qualifier } & (
    | { readonly name: 'all' }
    | { readonly name: 'include' | 'exists'; readonly domain: DomainSpec }
    | { readonly name: 'ptr'; readonly domain: DomainSpec | null }
    | {
        readonly name: 'a' | 'mx';
        /** null: the domain of the record itself. */
        readonly domain: DomainSpec | null;
        readonly prefix4: number;
        readonly prefix6: number;
      }
    | { readonly name: 'ip4' | 'ip6'; readonly address: string; readonly prefix: number }
  );

export type Modifier = Placed & { readonly kind: 'modifier' } & (
    | { readonly name: 'redirect' | 'exp'; readonly domain: DomainSpec }
    | { readonly name: 'unknown'; readonly written: string }
  );

export type SpfTerm = Mechanism | Modifier;

/**
 * Reads one word of a record: a directive or a modifier (RFC 7208 §4.6.1).
 * @param at its offset in the record
 */
export function parseTerm(word: string, at: number): SpfTerm | SyntaxFault {
  const stop = lengthOf(/^[^:/=]+/, word);
  return word[stop] === '=' ? parseModifier(word, at, stop) : parseDirective(word, at);
}

function parseModifier(word: string, at: number, equals: number): Modifier | SyntaxFault {
  const written = word.slice(0, equals);
  const value = word.slice(equals + 1);
  // name = ALPHA *( ALPHA / DIGIT / "-" / "_" / "." )
  const slip = lengthOf(/^[a-z][a-z0-9_.-]*/i, written);
  if (slip < written.length || written === '')
    return { at: at + slip, term: word, problem: `"${clip(written, 40)}" is not a modifier’s name` };
  const name = written.toLowerCase();
  const valueAt = at + equals + 1;
  const placed = { text: word, at, kind: 'modifier' as const };
  if (name !== 'redirect' && name !== 'exp') {
    const macro = parseMacroString(value, valueAt);
    return 'problem' in macro ? { ...macro, term: word } : { ...placed, name: 'unknown', written };
  }
  const domain = parseDomainSpec(value, valueAt);
  return 'problem' in domain ? { ...domain, term: word } : { ...placed, name, domain };
}

function parseDirective(word: string, at: number): Mechanism | SyntaxFault {
  const signed = '+-~?'.includes(word[0] ?? ' ');
  const qualifier = signed ? (word[0] as Qualifier) : '+';
  const start = signed ? 1 : 0;
  const stop = lengthOf(/^[^:/]+/, word);
  const name = word.slice(start, stop).toLowerCase();
  const rest = { text: word.slice(stop), at: at + stop };
  const body = parseBody(name, rest, { term: word, nameAt: at + start });
  return 'problem' in body
    ? { ...body, term: word }
    : { text: word, at, kind: 'mechanism', qualifier, ...body };
}

type Rest = { readonly text: string; readonly at: number };
type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
type Body = DistributiveOmit<Mechanism, 'text' | 'at' | 'kind' | 'qualifier'>;

function parseBody(name: string, rest: Rest, whole: { term: string; nameAt: number }): Body | SyntaxFault {
  switch (name) {
    case 'all':
      return rest.text === '' ? { name } : { at: rest.at, term: '', problem: 'nothing may follow all' };
    case 'include':
    case 'exists':
    case 'ptr':
      return parseDomainTerm(name, rest);
    case 'a':
    case 'mx':
      return parseAddressTerm(name, rest);
    case 'ip4':
    case 'ip6':
      return parseIpTerm(name, rest);
    default:
      return { at: whole.nameAt, term: '', problem: whyUnknown(name) };
  }
}

function parseDomainTerm(name: 'include' | 'exists' | 'ptr', rest: Rest): Body | SyntaxFault {
  const domain = parseColonDomain(rest);
  if (domain !== null && 'problem' in domain) return domain;
  if (name === 'ptr') return { name, domain };
  if (domain === null) return { at: rest.at, term: '', problem: `${name} needs a colon and a domain name` };
  return { name, domain };
}

// Words that are often written instead of a mechanism, with what was meant.
const slips: ReadonlyMap<string, string> = new Map([
  ['ip', 'ip4 or ip6'],
  ['ipv4', 'ip4'],
  ['ipv6', 'ip6'],
  ['inc', 'include'],
  ['includes', 'include'],
  ['redirect', 'redirect='],
  ['aaaa', 'a'],
  ['exist', 'exists'],
]);

const mechanismsWithValue = ['include', 'a', 'mx', 'ptr', 'ip4', 'ip6', 'exists'];

/** The mechanism that a word in front of a value means, right or as it is often misspelt; undefined where it means none. */
export function meantMechanism(word: string, value: string): string | undefined {
  const name = word.toLowerCase();
  if (name === 'ip') return value.includes(':') ? 'ip6' : 'ip4';
  const meant = slips.get(name) ?? name;
  return mechanismsWithValue.includes(meant) ? meant : undefined;
}

function whyUnknown(name: string): string {
  if (name === '') return 'a mechanism is missing';
  const meant = slips.get(name);
  const hint = meant === undefined ? '' : `; ${meant} is meant`;
  return `"${clip(name, 40)}" is not a mechanism${hint}`;
}

function parseColonDomain(rest: Rest): DomainSpec | SyntaxFault | null {
  if (rest.text === '') return null;
  if (!rest.text.startsWith(':'))
    return { at: rest.at, term: '', problem: 'a prefix length cannot stand here' };
  return parseDomainSpec(rest.text.slice(1), rest.at + 1);
}

// [ ":" domain-spec ] [ "/" ip4 ] [ "/" "/" ip6 ]; a domain-spec may itself hold slashes, so the lengths are read from the end.
function parseAddressTerm(name: 'a' | 'mx', rest: Rest): Body | SyntaxFault {
  const six = splitPrefix(rest.text, '//');
  const four = splitPrefix(six.before, '/');
  const prefix6 = readPrefix(six.digits, 128);
  const prefix4 = readPrefix(four.digits, 32);
  if (prefix4 === undefined)
    return { at: rest.at + four.before.length, term: '', problem: 'an IPv4 prefix length is 0 to 32' };
  if (prefix6 === undefined)
    return { at: rest.at + six.before.length, term: '', problem: 'an IPv6 prefix length is 0 to 128' };
  if (four.before !== '' && !four.before.startsWith(':'))
    return { at: rest.at, term: '', problem: 'a prefix length is a slash and a number' };
  const domain = parseColonDomain({ text: four.before, at: rest.at });
  return domain !== null && 'problem' in domain ? domain : { name, domain, prefix4, prefix6 };
}

// Cuts off digits at the end that stand behind the slashes; no digits, nothing cut.
function splitPrefix(text: string, slashes: string): { before: string; digits: string | null } {
  const at = text.lastIndexOf(slashes);
  const digits = text.slice(at + slashes.length);
  return at >= 0 && isAllDigits(digits)
    ? { before: text.slice(0, at), digits }
    : { before: text, digits: null };
}

// "0", or 1 to 9 and more digits: no leading zero.
function readPrefix(digits: string | null, most: number): number | undefined {
  if (digits === null) return most;
  if (digits.length > 3 || (digits.length > 1 && digits.startsWith('0'))) return undefined;
  const length = Number(digits);
  return length <= most ? length : undefined;
}

// "ip4:192.0.2.0/24-all": two terms that run together.
function whyNotPrefix(text: string, fallback: string): string {
  const next = /^\/{0,2}\d*([+~?-](?:all|a|mx|ip4|ip6|include|exists|ptr)\b.*)$/i.exec(text)?.[1];
  return next === undefined ? fallback : `a space is missing before "${clip(next, 40)}"`;
}

function parseIpTerm(name: 'ip4' | 'ip6', rest: Rest): Body | SyntaxFault {
  const most = name === 'ip4' ? 32 : 128;
  const slash = rest.text.indexOf('/');
  const address = rest.text.slice(1, slash < 0 ? undefined : slash);
  if (!rest.text.startsWith(':') || address === '')
    return { at: rest.at, term: '', problem: `${name} needs a colon and an address` };
  if (!(name === 'ip4' ? ipaddr.IPv4.isValidFourPartDecimal(address) : isIp6(address)))
    return { at: rest.at + 1, term: '', problem: whyNotAddress(name, address) };
  const digits = slash < 0 ? null : rest.text.slice(slash + 1);
  const prefix = digits === null || isAllDigits(digits) ? readPrefix(digits, most) : undefined;
  if (prefix === undefined)
    return {
      at: rest.at + slash,
      term: '',
      problem: whyNotPrefix(rest.text.slice(slash), `a prefix length of ${name} is 0 to ${most}`),
    };
  return { name, address, prefix };
}

function whyNotAddress(name: 'ip4' | 'ip6', address: string): string {
  const shown = clip(address, 60);
  if (name === 'ip4' && isIp6(address)) return `"${shown}" is an IPv6 address; ip6 is meant`;
  if (name === 'ip6' && ipaddr.IPv4.isValidFourPartDecimal(address))
    return `"${shown}" is an IPv4 address; ip4 is meant`;
  return `"${shown}" is not an ${name === 'ip4' ? 'IPv4' : 'IPv6'} address`;
}

function isIp6(text: string): boolean {
  // The library also reads zone ids and IPv4 in shortened forms; neither is in the grammar (RFC 4291 §2.2).
  if (text.length > 45 || text.includes('%') || !text.includes(':') || !ipaddr.IPv6.isValid(text))
    return false;
  const dotted = text.slice(text.lastIndexOf(':') + 1);
  return !dotted.includes('.') || ipaddr.IPv4.isValidFourPartDecimal(dotted);
}
