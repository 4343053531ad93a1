import type { SpfCode } from '#shared/catalogue/dns-check/mail/rules/spf';
import { type Evidence, notTested, type Verdict, type Verdicts } from '#shared/model/verdict';
import { clip } from '../../../../mail/fault.ts';
import { brokenBySeen } from '../../verdicts.ts';
import { branchesOf, isAll, type ReachedTerm, type SpfBranch } from './grow-tree.ts';
import { unseenIn } from './judge-tree.ts';
import { republishWithout } from './republish.ts';

type IdleCode = Extract<SpfCode, 'spf-include-empty' | 'spf-include-contained' | 'spf-name-missing'>;

/**
 * Judges terms that let nobody send whom another term does not.
 * @param own the record and those that it hands on to
 */
export function judgeIdle(root: SpfBranch, own: readonly SpfBranch[]): Verdicts<IdleCode> {
  const terms = own.flatMap((branch) =>
    branch.reached.map((reached) => ({ ...reached, from: branch.domain })),
  );
  const empty = terms.filter(
    ({ term, branch }) => term.name === 'include' && branch && canPass(branch) === false,
  );
  const gone = terms.filter(({ term, isGone }) => isGone && (term.name === 'a' || term.name === 'mx'));
  const isOpen = terms.some(
    ({ name, isVoid4, term }) => isAddressTerm(term) && name !== null && isVoid4 === null,
  );
  const unseen = unseenIn(root);
  return {
    'spf-include-empty': told(root, empty, unseen),
    'spf-name-missing': told(
      root,
      gone,
      isOpen ? notTested('some lookups of the record gave no answer') : unseen,
    ),
    'spf-include-contained': judgeContained(root, unseen),
  };
}

type OwnTerm = ReachedTerm & { readonly from: string };

function isAddressTerm({ name }: ReachedTerm['term']): boolean {
  return name === 'a' || name === 'mx';
}

function told(root: SpfBranch, idle: readonly OwnTerm[], unseen: Verdict | undefined): Verdict {
  const evidence = idle.map(({ term, from, name }) => ({
    term: clip(term.text),
    from: clip(from),
    name: clip(name ?? ''),
  }));
  const mine = idle.filter(({ from }) => from === root.domain).map(({ term }) => term);
  return brokenBySeen(evidence, unseen, mine.length === 0 ? undefined : republishWithout(root, mine));
}

/** Whether any message passes by this record; null where that is not known. A record that is missing or broken has rules of its own. */
export function canPass(branch: SpfBranch): boolean | null {
  if (branch.spf === null || branch.spf.faults.length > 0) return null;
  const claims = branch.reached.map(({ term, branch: below }) => {
    if (term.kind === 'mechanism' && term.qualifier !== '+') return false;
    const leadsOn = term.name === 'include' || term.name === 'redirect';
    return leadsOn ? below && canPass(below) : true;
  });
  return claims.includes(true) ? true : claims.includes(null) ? null : false;
}

// An include of the record itself whose target is reached through another include too, where nothing on the way there shuts anybody out.
function judgeContained(root: SpfBranch, unseen: Verdict | undefined): Verdict {
  const found = root.reached.flatMap((reached) => {
    const other = root.reached.find((one) => one !== reached && contains(one, reached));
    return other ? [{ reached, other }] : [];
  });
  const evidence: Evidence[] = found.map(({ reached: { term, name }, other }) => ({
    term: clip(term.text),
    other: clip(other.term.text),
    name: clip(name ?? ''),
  }));
  const terms = found.map(({ reached }) => reached.term);
  return brokenBySeen(evidence, unseen, republishWithout(root, terms));
}

function contains(outer: ReachedTerm, inner: ReachedTerm): boolean {
  if (!isPlainInclude(outer) || !isPlainInclude(inner) || outer.branch === null) return false;
  const below = branchesOf(outer.branch);
  const isOpen = below.every(({ reached }) => reached.every(({ term }) => isAll(term) || isPassing(term)));
  return isOpen && below.slice(1).some(({ domain, end }) => domain === inner.name && end === 'record');
}

function isPlainInclude({ term, branch }: ReachedTerm): boolean {
  return term.name === 'include' && term.qualifier === '+' && branch !== null;
}

function isPassing(term: ReachedTerm['term']): boolean {
  return term.kind === 'modifier' || term.qualifier === '+';
}
