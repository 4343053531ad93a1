import { findSpec } from '../../../catalogue/registry.ts';
import type { Finding } from '../../../model/finding.ts';
import type { Report } from '../../../model/report.ts';
import { type Severity, severities } from '../../../model/verdict.ts';
import { type Markup, markup, nothing } from '../../markup.ts';

/**
 * How a thing on a page stands, by the verdicts of the rules about it and by nothing else. bad: a critical or high rule is broken ·
 * warned: a medium or low one · good: all that were looked at hold, or only inform · unknown: none was looked at.
 */
export type Mark = 'good' | 'warned' | 'bad' | 'unknown';

/** A mark and the rules that it stands for. */
export type Marked = { readonly mark: Mark; readonly codes: readonly string[] };

type JudgedRules = Pick<Report, 'findings' | 'passed'>;

/** The mark of these rules. */
export function markOf({ findings, passed }: JudgedRules, codes: readonly string[]): Marked {
  const found = findings.filter(({ code }) => codes.includes(code));
  const isSeen = found.length > 0 || codes.some((code) => passed.includes(code));
  return { mark: isSeen ? markOfFindings(found) : 'unknown', codes };
}

/** The mark of these rules for one of several things: only what names it counts. A name in a sentence is no name. */
export function markOfThing(report: JudgedRules, codes: readonly string[], names: readonly string[]): Marked {
  const isNamed = ({ evidence }: Finding) =>
    evidence.some((piece) => Object.values(piece).some((value) => mentions(value, names)));
  const { passed } = report;
  const findings = report.findings.filter((finding) => codes.includes(finding.code));
  const named = findings.filter(isNamed);
  const isSeen = findings.length > 0 || codes.some((code) => passed.includes(code));
  return { mark: isSeen ? markOfFindings(named) : 'unknown', codes };
}

function mentions(value: unknown, names: readonly string[]): boolean {
  if (Array.isArray(value)) return value.some((item) => mentions(item, names));
  return (typeof value === 'string' || typeof value === 'number') && names.includes(String(value));
}

/** The mark of findings that were met; good where there is none. */
export function markOfFindings(findings: readonly { readonly severity: Severity }[]): Mark {
  const worst = severities.find((severity) => findings.some((finding) => finding.severity === severity));
  if (worst === undefined || worst === 'info') return 'good';
  return worst === 'critical' || worst === 'high' ? 'bad' : 'warned';
}

/** All rules of a check that belong to one of its parts. */
export function codesOfPart(check: string, ...parts: readonly string[]): readonly string[] {
  return codesWhere(check, (_, part) => part !== undefined && parts.includes(part));
}

/** The rules of a check whose code or part is asked for. */
export function codesWhere(
  check: string,
  isMeant: (code: string, part: string | undefined) => boolean,
): readonly string[] {
  const rules = Object.entries(findSpec(check)?.rules ?? {});
  return rules.filter(([code, { part }]) => isMeant(code, part)).map(([code]) => code);
}

/** The sign of each mark, so that colour is never the only difference. */
export const signs = { good: '✓', warned: '!', bad: '✗', unknown: '–' } as const;
const tones = { good: 'pass', warned: 'medium', bad: 'high', unknown: 'info' } as const;

/** The colour of a mark, and the rules that it stands for, as attributes of a drawing. */
export function tonedBy({ mark, codes }: Marked): Markup {
  return markup`class="${tones[mark]}"${rulesOf(codes)}`;
}

/** Words with a mark, so that colour is never the only difference; it names the rules that it stands for. */
export function verdictWord({ mark, codes }: Marked, words: Markup | string): Markup {
  return markup`<span class="severity ${tones[mark]}"${rulesOf(codes)}><span aria-hidden="true">${signs[mark]}</span> ${words}</span>`;
}

function rulesOf(codes: readonly string[]): Markup {
  return codes.length === 0 ? nothing : markup` data-rules="${codes.join(' ')}"`;
}

/** Where there is nothing to judge. */
export const unjudged: Marked = { mark: 'unknown', codes: [] };
