import type { SpfCode } from '#shared/catalogue/dns-check/mail/rules/spf';
import {
  brokenBy,
  brokenIf,
  type Evidence,
  type Fix,
  notTested,
  type Verdict,
  type Verdicts,
} from '#shared/model/verdict';
import { haveOneOwner } from '../../../../dns/public-suffix.ts';
import { clip } from '../../../../mail/fault.ts';
import type { KnownSenders } from '../../mail-providers/find.ts';
import { brokenBySeen } from '../../verdicts.ts';
import { containsNetwork, privateKindOf } from '../address.ts';
import { isAll, type SpfBranch } from './grow-tree.ts';
import { judgeIdle } from './judge-idle.ts';
import { unseenIn } from './judge-tree.ts';
import { meantMechanism, type Mechanism, parseTerm, type SpfTerm } from './parse-term.ts';
import { closeRecord, republish, republishWithout } from './republish.ts';

/** Judges the terms of a record, and of what it hands on to. */
export function judgeTerms(root: SpfBranch, senders: KnownSenders) {
  const own = ownBranches(root);
  const ownUnseen = unseenEnd(own);
  return {
    ...judgeIdle(root, own),
    'spf-all-pass': judgePass(root, senders),
    ...judgeEnd(own, senders),
    'spf-range-too-wide': brokenBySeen(
      passingBranches(root).flatMap((branch) => findWide(branch, own.includes(branch))),
      unseenIn(root),
    ),
    'spf-range-private': brokenBySeen(own.flatMap(findPrivate), ownUnseen),
    'spf-term-repeated': judgeRepeated(root),
    'spf-ptr': judgePtr(root, own, ownUnseen),
    ...judgeModifiers(root),
  } satisfies Partial<Verdicts<SpfCode>>;
}

/** Registered beside redirect and exp: who is asked for reports of failures (RFC 6652 §4). */
const registeredModifiers = ['ra', 'rp', 'rr'];

function judgeModifiers(root: SpfBranch): Verdicts<'spf-modifier-unknown' | 'spf-mechanism-equals'> {
  const terms = root.spf?.terms ?? [];
  const unknown = terms.flatMap((term) =>
    term.name === 'unknown' && !registeredModifiers.includes(term.written.toLowerCase()) ? [term] : [],
  );
  const meant = unknown.flatMap((term) => {
    const text = meantTerm(term);
    return text === undefined ? [] : [{ term, text }];
  });
  const others = unknown.filter((one) => !meant.some(({ term }) => term === one));
  const written = terms.map((one) => ({ text: meant.find(({ term }) => term === one)?.text ?? one.text }));
  // An address needs no lookup, so nothing can come of it but what is meant.
  const isSafe = meant.every(({ text }) => /^ip[46]:/.test(text) && !('problem' in parseTerm(text, 0)));
  const text = 'Write a colon instead of the equals sign.';
  return {
    'spf-modifier-unknown': brokenBy(others.map((term) => ({ term: clip(term.text) }))),
    'spf-mechanism-equals': brokenBy(
      meant.map(({ term, text: right }) => ({ term: clip(term.text), meant: clip(right) })),
      isSafe ? republish(text, root, written) : { text },
    ),
  };
}

function meantTerm({
  written,
  text,
}: {
  readonly written: string;
  readonly text: string;
}): string | undefined {
  const value = text.slice(written.length + 1);
  const name = meantMechanism(written, value);
  return name && `${name}:${value}`;
}

/** The record itself and those it hands on to by redirect: what their owner has in hand. */
function ownBranches(root: SpfBranch): SpfBranch[] {
  const next = root.reached.find(({ term }) => term.name === 'redirect')?.branch;
  return next ? [root, ...ownBranches(next)] : [root];
}

const endUnseen = notTested('the record that it redirects to could not be read');
const endOpen = notTested('which record it redirects to depends on the message');

// Where the last redirect leads is not known: nobody answered, or it depends on the message.
function unseenEnd(own: readonly SpfBranch[]): Verdict | undefined {
  const last = own.at(-1);
  if (last?.end === 'unknown' || last?.end === 'limit') return endUnseen;
  const isOpen = last?.reached.some(({ term, branch }) => term.name === 'redirect' && branch === null);
  return isOpen === true ? endOpen : undefined;
}

/** Branches whose match makes the message pass: on the way there, every include has the qualifier +. */
function passingBranches(root: SpfBranch): SpfBranch[] {
  const below = root.reached.flatMap(({ term, branch }) =>
    branch && (term.kind === 'modifier' || term.qualifier === '+') ? passingBranches(branch) : [],
  );
  return [root, ...below];
}

function passingTerms({ reached }: SpfBranch): Mechanism[] {
  return reached.flatMap(({ term }) => (term.kind === 'mechanism' && term.qualifier === '+' ? [term] : []));
}

function judgePass(root: SpfBranch, senders: KnownSenders): Verdict {
  const evidence = passingBranches(root).flatMap((branch) =>
    openTerms(branch).map((term) => ({ name: clip(branch.domain), term: clip(term.text) })),
  );
  // A record that breaks the grammar passes nobody.
  if ((root.spf?.faults ?? []).length > 0) return 'not-applicable';
  const open: readonly SpfTerm[] = openTerms(root);
  if (open.length === 0) return brokenBySeen(evidence, unseenIn(root));
  const kept = (root.spf?.terms ?? []).filter((term) => !open.includes(term));
  const end = kept.some(isAll) ? [] : [{ text: '~all' }];
  const close = { senders, isOpen: true };
  return brokenBy(evidence, closeRecord('End the record with -all or ~all.', root, [...kept, ...end], close));
}

