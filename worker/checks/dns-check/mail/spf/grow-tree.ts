import {
  exchangesOf,
  oncePerObservation,
  type Observation,
  type Txt,
  textsOf,
} from '../../../../dns/observation.ts';
import type { Zone } from '../../../../dns/zone.ts';
import { expandDomain } from './expand-domain.ts';
import { isSpf, parseSpf, printSpf, type Spf } from './parse-spf.ts';
import type { SpfTerm } from './parse-term.ts';

/** What stands at the end of a branch. Only `record` counts as SPF. */
export type BranchEnd = 'record' | 'none' | 'several' | 'unknown' | 'loop' | 'limit';

/** One record of the include tree, and what its terms lead to. */
export type SpfBranch = {
  readonly domain: string;
  /** The term that leads here, and the domain whose record has it; null at the root. */
  readonly via: { readonly term: SpfTerm; readonly from: string } | null;
  readonly end: BranchEnd;
  /** Ends a sentence; empty where there is nothing to say. */
  readonly why: string;
  /** True where the record's lookup failed as it would fail a receiver. */
  readonly hasFailed: boolean;
  readonly spf: Spf | null;
  /** Terms that a message can reach, in their order; those behind `all` are left out. */
  readonly reached: readonly ReachedTerm[];
  readonly counts: SpfCounts;
};

export type ReachedTerm = {
  readonly term: SpfTerm;
  /** The name it asks for; null where it asks nothing, or depends on the message. */
  readonly name: string | null;
  readonly branch: SpfBranch | null;
  /** Whether its lookup finds nothing for senders over IPv4 and IPv6; null where unknown or not asked. */
  readonly isVoid4: boolean | null;
  readonly isVoid6: boolean | null;
  /** Why its own lookup failed, as it would fail a receiver; empty where it did not. */
  readonly failure: string;
  /** True where its name does not exist at all. */
  readonly isGone: boolean;
  /** How many hosts an mx term leads to. */
  readonly mxHosts: number;
  /** Counts of this term and of all below it. */
  readonly counts: SpfCounts;
};

/** Lookups of a message that no term matches (RFC 7208 §4.6.4). */
export type SpfCounts = {
  readonly lookups: number;
  /** Terms that find nothing, whatever the sender's address. */
  readonly voids: number;
  readonly voids4: number;
  readonly voids6: number;
  /** False where a record below could not be seen: the counts are then the least there is. */
  readonly complete: boolean;
  /** False where also a lookup below gave no answer. */
  readonly voidsComplete: boolean;
};

/** After so many lookups receivers answer permerror (RFC 7208 §4.6.4), whatever is behind them: it is not looked at. */
export const lookupLimit = 10;

/** So many terms of a record are read; a record that needs more has passed every limit before. */
const termLimit = 200;

/** A branch while it grows; `finish` makes it a value. */
type Growing = {
  readonly domain: string;
  readonly via: SpfBranch['via'];
  readonly path: readonly string[];
  /** Instead of the record that stands there. */
  readonly text: string | null;
  end: BranchEnd;
  why: string;
  hasFailed: boolean;
  spf: Spf | null;
  terms: GrowingTerm[];
};
type GrowingTerm = { readonly reached: ReachedTerm; readonly below: Growing | null };

/**
 * Grows the include tree from what is known, breadth first, and asks the zone for everything that a level needs at once. Of the terms that
 * cost a lookup only the first ten are followed: with an eleventh the record is a permerror, and nothing behind it changes that.
 * @param text a record that would stand there instead, to see what it would lead to
 */
export function growSpfTree(zone: Zone, domain: string, text: string | null = null): SpfBranch {
  const root = newNode(domain, null, [], text);
  const context: TreeContext = { zone, sender: domain, lookups: 0 };
  const waiting = [root];
  for (let branch = waiting.shift(); branch; branch = waiting.shift()) {
    resolveNode(context, branch);
    waiting.push(...branch.terms.flatMap(({ below }) => (below?.end === 'record' ? [below] : [])));
  }
  return finish(root);
}

type TreeContext = { readonly zone: Zone; readonly sender: string; lookups: number };

