import { findSpec } from '../catalogue/registry.ts';
import { countOf } from '../model/counts.ts';
import type { Finding } from '../model/finding.ts';
import { envelopeShape, type Report } from '../model/report.ts';
import { isVantageKind, vantageTexts } from '../model/vantage.ts';
import { type Severity, severities } from '../model/verdict.ts';
import { labelOf } from './labels.ts';
import { cut, jsonText, textOf, visible } from './visible-text.ts';
import { zoneLine } from './zone.ts';

/** Severities as words for a reader. */
export const severityWords: { readonly [S in Severity]: string } = {
  critical: 'Critical',
  high: 'High',
  medium: 'Medium',
  low: 'Low',
  info: 'Info',
};

/** A target that has no report: what was asked, the code of the problem, and why in words. */
export type Unchecked = {
  readonly check: string;
  readonly target: string;
  readonly code: string;
  readonly why: string;
};

/** What was examined: the URL or the domain name; the whole target as JSON where it has neither. */
export function targetOf({ target }: Report): string {
  const named = Object.hasOwn(target, 'url') ? target['url'] : target['domain'];
  return typeof named === 'string' ? named : jsonText(target);
}

/** "91 of 100, grade A", or that there is none. */
export function scoreWords({ score, grade }: Report): string {
  if (score === null) return 'no score';
  return `${score} of 100${grade === null ? '' : `, grade ${grade}`}`;
}

/** "2026-11-21 03:00:00 UTC" of an ISO 8601 time; anything else as it is. */
export function timeWords(iso: string): string {
  const [, day, time] = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/.exec(iso) ?? [];
  return day === undefined || time === undefined ? iso : `${day} ${time} UTC`;
}

/** The states of a report as a reader calls them. */
export const stateNames: { readonly [S in Report['state']]: string } = {
  complete: 'complete',
  partial: 'not all rules tested',
  unreachable: 'target not reached',
  failed: 'not finished',
};

/** What the state means for the reader; undefined where there is nothing to say. */
export function stateWords({ state }: Report): string | undefined {
  if (state === 'partial') return 'Some rules could not be tested. They are listed under “Not tested”.';
  if (state === 'unreachable') return 'The target could not be reached, so most rules could not be tested.';
  return state === 'failed'
    ? 'The check itself did not finish. This says nothing about the target.'
    : undefined;
}

/** The title of a rule in the catalogue: the fact that would be reported; undefined for a code it does not know (any more). */
export function titleOf({ check }: Report, code: string): string | undefined {
  const rules = findSpec(check)?.rules;
  return rules && Object.hasOwn(rules, code) ? rules[code]?.title : undefined;
}

/** The findings of each severity that has some, worst first. */
export function bySeverity({ findings }: Report): { severity: Severity; findings: Finding[] }[] {
  return severities
    .map((severity) => ({ severity, findings: findings.filter((finding) => finding.severity === severity) }))
    .filter((group) => group.findings.length > 0);
}

const common = new Set([...Object.keys(envelopeShape), 'target']);

/** The check's own fields, as pairs in their order. */
export function ownFields(report: Report): [string, unknown][] {
  return Object.entries(report).filter(([name]) => !common.has(name));
}

/** "−12 points"; undefined where the finding takes none. */
export function effectWords({ scoreEffect }: Finding): string | undefined {
  return scoreEffect === 0 ? undefined : pointsWords(scoreEffect);
}

/** "−12 points", "−1 point". */
export function pointsWords(points: number): string {
  return `${points < 0 ? '−' : ''}${countOf(Math.abs(points), 'point')}`;
}

/** How long something took: "412 ms", "16.7 s", with spaces that no line breaks at. */
export function tookWords(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)}\u00a0ms` : `${(ms / 1000).toFixed(1)}\u00a0s`;
}

const longestDetail = 4000;
const longestValue = 500;
const mostPieces = 20;

/** A finding as lines of plain text, for formats that have no layout: detail, evidence, fix, record, references. */
export function findingLines({ detail, evidence, fix, references }: Finding): string[] {
  const pieces = evidence.slice(0, mostPieces).map((piece) => `  - ${pieceLine(piece)}`);
  const left = evidence.length - pieces.length;
  return [
    visible(cut(detail, longestDetail)),
    ...(pieces.length > 0 ? ['Evidence:', ...pieces] : []),
    ...(left > 0 ? [`  … ${left} more`] : []),
    `Fix: ${visible(cut(fix.text, longestDetail))}`,
    ...(fix.record ? [`  ${zoneLine(fix.record)}`] : []),
    ...references.map(
      ({ title, url }) => `See: ${visible(cut(title, longestValue))} ${visible(cut(url, longestValue))}`,
    ),
  ];
}

/** Lines to copy, as the page of a report shows them: the record for a zone file, and the first of the texts for servers with its name. */
export function pastesOf({ record, snippets = {} }: Finding['fix']): readonly Paste[] {
  const [first] = Object.entries(snippets);
  return [
    ...(record ? [{ text: zoneLine(record) }] : []),
    ...(first ? [{ name: first[0], text: first[1].replace(/\n$/, '') }] : []),
  ];
}

/** A text to copy. `name` says where it belongs, such as "header" or "mta-sts.txt". */
export type Paste = { readonly name?: string; readonly text: string };

function pieceLine(piece: Finding['evidence'][number]): string {
  return Object.entries(piece)
    .map(
      ([key, value]) =>
        `${visible(cut(labelOf(key), longestValue))}: ${visible(cut(textOf(value), longestValue))}`,
    )
    .join(', ');
}

/** What the network that a report was made from could not do, as one sentence; undefined where nothing was missing. */
export function vantageWords({ vantage }: Pick<Report, 'vantage'>): string | undefined {
  if (!vantage || vantage.missing.length === 0) return undefined;
  const reasons = vantage.missing.flatMap((kind) => (isVantageKind(kind) ? vantageTexts[kind].reason : kind));
  const from = vantage.id === null ? '' : ` (${vantage.id})`;
  return `Some rules were not tested because of the network that this was checked from${from}, not because of the target: ${reasons.join('; ')}.`;
}
