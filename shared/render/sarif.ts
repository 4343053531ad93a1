import { createHash } from 'node:crypto';
import type { Finding } from '../model/finding.ts';
import type { Report } from '../model/report.ts';
import type { Severity } from '../model/verdict.ts';
import { partFindingsOf, type ToldFinding } from './health.ts';
import { codeBlock, reference, sentence } from './markdown.ts';
import { findingLines, targetOf, type Unchecked } from './report-words.ts';
import { cut, encodeURIComponentStrictly, jsonText, linkTo, visible } from './visible-text.ts';
import { zoneLine } from './zone.ts';

/**
 * SARIF's level, and the number by which code scanning names a severity: above 9 critical, 7 and more high, 4 and more medium,
 * below low (docs.github.com, SARIF support for code scanning). Info has none and stays a note.
 */
const levels: {
  readonly [S in Severity]: { readonly level: 'error' | 'warning' | 'note'; readonly security?: string };
} = {
  critical: { level: 'error', security: '9.5' },
  high: { level: 'error', security: '8.0' },
  medium: { level: 'warning', security: '5.5' },
  low: { level: 'note', security: '2.5' },
  info: { level: 'note' },
};
const longestTitle = 1000;
const longestText = 4000;

/** SARIF 2.1.0 with one run: a rule and a result for each finding; what was not tested stands as notifications. */
export function renderSarif(report: Report): string {
  const findings: readonly Located[] = [...report.findings, ...partFindingsOf(report)];
  const rules = uniqueByCode(findings);
  return logOf({
    tool: { driver: { name: 'Diagnostic Tools', rules: rules.map(makeRule) } },
    automationDetails: { id: `${visible(report.check)}/${artifactUri(report)}/` },
    invocations: [makeInvocation(report)],
    results: findings.map((finding) => makeResult(report, finding, rules)),
    columnKind: 'utf16CodeUnits',
    properties: describeRun(report),
  });
}

/** The same of a target that was not checked: no result, and a run that says why it failed. */
export function sarifOfUnchecked({ check, target, code, why }: Unchecked): string {
  const told = {
    descriptor: { id: visible(code) },
    level: 'error',
    message: { text: message(`${cut(target, longestText)} was not checked: ${cut(why, longestText)}`) },
  };
  return logOf({
    tool: { driver: { name: 'Diagnostic Tools', rules: [] } },
    automationDetails: { id: `${visible(check)}/${uriOf(target)}/` },
    invocations: [{ executionSuccessful: false, toolExecutionNotifications: [told] }],
    results: [],
    columnKind: 'utf16CodeUnits',
    properties: { check, target },
  });
}

function logOf(run: object): string {
  const $schema =
    'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json';
  return `${jsonText({ $schema, version: '2.1.0', runs: [run] }, 2)}\n`;
}

/** A finding of the report, or of one of its parts with the place where it stands. */
type Located = Finding & Partial<Pick<ToldFinding, 'check' | 'target' | 'category' | 'domainEffect'>>;

function uniqueByCode(findings: readonly Finding[]): readonly Finding[] {
  return [...new Map(findings.map((finding) => [finding.code, finding])).values()];
}

function makeRule({ code, title, severity, fix, references }: Finding) {
  const { level, security } = levels[severity];
  const helpUri = references.map(({ url }) => linkTo(url)).find((link) => link !== undefined);
  const record = fix.record ? zoneLine(fix.record) : undefined;
  return {
    id: visible(code),
    shortDescription: { text: message(cut(title, longestTitle)) },
    fullDescription: { text: message(cut(title, longestTitle)) },
    help: {
      text: message(cut(fix.text, longestText), ...(record === undefined ? [] : [record])),
      markdown: [
        sentence(cut(fix.text, longestText)),
        ...(record === undefined ? [] : [codeBlock(record)]),
        ...references.map((item) => `- ${reference(item)}`),
      ].join('\n\n'),
    },
    ...(helpUri === undefined ? {} : { helpUri }),
    defaultConfiguration: { level },
    properties: {
      tags: security === undefined ? [] : ['security'],
      ...(security === undefined ? {} : { 'security-severity': security }),
    },
  };
}