function newNode(
  domain: string,
  via: SpfBranch['via'],
  path: readonly string[],
  text: string | null = null,
): Growing {
  return { domain, via, path, text, end: 'record', why: '', hasFailed: false, spf: null, terms: [] };
}

function resolveNode(context: TreeContext, branch: Growing): void {
  const stop = (end: BranchEnd, why: string): void => void Object.assign(branch, { end, why });
  if (branch.path.includes(branch.domain)) return stop('loop', 'it is already on the way here');
  const observation = context.zone.look(branch.domain, 'TXT');
  const records = branch.text === null ? parseOnce(observation) : readText(branch.text);
  branch.hasFailed = observation.hasFailed === true;
  if (observation.outcome === 'unknown') return stop('unknown', observation.why);
  if (records.length > 1) return stop('several', `there are ${records.length} records`);
  const [read] = records;
  if (!read)
    return stop(
      'none',
      observation.outcome === 'nxdomain' ? 'the name does not exist' : 'there is no record',
    );
  branch.spf = read.spf;
  branch.terms = read.terms.map((term) => reachTerm(context, branch, term));
}

// From the ends of the tree upwards: counts of a branch are those of all below it.
function finish({ domain, via, end, why, hasFailed, spf, terms }: Growing): SpfBranch {
  const reached = terms.map(({ reached: own, below }) => {
    if (below === null) return own;
    const branch = finish(below);
    return { ...own, branch, counts: { ...branch.counts, lookups: branch.counts.lookups + 1 } };
  });
  const counts =
    end === 'record'
      ? addCounts(reached)
      : { ...noCounts, ...completeness(end !== 'unknown' && end !== 'limit') };
  return { domain, via, end, why, hasFailed, spf, reached, counts };
}

/** The TXT records of a observation that receivers take for SPF. */
export function spfRecordsOf(observation: Observation): Txt[] {
  return textsOf(observation).filter(({ text }) => isSpf(text));
}

const parseOnce = oncePerObservation((observation) =>
  spfRecordsOf(observation).flatMap(({ text }) => readText(text)),
);

function readText(text: string): { spf: Spf; terms: SpfTerm[] }[] {
  const spf = parseSpf(text);
  return 'terms' in spf ? [{ spf, terms: reachTerms(spf).slice(0, termLimit) }] : [];
}

/** The terms that a message can reach, a redirect last (RFC 7208 §5.1, §6.1): what stands behind all is ignored, and so is a redirect wherever an all is. */
export function reachTerms({ terms }: Spf): SpfTerm[] {
  const all = terms.findIndex(isAll);
  const mechanisms = terms.filter((term, index) => term.kind === 'mechanism' && (all < 0 || index <= all));
  const redirect = terms.find((term) => term.kind === 'modifier' && term.name === 'redirect');
  return all < 0 && redirect ? [...mechanisms, redirect] : mechanisms;
}

/** Terms that name senders, and that no message reaches. */
export function unreachedSenders(spf: Spf): SpfTerm[] {
  const reached = reachTerms(spf);
  return spf.terms.filter((term) => {
    const isSender = term.kind === 'mechanism' ? term.qualifier === '+' : term.name === 'redirect';
    return isSender && !isAll(term) && !reached.includes(term);
  });
}

/** The record with its senders where messages get to them. A redirect is followed only where no all stands (RFC 7208 §6.1). */
export function freeSenders({ terms }: Spf): string {
  const all = terms.filter(isAll).slice(0, 1);
  const others = terms.filter((term) => !isAll(term));
  return printSpf(others.some(({ name }) => name === 'redirect') ? others : [...others, ...all]);
}

/** True for a mechanism all, whatever its qualifier. */
export function isAll(term: SpfTerm): boolean {
  return term.kind === 'mechanism' && term.name === 'all';
}

function completeness(complete: boolean) {
  return { complete, voidsComplete: complete };
}

const noCounts: SpfCounts = { lookups: 0, voids: 0, voids4: 0, voids6: 0, ...completeness(true) };
const asksNothing = {
  name: null,
  branch: null,
  isVoid4: null,
  isVoid6: null,
  failure: '',
  isGone: false,
  mxHosts: 0,
  counts: noCounts,
};

