import type { SpfCode } from '#shared/catalogue/dns-check/mail/rules/spf';
import {
  brokenBy,
  eachOf,
  type Fix,
  isBroken,
  notTested,
  type Verdict,
  type Verdicts,
} from '#shared/model/verdict';
import { clip } from '../../../../mail/fault.ts';
import { branchesOf, isAll, lookupLimit, type SpfBranch, unreachedSenders } from './grow-tree.ts';
import { canPass } from './judge-idle.ts';
import type { SpfTerm } from './parse-term.ts';
import { republish, republishWithout } from './republish.ts';

const shutCodes = ['spf-senders-shut-out', 'spf-senders-soft-failed'] as const;
const idleCodes = ['spf-after-all', 'spf-redirect-ignored'] as const;
type BehindCode = Extract<SpfCode, (typeof shutCodes | typeof idleCodes)[number]>;

/**
 * Judges what stands behind all, where no message gets. Where nobody passes before it, and senders are named behind it, these are all the
 * senders that there are.
 * @param freed what the record would lead to if they were reached; null where none are named
 * @param isParked nobody is meant to send, so nobody is missed
 */
export function judgeBehindAll(
  root: SpfBranch,
  freed: SpfBranch | null,
  isParked: boolean,
): Verdicts<BehindCode> {
  const shut = isParked ? eachOf(shutCodes, 'not-applicable') : judgeShut(root, freed);
  // One finding for one record.
  return Object.values(shut).some(isBroken)
    ? { ...shut, ...eachOf(idleCodes, 'not-applicable') }
    : { ...shut, ...judgeIdleTerms(root) };
}

function judgeShut(root: SpfBranch, freed: SpfBranch | null): Verdicts<(typeof shutCodes)[number]> {
  const all = root.spf?.terms.find(isAll);
  if (root.spf === null || all === undefined || freed === null || canPass(root) !== false)
    return eachOf(shutCodes, 'holds');
  const wouldPass = canPass(freed);
  if (wouldPass === null && branchesOf(freed).some(({ end }) => end === 'unknown'))
    return eachOf(shutCodes, notTested('a record that the senders behind all lead to could not be seen'));
  if (wouldPass === false) return eachOf(shutCodes, 'holds');
  const evidence = unreachedSenders(root.spf).map(({ text }) => ({ term: clip(text), all: all.text }));
  // Behind ?all they are as little looked at as others, which the end of the record says.
  const code = all.text.startsWith('-') ? shutCodes[0] : shutCodes[1];
  const isNeutral = all.text.startsWith('?');
  return {
    ...eachOf(shutCodes, 'holds'),
    ...(isNeutral ? {} : { [code]: brokenBy(evidence, freeingFix(root, freed)) }),
  };
}

// Of a record that leads to nothing, or to too much, receivers make a permerror.
function freeingFix(root: SpfBranch, freed: SpfBranch): Fix {
  const hasRedirect = freed.reached.some(({ term }) => term.name === 'redirect');
  const text = hasRedirect
    ? 'Take all away: the record that redirect leads to has an end of its own.'
    : 'Move all to the end.';
  const isWhole = branchesOf(freed).every(({ end, spf }) => end === 'record' && spf?.faults.length === 0);
  return isWhole && freed.counts.lookups <= lookupLimit
    ? republish(text, root, freed.spf?.terms ?? [])
    : {
        text: `${text} First see that each record it leads to is there, with no more than 10 lookups in all.`,
      };
}

function judgeIdleTerms(root: SpfBranch): Verdicts<(typeof idleCodes)[number]> {
  const terms = root.spf?.terms ?? [];
  const all = terms.find(isAll);
  const behind = all ? terms.slice(terms.indexOf(all) + 1).filter(({ kind }) => kind === 'mechanism') : [];
  const redirect = terms.find(({ name }) => name === 'redirect');
  return {
    'spf-after-all': judgeBehind(root, behind, all),
    'spf-redirect-ignored':
      redirect && all
        ? brokenBy([{ term: clip(redirect.text), all: all.text }], republishWithout(root, [redirect]))
        : 'holds',
  };
}

function judgeBehind(root: SpfBranch, behind: readonly SpfTerm[], all: SpfTerm | undefined): Verdict {
  if (!all || behind.length === 0) return 'holds';
  const evidence = behind.map(({ text }) => ({ term: clip(text), all: all.text }));
  const others = (root.spf?.terms ?? []).filter((term) => term !== all && !behind.includes(term));
  const text =
    'Remove the terms if no mail is sent by them. If they list senders, publish this record: it has them before all.';
  return brokenBy(
    evidence,
    republish(text, root, [...others, ...behind.filter((term) => !isAll(term)), all]),
  );
}
