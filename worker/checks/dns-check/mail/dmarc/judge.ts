import type { MailMode } from '#shared/catalogue/dns-check/mail/report';
import { type DmarcCode, dmarcRules } from '#shared/catalogue/dns-check/mail/rules/dmarc';
import {
  allOf,
  brokenBy,
  brokenIf,
  eachOf,
  type Fix,
  isBroken,
  notTested,
  type Verdict,
  type Verdicts,
} from '#shared/model/verdict';
import { aliasOf } from '../../../../dns/observation.ts';
import { isPublicSuffix } from '../../../../dns/public-suffix.ts';
import { clip, showFault } from '../../../../mail/fault.ts';
import { brokenBySeen, publish } from '../../verdicts.ts';
import type { Applied, DmarcFacts } from './facts.ts';
import { judgePolicy } from './judge-policy.ts';
import { judgeReports, reportCodes } from './judge-reports.ts';
import { withOneDmarc } from './one-record.ts';
import { parseDmarc } from './parse-dmarc.ts';
import { correctedNames, fixRecord, reportAddressOf, rewriteDmarc } from './rewrite-dmarc.ts';
import type { Step } from './walk-tree.ts';

/**
 * Judges the policy that applies to a domain.
 * @param isClosed the owner says, or it is plain, that nothing sends where nothing takes mail: then a fix may reject what is sent
 */
export function judgeDmarc(facts: DmarcFacts, mode: MailMode, isClosed: boolean): Verdicts<DmarcCode> {
  const { applied, domain, walk } = facts;
  const seen = { ...judgeRecords(facts), ...judgePlace(facts, mode, isClosed) };
  if (applied === 'unknown') {
    const { name, why } = walk.lost?.observation ?? { name: domain, why: 'it was not asked' };
    const unseen = allOf(dmarcRules, notTested(`the records of ${name} could not be read: ${why}`));
    return { ...unseen, ...seen };
  }
  if (applied === 'none') return { ...allOf(dmarcRules, 'not-applicable'), ...seen };
  const judged: Verdicts<DmarcCode> = {
    ...seen,
    // The record of the organization above is judged where it stands.
    ...(applied.domain === domain ? judgeText(facts, applied) : eachOf(textCodes, 'not-applicable')),
    ...judgePolicy(facts, applied, { mode, isClosed }),
    // Where somebody else's record applies, its reports are not the domain's to fix.
    ...(applied.domain === domain
      ? judgeReports(facts, applied, mode)
      : eachOf(reportCodes, 'not-applicable')),
  };
  return withOneDmarc(judged, applied.dmarc, isClosed && mode === 'parked');
}

function judgeRecords({ domain, walk, foreign, applied, hasProvenFailure }: DmarcFacts) {
  const own = walk.steps.find((step) => step.domain === domain);
  const ignored = ignoredRecords({ domain, walk, foreign });
  const others = foreign.filter((text) => findMeant(text).length === 0);
  const unseen = own?.observation.outcome === 'unknown' ? unread(own) : undefined;
  const lost = walk.lost === null ? undefined : unread(walk.lost);
  // What a registry publishes is not the domain's to change.
  const steps = walk.steps.filter((step) => step.domain === domain || !isPublicSuffix(step.domain));
  return {
    // Above a record that counts, only the organization is asked for.
    'dmarc-lookup-failed':
      applied === 'unknown' && walk.lost !== null && hasProvenFailure
        ? brokenBy([{ name: walk.lost.observation.name, reason: walk.lost.observation.why }])
        : (lost ?? 'holds'),
    'dmarc-multiple': brokenBySeen(steps.flatMap(showSeveral), lost),
    'dmarc-duplicate-tag': brokenBySeen(steps.flatMap(showRepeated), lost),
    'dmarc-record-ignored': unseen ?? brokenBy(ignored),
    'dmarc-foreign-record':
      unseen ?? brokenBy(others.map((record) => ({ name: `_dmarc.${domain}`, record }))),
  } satisfies Partial<Verdicts<DmarcCode>>;
}

// Beside a record that counts, one that does not is only untidy.
function ignoredRecords({ domain, walk, foreign }: Pick<DmarcFacts, 'domain' | 'walk' | 'foreign'>) {
  return walk.found.some((step) => step.domain === domain) ? [] : foreign.flatMap(findMeant);
}

function judgePlace(facts: DmarcFacts, mode: MailMode, isClosed: boolean) {
  const { domain, walk, misplaced, doubled } = facts;
  const hasOwn = walk.found.some((step) => step.domain === domain);
  const place = hasOwn ? 'holds' : judgeMisplaced(domain, misplaced, doubled);
  const missing = judgeMissing(facts, mode, isClosed);
  return {
    // The record that stands elsewhere is the one that is missing.
    'dmarc-missing':
      isBroken(missing) && isBroken(place) && place.fix ? { ...missing, fix: place.fix } : missing,
    'dmarc-alias-dangling': judgeAlias(facts),
    'dmarc-wrong-place': place,
  } satisfies Partial<Verdicts<DmarcCode>>;
}

function judgeAlias({ domain, walk }: DmarcFacts): Verdict {
  const own = walk.steps.find((step) => step.domain === domain);
  if (!own || own.observation.outcome === 'unknown') return own ? unread(own) : 'not-applicable';
  return brokenBy(danglingAlias(own));
}

function danglingAlias({ observation }: Step): { name: string; alias: string }[] {
  const alias = aliasOf(observation);
  return alias === null || observation.outcome === 'found'
    ? []
    : [{ name: observation.name, alias: clip(alias) }];
}

