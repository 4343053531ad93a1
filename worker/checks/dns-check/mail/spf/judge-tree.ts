import type { SpfCode } from '#shared/catalogue/dns-check/mail/rules/spf';
import { brokenBy, type Evidence, notTested, type Verdict, type Verdicts } from '#shared/model/verdict';
import { clip, showFault } from '../../../../mail/fault.ts';
import { brokenBySeen } from '../../verdicts.ts';
import { branchesOf, lookupLimit, type ReachedTerm, type SpfBranch } from './grow-tree.ts';
import { republish } from './republish.ts';

/** From so many lookups on there is a warning. */
const nearLimit = 8;
const voidLimit = 2;
const mxLimit = 10;

/** Judges what a record includes: broken branches, and the limits on lookups. */
export function judgeTree(root: SpfBranch) {
  const below = branchesOf(root).slice(1);
  const unseen = unseenIn(root);
  const exchanges = termsOf(root).filter(({ term }) => term.name === 'mx');
  const wide = exchanges.filter(({ mxHosts }) => mxHosts > mxLimit);
  const isMxUnseen = exchanges.some(({ isVoid4 }) => isVoid4 === null);
  return {
    ...judgeLookups(root),
    ...judgeVoids(root),
    'spf-include-syntax': brokenBySeen(below.flatMap(showBranchFault), unseen),
    'spf-mx-limit': brokenBySeen(
      wide.map(({ term, mxHosts }) => ({ term: clip(term.text), count: mxHosts })),
      isMxUnseen ? lookupUnseen : unseen,
    ),
    'spf-loop': brokenBySeen(below.filter(({ end }) => end === 'loop').map(showBranch), unseen),
    'spf-include-missing': judgeMissing(root, 'include'),
    'spf-redirect-missing': judgeMissing(root, 'redirect'),
    'spf-lookup-failed': judgeFailed(root),
  } satisfies Partial<Verdicts<SpfCode>>;
}

const branchUnseen = notTested('a part of the included records could not be seen');
const stopped = notTested(
  'the record needs more than ten lookups; receivers stop there, so what is behind them was not looked at',
);
const dependsOnMessage = notTested(
  'the record has an include or redirect that depends on the message, so it cannot be followed without one',
);
const lookupUnseen = notTested('some lookups of the record gave no answer');

/** The verdict on what a tree lacks, where a record of it could not be seen; undefined where the tree is whole. */
export function unseenIn(root: SpfBranch): Verdict | undefined {
  const { counts } = root;
  if (counts.complete) return undefined;
  if (counts.lookups > lookupLimit) return stopped;
  const branches = branchesOf(root);
  return branches.some(({ end }) => end === 'unknown') ? branchUnseen : dependsOnMessage;
}

/** The lookups that a receiver would not get answered either: it delays the mail, or goes on without SPF (RFC 7208 §2.6.6). */
function judgeFailed(root: SpfBranch): Verdict {
  const branches = branchesOf(root).filter(({ hasFailed }) => hasFailed);
  const terms = branchesOf(root).flatMap(({ domain: from, reached }) =>
    reached.flatMap(({ term, name, failure }) =>
      failure === ''
        ? []
        : [{ term: clip(term.text), from: clip(from), name: clip(name ?? ''), reason: failure }],
    ),
  );
  return brokenBySeen(
    [...branches.map((branch) => ({ ...showBranch(branch), reason: branch.why })), ...terms],
    root.counts.complete && root.counts.voidsComplete ? undefined : (unseenIn(root) ?? lookupUnseen),
  );
}

function judgeLookups(root: SpfBranch): Verdicts<'spf-too-many-lookups' | 'spf-near-limit'> {
  const { lookups } = root.counts;
  const evidence = countEvidence(root);
  if (lookups > lookupLimit)
    return { 'spf-too-many-lookups': brokenBy(evidence), 'spf-near-limit': 'not-applicable' };
  const below = unseenIn(root) ?? 'holds';
  return {
    'spf-too-many-lookups': below,
    'spf-near-limit': lookups >= nearLimit ? brokenBy(evidence) : below,
  };
}

function judgeVoids(root: SpfBranch): Verdicts<'spf-too-many-voids' | 'spf-void-one-family' | 'spf-voids'> {
  const all = voidEvidence(root, ({ isVoid4, isVoid6 }) => isVoid4 === true && isVoid6 === true);
  if (all.voids > voidLimit)
    return {
      'spf-too-many-voids': brokenBy([all]),
      'spf-void-one-family': 'not-applicable',
      'spf-voids': 'not-applicable',
    };
  const families = [
    { family: 'IPv4', ...voidEvidence(root, ({ isVoid4 }) => isVoid4 === true) },
    { family: 'IPv6', ...voidEvidence(root, ({ isVoid6 }) => isVoid6 === true) },
  ].filter(({ voids }) => voids > voidLimit);
  const below = root.counts.voidsComplete ? 'holds' : lookupUnseen;
  return {
    'spf-too-many-voids': below,
    'spf-void-one-family': families.length > 0 ? brokenBy(families) : below,
    'spf-voids': all.voids > 0 ? brokenBy([all]) : below,
  };
}

/** Every term of a tree that a message can reach. */
export function termsOf(root: SpfBranch): ReachedTerm[] {
  return branchesOf(root).flatMap(({ reached }) => reached);
}

// The whole first, then each term of the record itself: what to take out is seen at a glance.
function countEvidence({ domain, counts, reached }: SpfBranch): Evidence[] {
  const terms = reached.filter((term) => term.counts.lookups > 0);
  return [
    { name: domain, lookups: counts.lookups },
    ...terms.map(({ term, counts: own }) => ({ term: clip(term.text), lookups: own.lookups })),
  ];
}

function voidEvidence(root: SpfBranch, isVoid: (term: ReachedTerm) => boolean): Evidence & { voids: number } {
  const found = termsOf(root).filter(isVoid);
  return { voids: found.length, names: found.map(({ name }) => clip(name ?? '', 80)).join(', ') };
}

function showBranch({ via, domain }: SpfBranch): Evidence {
  return { term: clip(via?.term.text ?? ''), from: clip(via?.from ?? ''), name: clip(domain) };
}

function showBranchFault(branch: SpfBranch): Evidence[] {
  const [fault] = branch.spf?.faults ?? [];
  if (!fault) return [];
  const { position, problem } = showFault(fault);
  return [{ ...showBranch(branch), position, problem, at: clip(fault.term, 80) }];
}

function judgeMissing(root: SpfBranch, kind: 'include' | 'redirect'): Verdict {
  const broken = branchesOf(root).filter(
    ({ via, end }) => via?.term.name === kind && (end === 'none' || end === 'several'),
  );
  if (broken.length === 0) return unseenIn(root) ?? 'holds';
  const evidence = broken.map((branch) => ({ ...showBranch(branch), found: describeEnd(branch) }));
  const own = broken.filter(({ via }) => via?.from === root.domain).map(({ via }) => via?.term.text);
  if (kind === 'redirect' || own.length === 0) return brokenBy(evidence);
  const kept = (root.spf?.terms ?? []).filter(({ text }) => !own.includes(text));
  return brokenBy(evidence, republish('Remove the include, or correct the name.', root, kept));
}

function describeEnd({ end, why }: SpfBranch): string {
  if (end === 'several') return 'there are several SPF records';
  return why === 'the name does not exist' ? why : 'there is no SPF record';
}