function reachTerm(context: TreeContext, from: Growing, term: SpfTerm): GrowingTerm {
  const leaf = (reached: Partial<ReachedTerm>): GrowingTerm => ({
    reached: { term, ...asksNothing, ...reached },
    below: null,
  });
  if (!('domain' in term) || term.name === 'exp') return leaf({});
  const { domain } = from;
  const name = term.domain === null ? domain : expandDomain(term.domain, { d: domain, o: context.sender });
  const leadsOn = term.name === 'include' || term.name === 'redirect';
  context.lookups += 1;
  // A ptr term asks for the sender's address, and a macro may need the message: one lookup each, of which nothing is known.
  if (name === null || term.name === 'ptr')
    return leaf({ name, counts: { ...noCounts, lookups: 1, ...completeness(!leadsOn) } });
  const isBeyond = context.lookups > lookupLimit;
  if (!leadsOn)
    return isBeyond
      ? leaf({ name, counts: { ...noCounts, lookups: 1, voidsComplete: false } })
      : leaf(reachAddresses(context.zone, term, name));
  const below = newNode(name, { term, from: domain }, [...from.path, domain]);
  if (isBeyond) Object.assign(below, { end: 'limit', why: beyondLimit });
  return { reached: { term, ...asksNothing, name }, below };
}

const beyondLimit = `more than ${lookupLimit} lookups are needed, and receivers do not get this far`;

function reachAddresses(zone: Zone, term: SpfTerm, name: string): ReachedTerm {
  const [four, six] =
    term.name === 'a' ? [zone.look(name, 'A'), zone.look(name, 'AAAA')] : lookOnce(zone, term, name);
  const isVoid4 = isVoid(four);
  const isVoid6 = isVoid(six);
  const counts = {
    lookups: 1,
    voids: isVoid4 && isVoid6 ? 1 : 0,
    voids4: isVoid4 ? 1 : 0,
    voids6: isVoid6 ? 1 : 0,
    complete: true,
    voidsComplete: isVoid4 !== null && isVoid6 !== null,
  };
  const failed = [four, six].find(({ hasFailed }) => hasFailed === true);
  const isGone = four.outcome === 'nxdomain' && six.outcome === 'nxdomain';
  return {
    term,
    name,
    branch: null,
    isVoid4,
    isVoid6,
    failure: failed?.why ?? '',
    isGone,
    mxHosts: exchangesOf(four).length,
    counts,
  };
}

// mx asks for MX, exists for A, whatever the sender's address (RFC 7208 §5.4, §5.7).
function lookOnce(zone: Zone, term: SpfTerm, name: string): [Observation, Observation] {
  const observation = zone.look(name, term.name === 'mx' ? 'MX' : 'A');
  return [observation, observation];
}

function isVoid({ outcome }: Observation): boolean | null {
  return outcome === 'unknown' ? null : outcome !== 'found';
}

function addCounts(terms: readonly ReachedTerm[]): SpfCounts {
  return terms.reduce(
    (sum, { counts }) => ({
      lookups: sum.lookups + counts.lookups,
      voids: sum.voids + counts.voids,
      voids4: sum.voids4 + counts.voids4,
      voids6: sum.voids6 + counts.voids6,
      complete: sum.complete && counts.complete,
      voidsComplete: sum.voidsComplete && counts.voidsComplete,
    }),
    noCounts,
  );
}

/** Every branch of a tree, the root first, in the order of the terms. */
export function branchesOf(root: SpfBranch): SpfBranch[] {
  const below = root.reached.flatMap(({ branch }) => (branch === null ? [] : branchesOf(branch)));
  return [root, ...below];
}

/** True for a policy that lets nobody send, and names nobody: senders behind all were meant to send. */
export function isMeantClosed(tree: SpfBranch): boolean {
  return isClosedSpf(tree) && tree.spf !== null && unreachedSenders(tree.spf).length === 0;
}

/** True for a policy that lets nobody send: "v=spf1 -all". */
export function isClosedSpf({ spf, reached }: SpfBranch): boolean {
  const [first, ...others] = reached;
  if (spf === null || spf.faults.length > 0 || others.length > 0) return false;
  return first?.term.kind === 'mechanism' && first.term.name === 'all' && first.term.qualifier === '-';
}
