import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { z } from 'zod';
import { type Report, reportStates } from '../model/report.ts';
import { gradeNames } from '../model/score.ts';
import { severities } from '../model/verdict.ts';
import { changesBetween, codeToday, isSameRule } from './change.ts';
import { recheckedAtSchema } from './domain-health/report.ts';
import { endingsIn } from './expiries/endings.ts';

const outlinedFinding = z.object({
  code: z.string(),
  severity: z.enum(severities),
  title: z.string(),
  scoreEffect: z.number(),
  fix: z.string(),
});
const outlinedReport = z.object({
  check: z.string(),
  target: z.string(),
  state: z.enum(reportStates),
  checkedAt: z.string(),
  score: z.number().nullable(),
  grade: z.enum(gradeNames).nullable(),
  rulesVersion: z.int(),
  findings: z.array(outlinedFinding),
  passed: z.array(z.string()),
  notTested: z.array(z.string()),
  /** Of a domain-health that was judged again. */
  recheckedAt: z.object({ check: z.string(), at: z.string() }).optional(),
  /** Something failed, and no control showed that it was not the network of the worker; left out where not. */
  untried: z.boolean().optional(),
  /** What the network of the worker could not do; left out where nothing. */
  missing: z.array(z.string()).optional(),
  /** Of a part of domain-health: the categories that it counts for, and the codes of each. */
  categories: z.record(z.string(), z.array(z.string())).optional(),
});
const expiry = z.object({
  what: z.string(),
  name: z.string(),
  expiresAt: z.string(),
  lifetimeDays: z.number().nullable(),
});
const outlineSchema = z.object({
  /** The report itself, then the parts that a domain-health is made of. */
  reports: z.array(outlinedReport).min(1),
  /** What of the target ends when, as far as the report tells; the earliest first. */
  expiries: z.array(expiry),
});

/** The verdicts of a report without their evidence: enough to tell what changed between two of them. */
export type OutlinedReport = z.infer<typeof outlinedReport>;
export type Outline = z.infer<typeof outlineSchema>;
export type Expiry = z.infer<typeof expiry>;

const longestTextKept = 400;
const mostExpiries = 50;

/**
 * The outline of a report.
 * @param partOutlines of the reports that a domain-health names, by their ids; what is missing could not be looked at
 */
export function outlineOf(report: Report, partOutlines: ReadonlyMap<string, Outline> = new Map()): Outline {
  const parts = [...Map.groupBy(categoriesOf(report), ({ reportId }) => reportId)].flatMap(
    ([reportId, of]): OutlinedReport[] => {
      const [own] = partOutlines.get(reportId)?.reports ?? [];
      const categories = Object.fromEntries(of.map(({ name, codes }) => [name, codes]));
      return own ? [{ ...own, categories }] : [];
    },
  );
  return { reports: [outlineAlone(report), ...parts], expiries: expiriesOf(report) };
}

/** The ids of the reports that a domain-health counts; none for another check. */
export function countedPartsOf(report: Report): readonly string[] {
  return [...new Set(categoriesOf(report).map(({ reportId }) => reportId))];
}

/**
 * What is known of a target after a report: what the report could not look at is as it was before. So a target of which something can never be
 * tested still has a state that the next report is compared with.
 */
