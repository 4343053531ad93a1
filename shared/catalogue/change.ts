import type { Fate } from '../model/diff.ts';
import { checkFailed, type ReportState } from '../model/report.ts';
import type { Severity } from '../model/verdict.ts';
import { findSpec } from './registry.ts';
import { weighedSince } from './weighed-since.ts';

/** What is read of a finding to tell whether it changed. */
type Judged = { readonly code: string; readonly severity: Severity; readonly scoreEffect: number };

/** The verdicts of a report or of its outline. */
export type Verdicted<F extends Judged = Judged> = {
  readonly check: string;
  readonly state: ReportState;
  readonly rulesVersion: number;
  readonly findings: readonly F[];
  readonly passed: readonly string[];
  readonly notTested: readonly (string | { readonly code: string; readonly reason: string })[];
  /** What the network of the worker could not do: of a report, and of its outline. */
  readonly vantage?: { readonly missing: readonly string[] } | undefined;
  readonly missing?: readonly string[] | undefined;
};

/** What a later report says of a finding; `reason` is why it was not tested. */
export type FindingNow = { readonly state: Fate; readonly reason?: string };

/** Every finding of two reports of one check and target, in exactly one list. */
export type Changes<F extends Judged> = {
  /** In both, under whatever name it had: before and after. */
  readonly both: readonly (readonly [F, F])[];
  /** In the second; the first looked without finding it. */
  readonly added: readonly F[];
  /** In the second; the first could not look, or had no such rule, or another one of that name. */
  readonly newlyTested: readonly F[];
  /** In the first; the second looked, by the same rule, and it holds. */
  readonly fixed: readonly F[];
  /** In the first; the second could not look. */
  readonly noLongerTested: readonly F[];
  /** In the first; the second has nothing that the rule speaks of. */
  readonly noLongerApplies: readonly F[];
  /** In the first; the rule is gone, or weighs otherwise. */
  readonly noLongerJudged: readonly F[];
  /** In the second alone: what it could not look at. Never news of the target. */
  readonly notSeen: readonly F[];
  /** In the first alone: what it could not look at. */
  readonly seenAgain: readonly F[];
};

/**
 * The one place that says what changed between two reports of one check and target. Codes are read under the names of today. *Fixed* is only what was
 * broken, was looked at again, and holds by a rule of the same severity and points. Pure.
 * @param areFiguresOurs the parts of a domain-health were judged by other rules: what it says of their grades may be our change
 */
export function changesBetween<F extends Judged>(
  from: Verdicted<F>,
  to: Verdicted<F>,
  areFiguresOurs = false,
): Changes<F> {
  const [before, after] = [readToday(from), readToday(to)];
  const isOurs = (code: string) => areFiguresOurs && ofFigures.has(code);
  const both: (readonly [F, F])[] = [];
  const lists: Record<Exclude<keyof Changes<F>, 'both'>, F[]> = {
    added: [],
    newlyTested: [],
    fixed: [],
    noLongerTested: [],
    noLongerApplies: [],
    noLongerJudged: [],
    notSeen: [],
    seenAgain: [],
  };
  for (const [code, finding] of after.findings) {
    const older = before.findings.get(code);
    if (older) both.push([older, finding]);
    else if (isOfLooking(code)) lists.notSeen.push(finding);
    else lists[!isOurs(code) && isNew(before, after, code, finding) ? 'added' : 'newlyTested'].push(finding);
  }
  for (const [code, finding] of before.findings) {
    const now = fateOf(before, after, code, finding);
    const { state } = isOurs(code) && now.state === 'fixed' ? ours : now;
    if (state !== 'found') lists[isOfLooking(code) ? 'seenAgain' : listOf[state]].push(finding);
  }
  return { both, ...lists };
}

const ours = { state: 'not-judged' } as const;
const listOf = {
  fixed: 'fixed',
  'not-tested': 'noLongerTested',
  'not-applicable': 'noLongerApplies',
  'not-judged': 'noLongerJudged',
} as const satisfies Record<Exclude<Fate, 'found'>, keyof Changes<Judged>>;

/** What became of one finding of a report, by the same words. @param was the report that had it; left out: one by the same rules */
export function findingNow(to: Verdicted, code: string, was: Verdicted = to): FindingNow {
  const after = readToday(to);
  const today = codeToday(to.check, code);
  const before = readToday(was);
  return fateOf(before, after, today, before.findings.get(today));
}

/** The code under which the rules of today have what an earlier release called so. */
export function codeToday(check: string, code: string): string {
  return renamedIn(check).get(code) ?? code;
}

// What was not looked at, or what refused us alone: a fact of the moment and of us, whatever check says it.
const ofLooking: ReadonlySet<string> = new Set([
  checkFailed.code,
  'coverage-incomplete',
  'page-not-seen',
  'lookup-failed',
  'target-blocks-checks',
  'target-rate-limits',
  'mail-host-declined',
  'browser-failed',
  'browser-unavailable',
]);

/** True for a finding that says what could not be seen, and nothing of the target: its coming and going is no news. */
export function isOfLooking(code: string): boolean {
  return ofLooking.has(code);
}

/**
 * True where score and grade of two reports can be compared: both saw what the other saw of all that counts, and judged it by the same rules. Else a
 * change may be ours.
 */
