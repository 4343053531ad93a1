import { z } from 'zod';
import { findSpec } from '../catalogue/registry.ts';
import { type Finding, fillDetail } from '../model/finding.ts';
import { checkFailed, type Report } from '../model/report.ts';
import type { Evidence, Rule } from '../model/verdict.ts';
import { adviceOf, faultsOf } from '../render/health.ts';
import { ownFields, pastesOf, targetOf, whyOf } from '../render/report-words.ts';
import { cleanText, cleanValue } from './clean.ts';

/** How long a short report is before the names of what did not fit. */
const usualBytes = 3700;
/** Pieces of evidence of one finding. */
const mostPieces = 2;
/** Lines to copy of one text, such as a policy of MTA-STS. */
const mostLines = 20;
/** Codes of what could not be tested, and of findings that did not fit. */
const mostCodes = 10;

/** What an agent is told of one finding. Only `evidence` has texts that a target chose. */
type ShortFinding = {
  readonly code: string;
  readonly severity: string;
  readonly title?: string;
  readonly [name: string]: unknown;
};

/**
 * What an agent is told of a report: score, findings with their fix, and where the whole of it is; 4 kB at most, as a rule.
 * Its words are those of the tables of rules. What a target has chosen stands only below `evidence` and `target`, cleaned and cut.
 * @param link the address of the whole report
 * @param explain whether each finding says why it matters
 */
export function shortenReport(report: Report, link: string, explain = false): object {
  const head = headOf(report, link);
  const all = findingsOf(report).map((finding) => (explain ? withWhy(finding, report) : finding));
  const { findings, left } = fit(all, usualBytes - Buffer.byteLength(JSON.stringify(head)));
  const codes = left.map(({ code }) => code);
  return {
    ...head,
    findings,
    ...(left.length > 0 ? { more: codes.slice(0, mostCodes), moreCount: left.length } : {}),
  };
}

function withWhy(finding: ShortFinding, { check }: Report): ShortFinding {
  const of = typeof finding['check'] === 'string' ? finding['check'] : check;
  const why = whyOf(of, finding.code);
  return why === undefined ? finding : { ...finding, why };
}

/** The same with every finding, and the check's own fields as its evidence: what is read of a stored report. */
export function describeReport(report: Report, link: string): object {
  const { passed } = report;
  return {
    ...headOf(report, link),
    findings: findingsOf(report),
    passed,
    evidence: cleanValue(Object.fromEntries(ownFields(report))),
  };
}

function headOf(report: Report, link: string): object {
  const { check, state, checkedAt, score, grade, summary, notTested } = report;
  return {
    check,
    target: cleanText(targetOf(report)),
    state,
    checkedAt,
    score,
    grade,
    ...scoresOf(report),
    ...categoriesOf(report),
    ...sectionsOf(report),
    summary,
    ...(notTested.length > 0 ? { notTested: notTested.slice(0, mostCodes).map(({ code }) => code) } : {}),
    url: link,
  };
}

/** Whole findings while there is room, at least one; the others are left. */
function fit(
  all: readonly ShortFinding[],
  room: number,
): { readonly findings: readonly ShortFinding[]; readonly left: readonly ShortFinding[] } {
  let bytes = 0;
  const end = all.findIndex((finding, at) => {
    bytes += Buffer.byteLength(JSON.stringify(finding)) + 1;
    return at > 0 && bytes > room;
  });
  return end < 0 ? { findings: all, left: [] } : { findings: all.slice(0, end), left: all.slice(end) };
}

/** Each fault of a domain once, in whatever parts it was met; else the report's findings. */
function findingsOf(report: Report): readonly ShortFinding[] {
  const faults = faultsOf(report);
  if (!faults) return report.findings.map((finding) => shorten(finding, report.check, finding.scoreEffect));
  return faults.map(({ main, others, cost }) => {
    const also = [...new Set(others.map(({ code }) => code))].filter((code) => code !== main.code);
    return {
      ...shorten(main, main.check, cost),
      check: main.check,
      ...(main.category === null ? {} : { category: main.category }),
      ...(also.length > 0 ? { alsoEnds: also.slice(0, mostCodes) } : {}),
    };
  });
}

