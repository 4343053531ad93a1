import { gradeNames } from '../model/score.ts';
import { severities, type Severity } from '../model/verdict.ts';
import { changesBetween, codeToday } from './change.ts';
import { domainHealth } from './domain-health/spec.ts';
import { haveOtherParts, partsOfOutline } from './health-parts.ts';
import { areGradesAlike } from './news.ts';
import type { Outline, OutlinedReport } from './outline.ts';
import { findSpec } from './registry.ts';

/** One report of an outline. */
export type Part = Pick<OutlinedReport, 'check' | 'target'>;

export type Look = {
  /** What was believed so far. */
  readonly from: Outline;
  readonly to: Outline;
  /** What the looks before saw to be otherwise, without being believed. */
  readonly pending: readonly string[];
  /** The part that was looked at, where only that was. */
  readonly only?: Part | undefined;
};

export type HeldBack = {
  /** What is believed of this look: what was seen only once is as it was. */
  readonly outline: Outline;
  /** What the next look may confirm. */
  readonly pending: readonly string[];
  /** The one report whose next look would confirm the gravest of it; undefined where none would. */
  readonly wanted: Part | undefined;
};

type Found = OutlinedReport['findings'][number];
/** A finding that is not believed to be fixed yet, of the report at that place. */
type Held = { readonly at: number; readonly finding: Found };

/**
 * Stands between a look and what a watch tells. That something is fixed, that the grade rose and that a target is back are believed when a second look
 * says so, too; and that a target is gone, where no control showed that our own network worked. All else is believed at once. Pure.
 * @param minSeverity what is below is no reason to look again
 */
export function holdBack(seen: Look, minSeverity: Severity): HeldBack {
  const look = { ...seen, pending: seen.pending.map(nameToday) };
  const { from, to } = look;
  if (isGoneUnproven(look)) {
    const outline = { ...from, expiries: to.expiries.length > 0 ? to.expiries : from.expiries };
    const lost = to.reports.find(({ state }, at) => state === 'unreachable' && isLookable(to, at));
    const others = look.pending.filter((name) => name !== 'gone');
    const pending = look.only ? others : [...others, 'gone'];
    return { outline, pending, wanted: lost && partOf(lost) };
  }
  const parts = to.reports.flatMap((_, at) => (at === 0 ? [] : heldIn(look, at, false)));
  // A look at one part confirms what follows from it where that part, and no other, was in question.
  const isOpen = look.only !== undefined && (parts.length > 0 || isContradicted(look));
  const held = [...heldIn(look, 0, isOpen), ...parts];
  const figures = heldFigures(look, isOpen);
  const reports = to.reports.map((newer, at) => {
    const believed = putBack(
      newer,
      held.filter((one) => one.at === at),
    );
    return at === 0 ? { ...believed, ...figures?.before } : believed;
  });
  const names = held.map(({ at, finding }) => nameOf(to.reports[at], finding.code));
  const pending = [...names, ...stillPending(look), ...(figures ? [figures.name] : [])];
  return {
    outline: { ...to, reports },
    pending: [...new Set(pending)],
    wanted: wantedOf(
      look,
      held.filter(({ finding }) => rankOf(finding) <= severities.indexOf(minSeverity)),
      figures,
    ),
  };
}

/** The outline of a look at a whole, with one of its parts as it was seen since. */
export function replacePart({ reports, ...outline }: Outline, part: OutlinedReport): Outline {
  return {
    ...outline,
    reports: reports.map((report) =>
      isSame(report, part)
        ? { ...part, ...(report.categories ? { categories: report.categories } : {}) }
        : report,
    ),
  };
}

/** A name of before under the codes of today. */
function nameToday(name: string): string {
  const [check = '', target = '', code] = name.split(' ');
  return code === undefined ? name : nameOf({ check, target }, code);
}

const isSame = (one: Part, other: Part) => one.check === other.check && one.target === other.target;
const partOf = ({ check, target }: Part): Part => ({ check, target });
const rankOf = ({ severity }: Found) => severities.indexOf(severity);

function nameOf(report: Part | undefined, code: string): string {
  return report ? `${report.check} ${report.target} ${codeToday(report.check, code)}` : '';
}

/** Of a domain-health, one part alone is looked at again. */
function isLookable({ reports: [own] }: Outline, at: number): boolean {
  return at > 0 || own?.check !== domainHealth.name;
}

function isGoneUnproven({ from, to, pending, only }: Look): boolean {
  const isGone = to.reports[0]?.state === 'unreachable' && from.reports[0]?.state !== 'unreachable';
  if (!isGone || !to.reports.some(({ untried }) => untried === true)) return false;
  return !pending.includes('gone') || (only !== undefined && lookedAt(to, only)?.state !== 'unreachable');
}

/** Whether the part that was looked at again has again what it had lost. */
function isContradicted({ to, pending, only }: Look): boolean {
  const looked = only && lookedAt(to, only);
  return looked?.findings.some(({ code }) => pending.includes(nameOf(looked, code))) === true;
}

