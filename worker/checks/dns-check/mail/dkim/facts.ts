import {
  aliasOf,
  nameExists,
  type Observation,
  oncePerObservation,
  textsOf,
} from '../../../../dns/observation.ts';
import { isRegistrable } from '../../../../dns/public-suffix.ts';
import type { Zone } from '../../../../dns/zone.ts';
import { type SyntaxFault, settle } from '../../../../mail/fault.ts';
import { selectorsFor } from '../../mail-providers/find.ts';
import { type DkimKey, isDkimKey, measureDkimKey, parseDkimKey } from './parse-dkim-key.ts';

type SelectorSource = 'caller' | 'provider' | 'common';

/** What is known of the keys of a domain. */
export type DkimFacts = {
  /** The name that all selectors are below. */
  readonly name: string;
  /** False: no selector can exist (RFC 8020 §2). */
  readonly subtreeExists: boolean | null;
  /** True where "_domainkey.<domain>.<domain>" exists: a full name was entered as one below the domain. Looked for where no key can exist. */
  readonly isDoubled: boolean;
  readonly selectors: readonly SelectorFacts[];
  /** How many selectors were tried. */
  readonly tried: number;
};

export type SelectorFacts = {
  readonly selector: string;
  readonly source: SelectorSource;
  readonly name: string;
  readonly observation: Observation;
  readonly alias: string | null;
  /** Texts that mean to be a key; for a caller's selector, all texts. */
  readonly texts: readonly string[];
  readonly key: DkimKey | null;
  readonly faults: readonly SyntaxFault[];
  readonly bits: number | null;
  /** Why the key cannot be read, as a sentence's end. */
  readonly keyProblem: string | null;
};

/** Sees the keys of the caller's selectors, of the providers that the names point to, and of selectors that many use. */
export function readDkim(
  zone: Zone,
  domain: string,
  { asked, names }: { asked: readonly string[]; names: readonly string[] },
): DkimFacts {
  const name = `_domainkey.${domain}`;
  const wild = zone.look(`*.${name}`, 'TXT');
  const wildcard = textsOf(wild).map(({ text }) => text);
  const tried = listSelectors(asked, names).map(({ selector, source }) =>
    readSelector(zone, name, selector, source),
  );
  // A wildcard answers for every selector; only what differs from it was published for the selector itself.
  const isOwn = ({ source, texts, alias }: SelectorFacts) =>
    source === 'caller' ||
    (texts.length === 0
      ? alias === null || alias !== aliasOf(wild)
      : texts.some((text) => !wildcard.includes(text)));
  const selectors = tried.filter((seen) => isWorthShowing(seen) && isOwn(seen));
  const subtree = nameExists(zone.look(name, 'TXT'));
  const isAbsent =
    subtree === false &&
    nameExists(zone.look(domain, 'A')) !== false &&
    !selectors.some(({ texts }) => texts.length > 0);
  return {
    name,
    // Some servers deny names that only have others below them; a key that was found is the better witness.
    subtreeExists: selectors.some(({ texts }) => texts.length > 0) ? true : subtree,
    isDoubled:
      isAbsent && isRegistrable(domain) && nameExists(zone.look(`${name}.${domain}`, 'TXT')) === true,
    selectors,
    tried: tried.length,
  };
}

function listSelectors(asked: readonly string[], names: readonly string[]) {
  const sources = new Map<string, SelectorSource>();
  const add = (source: SelectorSource) => (selector: string) => {
    if (!sources.has(selector)) sources.set(selector, source);
  };
  asked.map((selector) => selector.toLowerCase()).forEach(add('caller'));
  selectorsFor(names).forEach(add('provider'));
  commonSelectors.forEach(add('common'));
  return [...sources].map(([selector, source]) => ({ selector, source }));
}

function readSelector(zone: Zone, parent: string, selector: string, source: SelectorSource): SelectorFacts {
  const name = `${selector}.${parent}`;
  const observation = zone.look(name, 'TXT');
  const read = source === 'caller' ? readAsked(observation) : readGuessed(observation);
  return { selector, source, name, observation, alias: aliasOf(observation), ...read };
}

type KeyFacts = Pick<SelectorFacts, 'texts' | 'key' | 'faults' | 'bits' | 'keyProblem'>;

const readAsked = oncePerObservation((observation) => readKey(textsOf(observation).map(({ text }) => text)));
const readGuessed = oncePerObservation((observation) =>
  readKey(
    textsOf(observation)
      .map(({ text }) => text)
      .filter(isDkimKey),
  ),
);

function readKey(texts: readonly string[]): KeyFacts {
  const { value: key, faults } = settle(texts.length === 1 ? parseDkimKey(texts[0] ?? '') : null);
  return { texts, key, faults, ...measure(key) };
}

function measure(key: DkimKey | null): Pick<SelectorFacts, 'bits' | 'keyProblem'> {
  if (key === null || key.key === '' || !isKnownType(key)) return { bits: null, keyProblem: null };
  const strength = measureDkimKey(key);
  return 'bits' in strength
    ? { bits: strength.bits, keyProblem: null }
    : { bits: null, keyProblem: strength.problem };
}

/** True for the kinds of key that verifiers know (RFC 6376 §3.6.1, RFC 8463 §4). */
export function isKnownType({ keyType }: DkimKey): boolean {
  return keyType === 'rsa' || keyType === 'ed25519';
}

// A guess that found nothing says nothing; an alias to nowhere does.
function isWorthShowing({ source, texts, alias }: SelectorFacts): boolean {
  return source === 'caller' || texts.length > 0 || alias !== null;
}

/** Selectors that many use, with any provider. Names by convention, not from any standard. Those of a service stand in its row of the table. */
const commonSelectors = 'default dkim mail google selector1 selector2 k1 k2 s1 s2 key1 mx smtp dkim1'.split(
  ' ',
);
