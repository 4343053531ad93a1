import { findSpec } from '../../catalogue/registry.ts';
import type { Finding } from '../../model/finding.ts';
import type { Report } from '../../model/report.ts';
import { gradeOf } from '../../model/score.ts';
import type { EntryPoint } from '../facts/entry-points.ts';
import type { SourcesRead } from '../facts/health.ts';
import type { SourceFacts } from '../facts/source.ts';
import { brokenIn, rescore } from './rescore.ts';
import { leftBehind } from './reveals.ts';

/** A finding to be fixed, by where it stands. */
export type Fixed = { readonly check: string; readonly target: string; readonly code: string };

/**
 * The sources as they would be with these findings fixed: what was broken holds, and each score follows by the arithmetic of its check.
 * Undefined where a score cannot be worked out again.
 */
export function fixSources(sources: SourcesRead, fixed: readonly Fixed[]): SourcesRead | undefined {
  const of = (check: string) => new Set(fixed.filter((one) => one.check === check).map(({ code }) => code));
  const dns = fixSource(sources.dns, of('dns-check'));
  const ssl = fixSource(sources.ssl, of('ssl-check'));
  const headers = fixSource(sources.headers, of('security-header-check'));
  const performance = fixSource(sources.performance, of('pagespeed-check'));
  const smtp = sources.smtp && fixSource(sources.smtp, of('smtp-check'));
  if (sources.smtp && !smtp) return undefined;
  if (!dns || !ssl || !headers || !performance) return undefined;
  return {
    ...sources,
    dns,
    dnsFields: sources.dnsFields && { ...sources.dnsFields, ...halvesOf(dns) },
    ssl,
    headers,
    performance,
    smtp,
    entries: sources.entries.map((entry) => fixEntry(entry, fixed)),
  };
}

function fixSource(source: SourceFacts, codes: ReadonlySet<string>): SourceFacts | undefined {
  const { report } = source;
  if (report === null || codes.size === 0) return source;
  const left = findingsLeft(report, codes);
  const kept = [...report.findings.filter(({ code }) => !codes.has(code)), ...left];
  const after = { ...report, findings: kept, passed: [...report.passed, ...codes] };
  // Without a score there is none to change: a fix that would bring one promises no figure.
  if (report.score === null) return { ...source, report: after };
  const scores = rescore(report, { broken: brokenIn(after), fixed: codes });
  if (scores === undefined) return undefined;
  const { score, halves } = scores;
  const isWarned = kept.some(({ severity }) => severity !== 'info');
  return { ...source, report: { ...after, score, grade: gradeOf(score, isWarned), ...halves } };
}

/** What the fixes leave behind, where it does not hold already. */
function findingsLeft(report: Report, codes: ReadonlySet<string>): readonly Finding[] {
  const rules = findSpec(report.check)?.rules ?? {};
  const known = new Set([...report.passed, ...brokenIn(report)]);
  return [...codes]
    .flatMap((code) => leftBehind[code] ?? [])
    .flatMap((code) => {
      const rule = Object.hasOwn(rules, code) ? rules[code] : undefined;
      if (rule === undefined || known.has(code)) return [];
      const { severity, title, detail, fix, points } = rule;
      return [
        {
          code,
          severity,
          title,
          detail,
          scoreEffect: -points,
          evidence: [],
          fix: { text: fix },
          references: [],
        },
      ];
    });
}

function halvesOf({ report }: SourceFacts) {
  const read = (name: string) => (typeof report?.[name] === 'number' ? report[name] : null);
  return { dnsScore: read('dnsScore'), mailScore: read('mailScore') };
}

function fixEntry(entry: EntryPoint, fixed: readonly Fixed[]): EntryPoint {
  const { source, url } = entry;
  const { report } = source;
  const own = fixed.filter(({ check, target }) => check === 'redirect-check' && target === url);
  const codes = new Set(own.map(({ code }) => code));
  if (report === null || codes.size === 0) return entry;
  const findings = report.findings.filter(({ code }) => !codes.has(code));
  const passed = [...report.passed, ...codes];
  return {
    ...entry,
    source: { ...source, report: { ...report, findings, passed } },
    distrust: codes.has('certificate-not-trusted') ? null : entry.distrust,
  };
}
