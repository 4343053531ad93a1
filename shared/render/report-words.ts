import { findSpec } from '../catalogue/registry.ts';
import { countOf } from '../model/counts.ts';
import type { Finding } from '../model/finding.ts';
import { envelopeShape, type Report } from '../model/report.ts';
import { isVantageKind, vantageTexts } from '../model/vantage.ts';
import { type Severity, severities } from '../model/verdict.ts';
import { labelOf, type Unit, unitOf } from './labels.ts';
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

/** A target as a word of a command line: no character of it means anything to a shell. */
export function shellWord(target: string): string {
  return /^[\w./:@%-]+$/.test(target) ? target : `'${target.replaceAll("'", '%27')}'`;
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

/** Whether the parent of a domain says that there is no such name: then there is nothing else to say. */
export function isMissing({ state, findings }: Report): boolean {
  return state === 'unreachable' && findings.some(({ code }) => code === 'domain-not-found');
}

/** What the state means for the reader; undefined where there is nothing to say. */
export function stateWords(report: Report): string | undefined {
  const { state } = report;
  if (isMissing(report)) return `${targetOf(report)} does not exist.`;
  if (state === 'partial') return 'Some rules could not be tested. They are listed under “Not tested”.';
  if (state === 'unreachable') return 'The target could not be reached, so most rules could not be tested.';
  return state === 'failed'
    ? 'The check itself did not finish. This says nothing about the target.'
    : undefined;
}

/** The title of a rule in the catalogue: the fact that would be reported; undefined for a code it does not know (any more). */
export function titleOf({ check }: Pick<Report, 'check'>, code: string): string | undefined {
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

/** The finding without its evidence where that names nothing but what was asked about: its domain or URL, that URL's host, or that domain's page. */
export function withoutTarget<F extends Pick<Finding, 'evidence'>>(finding: F, target: string): F {
  const names: readonly unknown[] = [target, URL.parse(target)?.host ?? `https://${target}/`];
  const isRepeated = finding.evidence.every((piece) =>
    Object.values(piece).every((value) => names.includes(value)),
  );
  return isRepeated ? { ...finding, evidence: [] } : finding;
}

/** How long something took: "412 ms", "16.7 s", with spaces that no line breaks at. */
export function tookWords(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)}\u00a0ms` : `${(ms / 1000).toFixed(1)}\u00a0s`;
}

const kib = 1024;

/** "522 bytes", and from ten KiB on "234 KiB". */
export function sizeWords(bytes: number): string {
  return bytes < 10 * kib ? counted(bytes, 'byte') : `${Math.round(bytes / kib)}\u00a0KiB`;
}

function counted(count: number, one: string): string {
  return `${count} ${count === 1 ? one : `${one}s`}`;
}

const unitWords: { readonly [U in Unit]: (value: number) => string } = {
  ms: tookWords,
  bytes: sizeWords,
  'kbit/s': (value) => `${value}\u00a0kbit/s`,
  '%': (value) => `${value}\u00a0%`,
  days: (value) => counted(value, 'day'),
  s: (value) => counted(value, 'second'),
};

/** A value of a report as text, with the unit that the name of its field says: "0.9 ms", "522 bytes"; all else as it is. */
export function valueWords(name: string, value: unknown): string {
  const unit = unitOf(name);
  return unit !== undefined && typeof value === 'number' ? unitWords[unit](value) : textOf(value);
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
export function pastesOf(fix: Finding['fix']): readonly Paste[] {
  const { record, snippets = {} } = fix;
  const [first] = Object.entries(snippets);
  return [
    ...(record ? [{ text: zoneLine(record) }] : []),
    ...(first
      ? [{ name: `${first[0]}${triedWords(fix, first[0])}`, text: first[1].replace(/\n$/, '') }]
      : []),
  ];
}

/** A field of a record as the forms of DNS hosts have it. `beside` is what a reader may need to see with it. */
type RecordField = {
  readonly label: 'Name' | 'Type' | 'Value';
  readonly value: string;
  readonly beside?: string;
};

/** The record to publish, by the fields of such a form: the name within its zone, `@` at its top, and the value without quotes. */
export function recordFields({ record, zone }: Finding['fix']): readonly RecordField[] {
  if (!record) return [];
  const { name, type, value } = record;
  const inside = zone === undefined ? name : name === zone.name ? '@' : withoutEnd(name, `.${zone.name}`);
  const plain = type.toUpperCase() === 'CAA' ? value.replaceAll('"', '') : value;
  return [
    { label: 'Name', value: visible(inside), ...(inside === name ? {} : { beside: visible(name) }) },
    { label: 'Type', value: visible(type) },
    { label: 'Value', value: visible(plain) },
  ];
}

function withoutEnd(name: string, end: string): string {
  return name.endsWith(end) ? name.slice(0, -end.length) : name;
}

/** Where the record is published, where the name servers say so. */
export function zoneWords({ record, zone }: Finding['fix']): string | undefined {
  return record && zone?.host !== undefined
    ? `Your DNS is at ${visible(zone.host)}: add the record to the zone ${visible(zone.name)} there.`
    : undefined;
}

/** Why a finding matters: what can happen, and to whom; undefined for what only informs, and for a rule of another release. */
export function whyOf(check: string, code: string): string | undefined {
  const why = findSpec(check)?.why ?? {};
  return Object.hasOwn(why, code) ? why[code] : undefined;
}

/** What stands beside the name of a server whose lines were never tried in one. */
export function triedWords({ notTried = [] }: Finding['fix'], server: string): string {
  return notTried.includes(server) ? ' (not tried)' : '';
}

/** A text to copy. `name` says where it belongs, such as "header" or "mta-sts.txt". */
export type Paste = { readonly name?: string; readonly text: string };

function pieceLine(piece: Finding['evidence'][number]): string {
  return Object.entries(piece)
    .map(
      ([key, value]) =>
        `${visible(cut(labelOf(key), longestValue))}: ${visible(cut(valueWords(key, value), longestValue))}`,
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