function lookedAt({ reports }: Outline, part: Part): OutlinedReport | undefined {
  return reports.find((report) => isSame(report, part));
}

/** What of one report is fixed, and not confirmed. */
function heldIn(look: Look, at: number, isOpen: boolean): readonly Held[] {
  const { from, to, pending } = look;
  const newer = to.reports[at];
  const older = newer && lookedAt(from, newer);
  if (!newer || !older || older.state === 'failed' || newer.state === 'failed') return [];
  const areOurs = at === 0 && haveOtherParts(partsOfOutline(from), partsOfOutline(to));
  const isConfirmed = ({ code }: Found) =>
    pending.includes(nameOf(newer, code)) && isLookedAt(look, at, code) && !isOpen;
  return changesBetween(older, newer, areOurs)
    .fixed.filter((finding) => !isConfirmed(finding))
    .map((finding) => ({ at, finding }));
}

/** Whether this look could have found it again. What a domain-health says itself follows from its parts, but for the ways in and the registry. */
function isLookedAt({ to, only }: Look, at: number, code: string): boolean {
  const report = to.reports[at];
  if (!only || !report || isSame(report, only)) return true;
  const looked = lookedAt(to, only);
  return at === 0 && looked !== undefined && followsFrom(code, looked);
}

function followsFrom(code: string, { categories = {} }: OutlinedReport): boolean {
  const part = findSpec(domainHealth.name)?.rules[code]?.part;
  if (part === undefined || code.startsWith('registration-')) return false;
  return part === 'categories' || Object.hasOwn(categories, part);
}

/** The report as it is believed: with these findings. */
function putBack(report: OutlinedReport, held: readonly Held[]): OutlinedReport {
  if (held.length === 0) return report;
  const codes = new Set(held.flatMap(({ finding: { code } }) => [code, codeToday(report.check, code)]));
  return {
    ...report,
    findings: [...report.findings, ...held.map(({ finding }) => finding)],
    passed: report.passed.filter((code) => !codes.has(code)),
  };
}

/** What an earlier look saw to be fixed, and this one could not look at. */
function stillPending({ to, pending }: Look): readonly string[] {
  const blind = new Set(to.reports.flatMap((report) => report.notTested.map((code) => nameOf(report, code))));
  const seen = new Set(to.reports.map(({ check, target }) => `${check} ${target}`));
  return pending.filter((name) => {
    const [check, target, code] = name.split(' ');
    return code !== undefined && (blind.has(name) || !seen.has(`${check} ${target}`));
  });
}

type Figures = {
  readonly name: 'state' | 'grade';
  /** As they were. */
  readonly before: Pick<OutlinedReport, 'state' | 'score' | 'grade'>;
};

/** State and grade that got better, and are not confirmed. */
function heldFigures(look: Look, isOpen: boolean): Figures | undefined {
  const { from, to, pending } = look;
  const [older, newer] = [from.reports[0], to.reports[0]];
  if (!older || !newer || newer.state === 'failed') return undefined;
  const { state, score, grade } = older;
  if (state === 'unreachable' && newer.state !== 'unreachable')
    return isBack(look, newer) ? undefined : { name: 'state', before: { state, score, grade } };
  const isConfirmed = pending.includes('grade') && !isOpen;
  return isBetter(older, newer) && !isConfirmed && areGradesAlike(from, to)
    ? { name: 'grade', before: { state: newer.state, score, grade } }
    : undefined;
}

function isBack({ to, pending, only }: Look, own: OutlinedReport): boolean {
  const looked = only ? lookedAt(to, only) : own;
  return pending.includes('state') && looked?.state !== 'unreachable';
}

function isBetter({ grade: was }: OutlinedReport, { grade }: OutlinedReport): boolean {
  return was !== null && grade !== null && gradeNames.indexOf(grade) < gradeNames.indexOf(was);
}

function wantedOf({ from, to }: Look, told: readonly Held[], figures: Figures | undefined): Part | undefined {
  const placeOf = ({ at, finding }: Held) =>
    isLookable(to, at)
      ? at
      : to.reports.findIndex(
          (part, place) => place > 0 && followsFrom(finding.code, part) && part.categories !== undefined,
        );
  const [gravest] = told
    .toSorted((a, b) => rankOf(a.finding) - rankOf(b.finding) || b.at - a.at)
    .map(placeOf)
    .filter((at) => at >= 0);
  if (gravest !== undefined) return to.reports[gravest] && partOf(to.reports[gravest]);
  if (!figures) return undefined;
  const back = to.reports.find(
    (report, at) =>
      isLookable(to, at) &&
      (figures.name === 'grade'
        ? at === 0
        : report.state !== 'unreachable' && lookedAt(from, report)?.state === 'unreachable'),
  );
  return back && partOf(back);
}
