import type { SpfCode } from '#shared/catalogue/dns-check/mail/rules/spf';
import type { Verdicts } from '#shared/model/verdict';
import { withOneRecord } from '../one-record.ts';
import { branchesOf, type SpfBranch } from './grow-tree.ts';
import { isSpf, parseSpf, printSpf } from './parse-spf.ts';
import { hasSender, isEnd } from './republish.ts';

type Terms = readonly { readonly text: string }[];

/** The verdicts on a sender policy, with one record for each name that has all the changes. */
export function withOneSpf(verdicts: Verdicts<SpfCode>, tree: SpfBranch): Verdicts<SpfCode> {
  const records = new Map(branchesOf(tree).map(({ domain, spf }) => [domain, spf?.terms ?? []]));
  return withOneRecord(verdicts, {
    isOurs: ({ type, value }) => type === 'TXT' && isSpf(value),
    // Whether anybody sends for the domain.
    choices: ['spf-not-closed'],
    join: (name, values) => joinTerms(records.get(name) ?? [], values.map(termsOf)),
  });
}

function termsOf(text: string): Terms {
  const spf = parseSpf(text);
  return 'terms' in spf ? spf.terms : [];
}

/**
 * One list of terms with the changes of several: the one that adds something, less what the others leave out. Of equal terms the later goes.
 * Undefined where nobody would be left who sends: that is the owner's to say.
 */
function joinTerms(base: Terms, lists: readonly Terms[]): string | undefined {
  const [first = [], ...others] = lists.toSorted((a, b) => missing(b, base).length - missing(a, base).length);
  const joined = others.reduce<Terms>((terms, other) => {
    const kept = missing(base, other).reduce(withoutLast, terms);
    const added = missing(other, base).filter(({ text }) => !kept.some((term) => term.text === text));
    const end = kept.findIndex((term) => isEnd(term) || /^(?:redirect|exp)=/i.test(term.text));
    return end < 0 ? [...kept, ...added] : [...kept.slice(0, end), ...added, ...kept.slice(end)];
  }, first);
  const closed = lists.some((list) => list.slice(-1).some(isEnd)) ? withAllLast(joined) : joined;
  return hasSender(base) && !hasSender(closed) ? undefined : printSpf(closed);
}

function withAllLast(terms: Terms): Terms {
  const all = terms.filter(isEnd).slice(0, 1);
  return [...terms.filter((term) => !isEnd(term)), ...all];
}

/** What a list has and another one has not, as often as it is missing there. */
function missing(terms: Terms, other: Terms): Terms {
  return other.reduce(withoutLast, terms);
}

function withoutLast(terms: Terms, { text }: { readonly text: string }): Terms {
  const at = terms.findLastIndex((term) => term.text === text);
  return at < 0 ? terms : terms.toSpliced(at, 1);
}
