import type { MailFields, SpfNode } from '#shared/catalogue/dns-check/mail/report';
import type { SpfCode } from '#shared/catalogue/dns-check/mail/rules/spf';
import { isBroken, type Verdicts } from '#shared/model/verdict';
import { clip, showFaults } from '../../../../mail/fault.ts';
import type { MailEvidence } from '../evidence.ts';
import type { SpfFacts } from './facts.ts';
import { isAll, type SpfBranch } from './grow-tree.ts';

type SpfField = MailFields['spf'];

/** So many characters of the record are shown; receivers give up long before. */
const recordLimit = 10_000;

// Each of these makes every receiver answer permerror.
const fatal: readonly SpfCode[] = [
  'spf-multiple',
  'spf-syntax',
  'spf-include-syntax',
  'spf-too-many-lookups',
  'spf-too-many-voids',
  'spf-mx-limit',
  'spf-loop',
  'spf-include-missing',
  'spf-redirect-missing',
];

/** The field `spf` of the report. */
export function reportSpf(
  facts: SpfFacts,
  verdicts: Verdicts<SpfCode>,
  { message, mxHosts }: Pick<MailEvidence, 'message' | 'mxHosts'>,
): SpfField {
  const { records, tree, observation } = facts;
  const isFatal = fatal.some((code) => isBroken(verdicts[code]));
  return {
    state: stateOfSpf(facts, isFatal),
    record: records.length === 1 ? clip(records[0]?.text ?? '', recordLimit) : null,
    ...(records.length > 1 ? { records: records.slice(0, 20).map(({ text }) => clip(text, 500)) } : {}),
    valid: isFatal ? false : tree?.counts.complete ? true : null,
    ...(tree?.spf ? showTree(tree) : { ...noTree, complete: observation.outcome !== 'unknown' }),
    ...(message === null ? {} : { effectiveFor: message }),
    mxHosts: [...mxHosts],
  };
}

const noTree = { all: null, lookups: null, voidLookups: null, tree: null };

function showTree(tree: SpfBranch): Pick<SpfField, 'all' | 'lookups' | 'voidLookups' | 'complete' | 'tree'> {
  const { lookups, voids, complete } = tree.counts;
  return { all: findAll(tree), lookups, voidLookups: voids, complete, tree: showBranch(tree) };
}

/** The state of the part; a record that receivers cannot use is invalid. */
export function stateOfSpf({ observation, records }: SpfFacts, isFatal: boolean): SpfField['state'] {
  if (observation.outcome === 'unknown') return 'unknown';
  if (records.length === 0) return 'missing';
  return isFatal ? 'invalid' : 'ok';
}

// What happens to senders that nothing matches, in the record that the last redirect leads to.
function findAll({ spf, reached }: SpfBranch): string | null {
  const all = spf?.terms.find(isAll);
  if (all?.kind === 'mechanism') return `${all.qualifier}all`;
  const next = reached.find(({ term }) => term.name === 'redirect')?.branch;
  return next ? findAll(next) : null;
}

const stateOfEnd = {
  record: 'ok',
  none: 'missing',
  several: 'invalid',
  unknown: 'unknown',
  loop: 'invalid',
  limit: 'unknown',
} as const;

function showBranch(branch: SpfBranch): SpfNode {
  const { domain, via, end, why, spf, reached, counts } = branch;
  const faults = showFaults(spf?.faults ?? []);
  return {
    domain: clip(domain),
    via: via === null ? null : clip(via.term.text),
    state: faults.length > 0 ? 'invalid' : stateOfEnd[end],
    ...(why === '' ? {} : { reason: why }),
    record: spf === null ? null : clip(spf.text, 2000),
    lookups: counts.lookups,
    voidLookups: counts.voids,
    terms: reached.map(({ term, counts: own, isVoid4, isVoid6 }) => ({
      term: clip(term.text),
      position: term.at + 1,
      lookups: own.lookups,
      ...(isVoid4 === null || isVoid6 === null ? {} : { void: isVoid4 && isVoid6 }),
    })),
    faults,
    children: reached.flatMap(({ branch: child }) => (child === null ? [] : [showBranch(child)])),
  };
}
