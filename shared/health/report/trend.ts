import { changesBetween, type Verdicted } from '../../catalogue/change.ts';
import type { HealthFields } from '../../catalogue/domain-health/report.ts';
import { domainHealth } from '../../catalogue/domain-health/spec.ts';
import { findSpec } from '../../catalogue/registry.ts';
import { codesBroken, codesOf, isBroken, type Verdicts } from '../../model/verdict.ts';
import type { PreviousHealth } from '../evidence.ts';
import type { Category } from '../facts/categories.ts';

/** What the trend is taken of. */
export type Current = {
  readonly score: number | null;
  readonly coverage: number;
  readonly categories: readonly Category[];
  /** Its own. */
  readonly verdicts: Verdicts;
};

type Trend = NonNullable<HealthFields['trend']>;
type TrendFinding = Trend['newFindings'][number];

/**
 * What changed since the last report. Both reports must have the same rules, here and in every scored check, and the same scored
 * categories. Otherwise a change in this service would look like a change of the domain.
 */
export function reportTrend(previous: PreviousHealth | null, current: Current): Trend | undefined {
  if (!previous || previous.score === null || current.score === null) return undefined;
  if (previous.rulesVersion !== domainHealth.rulesVersion || previous.coverage !== current.coverage)
    return undefined;
  if (!current.categories.every((category) => isComparable(category, previous))) return undefined;
  const changes = [
    ...current.categories.flatMap((category) => changesIn(category, previous)),
    changesOf('health', domainHealth.name, previous, verdictsOf(current.verdicts)),
  ];
  return {
    previousAt: previous.checkedAt,
    ...(previous.reportId === null ? {} : { previousReportId: previous.reportId }),
    scoreDelta: current.score - previous.score,
    gradeBefore: previous.grade,
    categories: deltasOf(current.categories, previous),
    newFindings: changes.flatMap(({ added }) => added),
    fixedFindings: changes.flatMap(({ fixed }) => fixed),
  };
}

/** Codes of one category, or of domain-health itself, by what became of them. */
type Told = { readonly codes: readonly string[]; readonly notTested?: readonly string[] | undefined };
type ToldNow = { readonly [K in 'codes' | 'passed' | 'notTested']: readonly string[] };
type TrendChanges = { readonly added: readonly TrendFinding[]; readonly fixed: readonly TrendFinding[] };

// A category without a score is left out: a finding that it did not report may still apply. Mail is of two checks.
function changesIn(category: Category, previous: PreviousHealth): readonly TrendChanges[] {
  const { name, score, link, mailHosts, findings, passed, notTested } = category;
  if (score === null) return [];
  const now = { codes: findings.map(({ code }) => code), passed, notTested };
  const hosts = mailHosts?.reason === '' ? mailHosts.link?.check : undefined;
  const isOfHosts = (code: string) =>
    hosts !== undefined && !Object.hasOwn(findSpec(link.check)?.rules ?? {}, code);
  const before = previous.categories[name];
  return [link.check, ...(hosts === undefined ? [] : [hosts])].map((check) => {
    const isMeant = (code: string) => isOfHosts(code) === (check === hosts);
    const { codes, notTested: unseen } = before;
    return changesOf(
      name,
      check,
      { codes: codes.filter(isMeant), notTested: unseen?.filter(isMeant) },
      {
        codes: now.codes.filter(isMeant),
        passed: now.passed.filter(isMeant),
        notTested: now.notTested.filter(isMeant),
      },
    );
  });
}

/** Both were judged by the same rules. What a report of an earlier release does not tell of was not looked at. */
function changesOf(
  category: TrendFinding['category'],
  check: string,
  before: Told,
  { codes, passed, notTested }: ToldNow,
): TrendChanges {
  const unseen = before.notTested ?? codes.filter((code) => !before.codes.includes(code));
  const was = { codes: before.codes, passed: [], notTested: unseen };
  const { added, fixed } = changesBetween(
    verdicted(check, was),
    verdicted(check, { codes, passed, notTested }),
  );
  const name = (found: readonly { readonly code: string }[]) =>
    found.map(({ code }) => ({ category, code })).toSorted((a, b) => (a.code < b.code ? -1 : 1));
  return { added: name(added), fixed: name(fixed) };
}

function verdicted(check: string, { codes, passed, notTested }: ToldNow): Verdicted {
  const findings = codes.map((code) => ({ code, severity: 'info', scoreEffect: 0 }) as const);
  return { check, state: 'complete', rulesVersion: 0, findings, passed, notTested };
}

function verdictsOf(verdicts: Verdicts): ToldNow {
  const unbroken = codesOf(verdicts).filter((code) => !isBroken(verdicts[code] ?? 'holds'));
  return {
    codes: codesBroken(verdicts),
    passed: unbroken.filter((code) => verdicts[code] === 'holds'),
    notTested: unbroken.filter((code) => typeof verdicts[code] === 'object'),
  };
}

function isComparable({ name, score, link, mailHosts }: Category, previous: PreviousHealth): boolean {
  const before = previous.categories[name];
  if ((score === null) !== (before.score === null)) return false;
  if (score === null) return true;
  const hostsVersion = mailHosts?.reason === '' ? mailHosts.link?.rulesVersion : undefined;
  return link.rulesVersion === before.rulesVersion && hostsVersion === before.mailHostsVersion;
}

function deltasOf(categories: readonly Category[], previous: PreviousHealth): Trend['categories'] {
  return Object.fromEntries(
    categories.flatMap(({ name, score }) => {
      const before = previous.categories[name].score;
      return score === null || before === null ? [] : [[name, Math.round((score - before) * 10) / 10]];
    }),
  );
}