function makeResult(report: Report, finding: Located, rules: readonly Finding[]) {
  const { code, severity, title, scoreEffect, part, evidence, check, target, category, domainEffect } =
    finding;
  const print = fingerprint(report, finding);
  const place = check === undefined ? {} : { check, target, category: category ?? null, domainEffect };
  const [, ...more] = findingLines(finding);
  return {
    ruleId: visible(code),
    ruleIndex: rules.findIndex((rule) => rule.code === code),
    kind: 'fail',
    level: levels[severity].level,
    message: {
      text: message(`${cut(title, longestTitle)}. ${cut(finding.detail, longestText)}`, ...more),
    },
    locations: [
      {
        physicalLocation: { artifactLocation: { uri: artifactUri(report) }, region: { startLine: 1 } },
        logicalLocations: [{ fullyQualifiedName: visible(targetOf(report)), kind: 'resource' }],
      },
    ],
    // The first is the only one that code scanning compares; the second is ours, for everyone else.
    partialFingerprints: { primaryLocationLineHash: `${print.slice(0, 16)}:1`, 'diagnosticTarget/v1': print },
    properties: { severity, scoreEffect, ...(part === undefined ? {} : { part }), ...place, evidence },
  };
}

/** The same for every run: check, target and code decide, never what was seen this time. */
function fingerprint(report: Report, { code, check, target }: Located): string {
  const place = check === undefined ? [] : [check, target];
  return createHash('sha256')
    .update(jsonText([report.check, report.target, code, ...place]))
    .digest('hex');
}

function makeInvocation({ state, notTested }: Report) {
  return {
    executionSuccessful: state !== 'failed',
    toolExecutionNotifications: notTested.map(({ code, reason }) => ({
      descriptor: { id: visible(code) },
      level: 'note',
      message: { text: message(`${visible(code)} was not tested: ${cut(reason, longestText)}`) },
    })),
  };
}

function describeRun(report: Report) {
  const { check, target, state, checkedAt, score, grade, rulesVersion, summary, passed, reportId } = report;
  const described = { check, target, state, checkedAt, score, grade, rulesVersion, summary, passed };
  return reportId === undefined ? described : { ...described, reportId };
}

/**
 * Lines as text of a SARIF message: `[text](address)` would be a link there (§3.11.6) and `{0}` a placeholder (§3.11.5); a
 * space removes the meaning of both.
 */
function message(...lines: readonly string[]): string {
  return lines
    .map(visible)
    .join('\n')
    .replace(/\](?=\()/g, '] ')
    .replace(/\{(?=\d)/g, '{ ');
}

const longestFallback = 200;

/**
 * The target as a relative path, "example.com/path": code scanning refuses http and https addresses as locations. Query and
 * fragment are left out, the same page is then the same file; the port's colon is encoded, a first segment must have none
 * (RFC 3986 §4.2).
 */
export function artifactUri(report: Report): string {
  return uriOf(targetOf(report));
}

function uriOf(target: string): string {
  const url = /^https?:/i.test(target) ? URL.parse(target) : null;
  if (url === null) return nameSegment(target);
  return `${nameSegment(url.host)}${url.pathname.replace(/[^\w\-.~!$&'()*+,;=:@/%]|%(?![0-9A-Fa-f]{2})/gu, percent)}`;
}

/** One path segment, never empty and never a step up or down. */
function nameSegment(text: string): string {
  const segment = encodeURIComponentStrictly(text.slice(0, longestFallback));
  return /^\.*$/.test(segment) ? `target${segment.replaceAll('.', '%2E')}` : segment;
}

function percent(character: string): string {
  return character === '%' ? '%25' : encodeURIComponentStrictly(character);
}