export function carryOver(from: Outline, to: Outline): Outline {
  const olderOf = ({ check, target }: OutlinedReport) =>
    from.reports.find((older) => older.check === check && older.target === target);
  const reports = to.reports.map((newer): OutlinedReport => {
    const older = olderOf(newer);
    if (!older) return newer;
    const blind = new Set(newer.notTested);
    // What another rule found says nothing of what this one will.
    const findings = changesBetween(older, newer).noLongerTested.filter((finding) =>
      isSameRule(older, newer, finding),
    );
    const open = new Set(findings.map(({ code }) => codeToday(newer.check, code)));
    const passed = older.passed.filter((code) => blind.has(code));
    const known = new Set([...findings.map(({ code }) => code), ...passed]);
    // Grade and state of what was seen in part, or through a network that lacks something, are of something else.
    const isLess = newer.missing !== undefined || (older.state === 'complete' && newer.state === 'partial');
    const { state, score, grade, missing } = isLess ? older : newer;
    const { missing: _missing, ...whole } = newer;
    return {
      ...whole,
      state,
      score,
      grade,
      ...(missing ? { missing } : {}),
      findings: [...newer.findings, ...findings],
      passed: [...newer.passed.filter((code) => !open.has(code)), ...passed],
      notTested: newer.notTested.filter((code) => !known.has(code)),
    };
  });
  const isThere = (older: OutlinedReport) =>
    to.reports.some(({ check, target }) => check === older.check && target === older.target);
  return { ...to, reports: [...reports, ...from.reports.slice(1).filter((older) => !isThere(older))] };
}

/** An outline as it is kept. */
export function packOutline(outline: Outline): Uint8Array<ArrayBuffer> {
  return new Uint8Array(deflateRawSync(JSON.stringify(outline)));
}

/** Some hundred times what an outline of ours unpacks to. */
const unpackedLimitBytes = 1_048_576;

/** The outline of what was kept. Throws for what is none. */
export function unpackOutline(packed: Uint8Array): Outline {
  const text = inflateRawSync(packed, { maxOutputLength: unpackedLimitBytes }).toString();
  return outlineSchema.parse(JSON.parse(text));
}

function outlineAlone(report: Report): OutlinedReport {
  const { check, target, state, checkedAt, score, grade, rulesVersion } = report;
  return {
    check,
    target: nameOf(target),
    state,
    checkedAt,
    score,
    grade,
    rulesVersion,
    findings: report.findings.map(({ code, severity, title, scoreEffect, fix }) => ({
      code,
      severity,
      title: title.slice(0, longestTextKept),
      scoreEffect,
      fix: fix.text.slice(0, longestTextKept),
    })),
    passed: report.passed,
    notTested: report.notTested.map(({ code }) => code),
    ...readRechecked(report),
    ...((report.vantage?.untried ?? []).length > 0 ? { untried: true } : {}),
    ...(hasMissing(report) ? { missing: report.vantage?.missing } : {}),
  };
}

const recheckedShape = z.looseObject({ recheckedAt: recheckedAtSchema });

/** Which check of a report was made again, and when; nothing where none was. */
export function readRechecked(report: Report): Pick<OutlinedReport, 'recheckedAt'> {
  const { recheckedAt } = recheckedShape.safeParse(report).data ?? {};
  return recheckedAt ? { recheckedAt: { check: recheckedAt.check, at: recheckedAt.at } } : {};
}

/** Whether the network of the worker could not do something that the report needed. */
export function hasMissing({ vantage }: Pick<Report, 'vantage'>): boolean {
  return (vantage?.missing.length ?? 0) > 0;
}

function nameOf(target: Report['target']): string {
  const name = target['domain'] ?? target['url'];
  return typeof name === 'string' ? name : '';
}

const healthShape = z.looseObject({
  categories: z.record(
    z.string(),
    z.looseObject({
      codes: z.array(z.string()).default([]),
      report: z.looseObject({ reportId: z.string().optional() }).nullish(),
    }),
  ),
});

function categoriesOf(report: Report) {
  if (report.check !== 'domain-health') return [];
  const { categories } = healthShape.safeParse(report).data ?? { categories: {} };
  return Object.entries(categories).flatMap(([name, { codes, report: part }]) =>
    part?.reportId === undefined ? [] : [{ name, codes, reportId: part.reportId }],
  );
}

function expiriesOf(report: Report): Expiry[] {
  return endingsIn(report)
    .slice(0, mostExpiries)
    .map(({ what, name, expiresAt, lifetimeDays }) => ({ what, name, expiresAt, lifetimeDays }));
}