export function areFiguresAlike(from: Verdicted, to: Verdicted): boolean {
  if (from.state !== to.state || to.state === 'failed' || from.rulesVersion !== to.rulesVersion) return false;
  const [before, after] = [readToday(from), readToday(to)];
  const isBlind = (one: Today<Judged>, other: Today<Judged>, code: string) =>
    one.unseen.has(code) && (other.findings.has(code) || other.passed.has(code));
  return Object.entries(findSpec(to.check)?.rules ?? {}).every(
    ([code, { points }]) => points === 0 || (!isBlind(before, after, code) && !isBlind(after, before, code)),
  );
}

/** Findings of domain-health about the grades of its parts and how grave their findings are. */
const ofFigures: ReadonlySet<string> = new Set(['finding-critical', 'category-failed', 'category-poor']);

/** A report's verdicts, under the codes of today. */
type Today<F extends Judged> = {
  readonly check: string;
  readonly isFailed: boolean;
  readonly rulesVersion: number;
  readonly findings: ReadonlyMap<string, F>;
  readonly passed: ReadonlySet<string>;
  /** Code → why. */
  readonly unseen: ReadonlyMap<string, string>;
  readonly missing: readonly string[];
};

/** Of two old codes that are one today, what is broken counts, then what was not tested. */
function readToday<F extends Judged>(report: Verdicted<F>): Today<F> {
  const { check, rulesVersion, state } = report;
  const names = renamedIn(check);
  const today = (code: string) => names.get(code) ?? code;
  const findings = new Map<string, F>();
  for (const finding of report.findings)
    if (!findings.has(today(finding.code))) findings.set(today(finding.code), finding);
  const unseen = new Map<string, string>();
  for (const one of report.notTested) {
    const { code, reason } = typeof one === 'string' ? { code: one, reason: '' } : one;
    if (!findings.has(today(code))) unseen.set(today(code), reason);
  }
  const passed = new Set(report.passed.map(today).filter((code) => !findings.has(code) && !unseen.has(code)));
  const missing = report.missing ?? report.vantage?.missing ?? [];
  return { check, rulesVersion, isFailed: state === 'failed', findings, passed, unseen, missing };
}

const renamed = new Map<string, ReadonlyMap<string, string>>();

function renamedIn(check: string): ReadonlyMap<string, string> {
  const known = renamed.get(check);
  if (known) return known;
  const rules = Object.entries(findSpec(check)?.rules ?? {});
  const names = new Map(
    rules.flatMap(([code, { replaces = [] }]) => replaces.map((old) => [old, code] as const)),
  );
  renamed.set(check, names);
  return names;
}

function isNew<F extends Judged>(before: Today<F>, after: Today<F>, code: string, finding: F): boolean {
  if (before.isFailed || before.unseen.has(code)) return false;
  if (before.rulesVersion === after.rulesVersion) return true;
  const isRule = findSpec(before.check)?.rules[code] !== undefined;
  return before.passed.has(code) && (!isRule || isSameRule(before, after, finding));
}

function fateOf<F extends Judged>(
  before: Today<F>,
  after: Today<F>,
  code: string,
  finding: F | undefined,
): FindingNow {
  if (after.findings.has(code)) return { state: 'found' };
  const reason = after.unseen.get(code);
  if (after.isFailed || reason !== undefined)
    return { state: 'not-tested', ...(reason === undefined || reason === '' ? {} : { reason }) };
  if (after.passed.has(code)) return fateOfPassed(before, after, finding);
  const isRule = findSpec(before.check)?.rules[code] !== undefined;
  // An older release may have had no such rule.
  return { state: isRule && before.rulesVersion <= after.rulesVersion ? 'not-applicable' : 'not-judged' };
}

function fateOfPassed<F extends Judged>(
  before: Today<F>,
  after: Today<F>,
  finding: F | undefined,
): FindingNow {
  if (hasLostPlace(before, after))
    return { state: 'not-tested', reason: 'not all of what had been seen could be looked at' };
  const isSame = finding ? isSameRule(before, after, finding) : before.rulesVersion === after.rulesVersion;
  return { state: isSame ? 'fixed' : 'not-judged' };
}

// Of a check that looks at several addresses or hosts, rules hold where they hold at those that answered.
const placesLost: { readonly [check: string]: readonly string[] } = {
  'ssl-check': ['endpoint-unreachable'],
  'smtp-check': ['mail-host-unreachable', 'mail-host-address-unreachable'],
};

/** True where a place gave no answer that had given one, or our network could do less: what was wrong there may be so still. */
function hasLostPlace(before: Today<Judged>, { check, findings, missing }: Today<Judged>): boolean {
  return (
    missing.some((kind) => !before.missing.includes(kind)) ||
    (placesLost[check] ?? []).some((code) => findings.has(code) && !before.findings.has(code))
  );
}

/** Whether the rule of a finding has the same severity and points in both releases, as far as today's knows. */
export function isSameRule(
  { check, rulesVersion: one }: Pick<Verdicted, 'check' | 'rulesVersion'>,
  { rulesVersion: other }: Pick<Verdicted, 'rulesVersion'>,
  { code, severity, scoreEffect }: Judged,
): boolean {
  if (one === other) return true;
  const rule = findSpec(check)?.rules[codeToday(check, code)];
  if (!rule || severity !== rule.severity || -scoreEffect > rule.points) return false;
  const since = weighedSince(check, codeToday(check, code));
  return since <= Math.min(one, other) || since > Math.max(one, other);
}
