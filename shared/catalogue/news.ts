import { z } from 'zod';
import { type DiffSide, diffReports } from '../model/diff.ts';
import { gradeNames } from '../model/score.ts';
import { severities } from '../model/verdict.ts';
import type { Outline, OutlinedReport } from './outline.ts';

export const newsKinds = [
  'finding-added',
  'finding-fixed',
  'finding-changed',
  'grade',
  'state',
  'expiring',
] as const;

export const newsSchema = z
  .looseObject({
    kind: z.enum(newsKinds),
    code: z.string().nullable().meta({ description: 'Of a finding; null for a grade or a state.' }),
    category: z.string().nullable().meta({ description: 'Of a part of domain-health, else null.' }),
    severity: z.enum(severities),
    title: z.string(),
    fix: z.string().nullable(),
    text: z.string().meta({ description: 'What changed, in a sentence.' }),
  })
  .meta({ id: 'News' });

/** One thing that changed between two reports of one check, target and options. */
export type News = Readonly<z.infer<typeof newsSchema>>;

/** True where the two were judged by other rules: a difference may be ours. */
export function haveOtherRules(from: Outline, to: Outline): boolean {
  return pairsOf(from, to).some(([before, after]) => before.rulesVersion !== after.rulesVersion);
}

/**
 * What changed, by the verdict of the diff, the gravest first. What one of the two could not look at, a run of ours that failed and a change of
 * our rules are no news.
 */
export function newsBetween(from: Outline, to: Outline): readonly News[] {
  const [before, after] = [from.reports[0], to.reports[0]];
  if (!before || !after || before.state === 'failed' || after.state === 'failed') return [];
  const found = pairsOf(from, to).flatMap(([older, newer]) => newsOfPair(older, newer));
  // What our own network does is no news of the target.
  const isWhole = !before.missing && !after.missing;
  const own = haveOtherRules(from, to) || !isWhole ? [] : gradeNews(before, after);
  return [...(isWhole ? stateNews(before, after) : []), ...own, ...found].toSorted(
    (a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity),
  );
}

type Pair = readonly [OutlinedReport, OutlinedReport];

/** The reports of the two that answer one question each: what is in one of them alone was not looked at in the other. */
function pairsOf(from: Outline, to: Outline): readonly Pair[] {
  return to.reports.flatMap((newer): Pair[] => {
    const older = from.reports.find(({ check, target }) => check === newer.check && target === newer.target);
    return older ? [[older, newer]] : [];
  });
}

function newsOfPair(older: OutlinedReport, newer: OutlinedReport): readonly News[] {
  if (older.state === 'failed' || newer.state === 'failed') return [];
  const { findings } = diffReports(sideOf(older), sideOf(newer));
  const graver = findings.changed.filter(({ before, after }) => before.severity !== after.severity);
  return [
    ...findings.added.map(({ code }) => tell('finding-added', newer, code)),
    ...findings.fixed.map(({ code }) => tell('finding-fixed', older, code)),
    ...(older.rulesVersion === newer.rulesVersion ? graver : []).map(({ code, before }) =>
      tell('finding-changed', newer, code, before.severity),
    ),
  ];
}

type FindingKind = 'finding-added' | 'finding-fixed' | 'finding-changed';

function tell(kind: FindingKind, report: OutlinedReport, code: string, was?: string): News {
  const { severity, title, fix } = report.findings.find((finding) => finding.code === code) ?? unnamed(code);
  const words = {
    'finding-added': `New (${severity}): ${title}.`,
    'finding-fixed': `Fixed (${severity}): ${title}.`,
    'finding-changed': `Now ${severity}, before ${was}: ${title}.`,
  };
  return {
    kind,
    code,
    category: categoryOf(report, code),
    severity,
    title,
    fix: kind === 'finding-fixed' ? null : fix,
    text: words[kind],
  };
}

function unnamed(code: string): OutlinedReport['findings'][number] {
  return { code, severity: 'info', title: code, scoreEffect: 0, fix: '' };
}

function categoryOf({ categories = {} }: OutlinedReport, code: string): string | null {
  const all = Object.entries(categories);
  return (
    (all.find(([, codes]) => codes.includes(code)) ?? (all.length === 1 ? all[0] : undefined))?.[0] ?? null
  );
}

function gradeNews(before: OutlinedReport, after: OutlinedReport): readonly News[] {
  if (before.grade === null || after.grade === null || before.grade === after.grade) return [];
  // A grade of what was seen in part is of something else.
  if (before.state !== 'complete' || after.state !== 'complete') return [];
  const isWorse = gradeNames.indexOf(after.grade) > gradeNames.indexOf(before.grade);
  const text = `The grade ${isWorse ? 'fell' : 'rose'} from ${before.grade} to ${after.grade}.`;
  const severity = !isWorse ? 'info' : after.grade === 'F' ? 'high' : 'medium';
  return [{ kind: 'grade', code: null, category: null, severity, title: text.slice(0, -1), fix: null, text }];
}

// `partial` says that something was not looked at, which is no change of the target.
function stateNews({ state: was }: OutlinedReport, { state }: OutlinedReport): readonly News[] {
  const isGone = state === 'unreachable';
  if ((was === 'unreachable') === isGone) return [];
  const title = isGone ? 'The target cannot be reached' : 'The target can be reached again';
  const severity = isGone ? 'critical' : 'info';
  return [{ kind: 'state', code: null, category: null, severity, title, fix: null, text: `${title}.` }];
}

/** What the diff takes; texts and evidence differ from run to run without being news. */
function sideOf({ findings, notTested, target, ...report }: OutlinedReport): DiffSide {
  return {
    ...report,
    target: { name: target },
    notTested: notTested.map((code) => ({ code, reason: '' })),
    findings: findings.map(({ code, severity, title, scoreEffect }) => ({
      code,
      severity,
      title,
      scoreEffect,
      detail: '',
      evidence: [],
      fix: { text: '' },
      references: [],
    })),
  };
}