function shorten(finding: Finding, check: string, points: number): ShortFinding {
  const { code, severity, evidence, fix } = finding;
  const rule = ruleOf(check, code);
  const named = { code: rule ? code : cleanText(code), severity, ...(rule ? { title: rule.title } : {}) };
  // What informs is no fault: there is nothing to fix.
  if (severity === 'info') return named;
  const paste = pasteOf(fix);
  const seen = evidence.slice(0, mostPieces).map((piece) => cleanValue(piece));
  return {
    ...named,
    ...(points === 0 ? {} : { points }),
    ...(rule ? { fix: rule.fix } : {}),
    evidence: {
      ...(seen.length > 0 ? { seen } : {}),
      ...(isFromTable(finding, rule) ? {} : { advice: cleanText(fix.text) }),
      ...(fix.record ? { record: cleanValue(fix.record) } : {}),
      ...(paste.length > 0 ? { paste } : {}),
    },
  };
}

/** The lines to copy that the page shows. A text of which a line would be cut or changed is left out: half of it is no fix. */
function pasteOf(fix: Finding['fix']): readonly string[] {
  return pastesOf(fix).flatMap(({ text }) => {
    const lines = text.split('\n');
    return lines.length <= mostLines && lines.every((line) => cleanText(line) === line) ? lines : [];
  });
}

/** True where the fix is that of the table; else it was made for this target, and may have texts of its own. */
function isFromTable({ fix, evidence }: Finding, rule: Rule | undefined): boolean {
  return rule !== undefined && fix.text === fillDetail(rule.fix, (evidence[0] ?? {}) as Evidence);
}

/** A finding's rule as it stands in the table, before anything of a target was filled in; undefined for one of another release. */
function ruleOf(check: string, code: string): Rule | undefined {
  if (code === checkFailed.code) return checkFailed;
  const rules = findSpec(check)?.rules ?? {};
  return Object.hasOwn(rules, code) ? rules[code] : undefined;
}

const scored = z.looseObject({
  state: z.string(),
  score: z.number().nullable(),
  grade: z.string().nullable(),
});
const categoriesField = z.looseObject({ categories: z.record(z.string(), z.unknown()) });

/** The categories of a domain, and what all of its fixes would give. */
function categoriesOf(report: Report): object {
  const { categories } = categoriesField.safeParse(report).data ?? {};
  if (!categories) return {};
  const read = Object.entries(categories).flatMap(([name, category]) => {
    const { state, score, grade } = scored.safeParse(category).data ?? {};
    return state === undefined ? [] : [[name, { state, score, grade }]];
  });
  const to = adviceOf(report)?.raisedTo;
  return {
    ...(read.length > 0 ? { categories: Object.fromEntries(read) } : {}),
    ...(to && to.score !== null ? { scoreWithAllFixed: to.score } : {}),
  };
}

/** Scores beside that of the report, such as `mailScore`. */
function scoresOf(report: Report): object {
  const scores = ownFields(report).filter(
    ([name, value]) => name.endsWith('Score') && typeof value === 'number',
  );
  return Object.fromEntries(scores);
}

const sectionStates: ReadonlySet<unknown> = new Set([
  'ok',
  'missing',
  'invalid',
  'unknown',
  'not-applicable',
]);

/** How each section of the report stands, such as spf and dmarc. */
function sectionsOf(report: Report): object {
  const sections = ownFields(report).flatMap(([name, value]): [string, unknown][] => {
    if (typeof value !== 'object' || value === null || !('state' in value)) return [];
    return sectionStates.has(value.state) ? [[name, value.state]] : [];
  });
  return sections.length > 0 ? { sections: Object.fromEntries(sections) } : {};
}