function judgeMisplaced(
  domain: string,
  misplaced: readonly string[] | null,
  doubled: readonly string[],
): Verdict {
  if (misplaced === null && doubled.length === 0)
    return notTested(`the TXT records of ${domain} could not be read`);
  const all = [
    ...(misplaced ?? []).map((record) => ({ name: domain, place: domain, record })),
    ...doubled.map((record) => ({ name: domain, place: `_dmarc.${domain}.${domain}`, record })),
  ];
  const first = all[0]?.record;
  if (first === undefined) return 'holds';
  const fix = publish('Move the record to this name.', `_dmarc.${domain}`, first);
  return brokenBy(all, fix);
}

function judgeMissing(facts: DmarcFacts, mode: MailMode, isClosed: boolean): Verdict {
  const { applied, domain, walk } = facts;
  const name = `_dmarc.${domain}`;
  if (applied === 'unknown')
    return notTested(
      `the records of ${walk.lost?.observation.name ?? name} could not be read: ${walk.lost?.observation.why ?? ''}`,
    );
  if (applied !== 'none') return 'holds';
  // Where a record is there and void, its own rule says so.
  const isExplained =
    walk.steps.some((step) => step.texts.length > 0 || danglingAlias(step).length > 0) ||
    ignoredRecords(facts).length > 0;
  if (isExplained) return 'not-applicable';
  const fix = mode === 'parked' ? closeFix(name, isClosed) : startFix(name, domain);
  return brokenIf(true, { name: domain }, fix);
}

function startFix(name: string, domain: string): Fix {
  const text = 'Publish a record that only collects reports at first, at an address that exists.';
  return publish(text, name, `v=DMARC1; p=none; rua=${reportAddressOf(domain)}`);
}

function closeFix(name: string, isClosed: boolean): Fix {
  return isClosed
    ? publish('Publish a record that rejects all mail in this name.', name, 'v=DMARC1; p=reject')
    : {
        text: `If nothing sends mail in this name, its web server included, publish v=DMARC1; p=reject at ${name}.`,
      };
}

function unread({ observation }: Step): Verdict {
  return notTested(`the records of ${observation.name} could not be read: ${observation.why}`);
}

function showSeveral({ observation, texts }: Step) {
  return texts.length < 2
    ? []
    : [{ name: observation.name, count: texts.length, records: texts.map((text) => clip(text)) }];
}

function showRepeated({ observation, texts, dmarc }: Step) {
  const [text] = texts;
  if (dmarc !== null || texts.length !== 1 || text === undefined) return [];
  const parsed = parseDmarc(text);
  const repeated = 'repeated' in parsed ? parsed.repeated : [];
  return repeated.map(({ first, second }) => ({
    name: observation.name,
    tag: clip(first.name, 40),
    first: first.at + 1,
    position: second.at + 1,
  }));
}

// What means to be DMARC: the word of its version somewhere near the start, or a policy tag.
function findMeant(record: string) {
  const start = record.trimStart().slice(0, 40).toLowerCase();
  if (/^[^a-z]+v\s*=\s*dmarc1?\b/.test(start))
    return [{ record, why: 'has quotes or other characters before v=DMARC1, which are part of the record' }];
  if (start.startsWith('v=dmarc') || start.startsWith('v ='))
    return [{ record, why: 'does not have exactly v=DMARC1 at its start' }];
  if (start.startsWith('dmarc1')) return [{ record, why: 'lacks v= before DMARC1' }];
  if (/^(?:p|sp|rua)\s?=/.test(start)) return [{ record, why: 'does not have v=DMARC1 as its first tag' }];
  return [];
}

const textCodes = [
  'dmarc-blank-first',
  'dmarc-syntax',
  'dmarc-historic-tag',
  'dmarc-unknown-tag',
  'dmarc-fo-ignored',
  'dmarc-psd-claimed',
] as const;

function judgeText(facts: DmarcFacts, applied: Applied): Verdicts<(typeof textCodes)[number]> {
  const { domain, dmarc } = applied;
  // A bad p, sp or np, and a bad report address, have rules of their own.
  const isTold = (term: string): boolean => ['p', 'sp', 'np', 'rua', 'ruf'].includes(term);
  const faults = dmarc.faults.filter(({ term }) => !isTold(term));
  return {
    'dmarc-blank-first': brokenIf(
      dmarc.isIndented,
      { name: `_dmarc.${domain}` },
      publish('Replace the record with this one.', `_dmarc.${domain}`, rewriteDmarc(dmarc, {})),
    ),
    'dmarc-syntax': brokenBy(faults.map((fault) => ({ name: `_dmarc.${domain}`, ...showFault(fault) }))),
    'dmarc-historic-tag': brokenBy(dmarc.historic),
    'dmarc-unknown-tag': brokenBy(
      dmarc.unknown.map(({ name, value, at }) => ({
        tag: clip(name, 40),
        value: clip(value, 80),
        position: at + 1,
      })),
      fixRecord(facts, applied, 'Correct the name of the tag, or remove it.', correctedNames(dmarc)),
    ),
    'dmarc-fo-ignored': brokenIf(dmarc.fo !== null && dmarc.ruf.length === 0, {
      fo: clip(dmarc.fo ?? '', 40),
    }),
    'dmarc-psd-claimed': brokenIf(
      domain === facts.domain && dmarc.psd === 'y',
      { name: `_dmarc.${domain}` },
      publish('Publish the record without psd=y.', `_dmarc.${domain}`, rewriteDmarc(dmarc, { psd: null })),
    ),
  };
}