// Those that every address of a family matches.
function openTerms(branch: SpfBranch): Mechanism[] {
  return passingTerms(branch).filter((term) => term.name === 'all' || narrowestPrefix(term)?.prefix === 0);
}

function judgeEnd(
  own: readonly SpfBranch[],
  senders: KnownSenders,
): Verdicts<'spf-all-neutral' | 'spf-no-all'> {
  const last = own.at(-1);
  const [root] = own;
  const unseen = unseenEnd(own);
  if (!last || !root || last.spf === null || unseen) {
    const verdict = unseen ?? 'not-applicable';
    return { 'spf-all-neutral': verdict, 'spf-no-all': verdict };
  }
  const all = last.spf.terms.find(isAll);
  const isOpen = !all && !last.spf.terms.some(({ name }) => name === 'redirect');
  const fix = closeEnd(root, last, senders);
  const isNeutral = all?.kind === 'mechanism' && all.qualifier === '?';
  return {
    'spf-all-neutral': isNeutral ? brokenIf(true, { name: last.domain, term: all.text }, fix) : 'holds',
    'spf-no-all': brokenIf(isOpen, { name: last.domain }, fix),
  };
}

// A record of somebody else's is not the owner's to change: an include with an end of one's own lets the same servers send.
function closeEnd(root: SpfBranch, last: SpfBranch, senders: KnownSenders): Fix {
  const isForeign = root !== last && !haveOneOwner(root.domain, last.domain);
  const branch = isForeign ? root : last;
  const kept = (branch.spf?.terms ?? []).flatMap((term) => {
    if (isAll(term)) return [];
    return [term.name === 'redirect' && isForeign ? { text: `include:${term.domain.text}` } : term];
  });
  const text = isForeign
    ? `The end is in the record of ${clip(last.domain, 80)}, which is not yours. Include that record and add an end of your own.`
    : 'End the record with ~all, or with -all when every sender is listed.';
  return closeRecord(text, branch, [...kept, { text: '~all' }], { senders, isOpen: false });
}

// What an honest owner may have: a /16 or /32 of IPv6. Large providers publish somewhat wider ones in the records that others include.
const narrowest = { own: { ip4: 16, ip6: 32 }, included: { ip4: 8, ip6: 16 } };

function findWide(branch: SpfBranch, isOwn: boolean): Evidence[] {
  const least = isOwn ? narrowest.own : narrowest.included;
  return passingTerms(branch).flatMap((term) => {
    const range = narrowestPrefix(term);
    if (!range || range.prefix === 0 || range.prefix >= least[range.family]) return [];
    // A range that no stranger can send from has a rule of its own.
    if ('address' in term && privateKindOf(term.address) !== null) return [];
    const what =
      'address' in term ? `${term.address}/${range.prefix}` : `a /${range.prefix} around each address`;
    return [{ term: clip(term.text), from: clip(branch.domain), range: what }];
  });
}

function narrowestPrefix(term: Mechanism): { family: 'ip4' | 'ip6'; prefix: number } | null {
  if (term.name === 'ip4' || term.name === 'ip6') return { family: term.name, prefix: term.prefix };
  if (term.name !== 'a' && term.name !== 'mx') return null;
  // The shorter of the two, measured against what its family allows.
  return term.prefix4 / 16 <= term.prefix6 / 32
    ? { family: 'ip4', prefix: term.prefix4 }
    : { family: 'ip6', prefix: term.prefix6 };
}

function findPrivate(branch: SpfBranch): Evidence[] {
  return passingTerms(branch).flatMap((term) => {
    const kind = 'address' in term && term.prefix > 0 ? privateKindOf(term.address) : null;
    return kind === null ? [] : [{ term: clip(term.text), kind }];
  });
}

function judgeRepeated(root: SpfBranch): Verdict {
  const terms = root.reached.map(({ term }) => term).filter((term) => term.kind === 'mechanism');
  const repeated = terms.flatMap((term, index) => {
    const other = terms.find(
      (candidate, place) =>
        place !== index &&
        covers(candidate, term, place < index) &&
        terms.slice(index, place).every((between) => between.qualifier === term.qualifier),
    );
    return other ? [{ term, other }] : [];
  });
  const evidence = repeated.map(({ term, other }) => ({ term: clip(term.text), other: clip(other.text) }));
  return evidence.length === 0
    ? 'holds'
    : brokenBy(
        evidence,
        republishWithout(
          root,
          repeated.map(({ term }) => term),
        ),
      );
}

// Equal words: the later one is too much. A network inside another of the same qualifier: the inner one is, wherever it stands,
// but for a term between them that would then decide otherwise.
function covers(outer: Mechanism, inner: Mechanism, isBefore: boolean): boolean {
  const plain = ({ text }: Mechanism) => text.toLowerCase().replace(/^\+/, '');
  if (plain(outer) === plain(inner)) return isBefore;
  if (!('address' in outer) || !('address' in inner) || outer.qualifier !== inner.qualifier) return false;
  // Of two that are equal the later one is too much.
  return (outer.prefix < inner.prefix || isBefore) && containsNetwork(outer, inner);
}

function judgePtr(root: SpfBranch, own: readonly SpfBranch[], unseen: Verdict | undefined): Verdict {
  const found = own.flatMap((branch) =>
    branch.reached
      .filter(({ term }) => term.name === 'ptr')
      .map(({ term }) => ({ term, from: branch.domain })),
  );
  const evidence = found.map(({ term, from }) => ({ term: clip(term.text), from: clip(from) }));
  const mine = found.filter(({ from }) => from === root.domain).map(({ term }) => term);
  return brokenBySeen(evidence, unseen, mine.length === 0 ? undefined : republishWithout(root, mine));
}
