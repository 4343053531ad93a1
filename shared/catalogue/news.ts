import { z } from 'zod';
import { severitySchema } from '../model/finding.ts';
import { gradeNames } from '../model/score.ts';
import { severities } from '../model/verdict.ts';
import { areFiguresAlike, changesBetween } from './change.ts';
import { haveOtherParts, partsOfOutline } from './health-parts.ts';
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
    severity: severitySchema,
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
 * What changed, the gravest first. What one of the two could not look at, a run of ours that failed and a change of our rules are no news.
 * @see changesBetween
 */
export function newsBetween(from: Outline, to: Outline): readonly News[] {
  const [before, after] = [from.reports[0], to.reports[0]];
  if (!before || !after || before.state === 'failed' || after.state === 'failed') return [];
  const pairs = pairsOf(from, to);
  const areOurs = haveOtherParts(partsOfOutline(from), partsOfOutline(to));
  const found = pairs.flatMap(([older, newer]) => newsOfPair(older, newer, areOurs && newer === after));
  // What our own network does is no news of the target.
  const isWhole = !before.missing && !after.missing;
  return [
    ...(isWhole ? stateNews(before, after) : []),
    ...(isWhole && areGradesAlike(from, to) ? gradeNews(before, after) : []),
    ...found,
  ].toSorted((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity));
}

type Pair = readonly [OutlinedReport, OutlinedReport];

/** The reports of the two that answer one question each: what is in one of them alone was not looked at in the other. */
function pairsOf(from: Outline, to: Outline): readonly Pair[] {
  return to.reports.flatMap((newer): Pair[] => {
    const older = from.reports.find(({ check, target }) => check === newer.check && target === newer.target);
    return older ? [[older, newer]] : [];
  });
}

/** True where a change of score or grade is one of the target: one of what was seen in part, or of other parts, is of something else. */
export function areGradesAlike(from: Outline, to: Outline): boolean {
  const pairs = pairsOf(from, to);
  const isSame = pairs.length === to.reports.length && pairs.length === from.reports.length;
  return (
    isSame &&
    to.reports[0]?.state === 'complete' &&
    pairs.every(([older, newer]) => areFiguresAlike(older, newer))
  );
}

function newsOfPair(older: OutlinedReport, newer: OutlinedReport, areOurs: boolean): readonly News[] {
  if (older.state === 'failed' || newer.state === 'failed') return [];
  const { added, fixed, both } = changesBetween(older, newer, areOurs);
  const graver =
    older.rulesVersion === newer.rulesVersion
      ? both.filter(([was, now]) => was.severity !== now.severity)
      : [];
  return [
    ...added.map(({ code }) => tell('finding-added', newer, code)),
    ...fixed.map(({ code }) => tell('finding-fixed', older, code)),
    ...graver.map(([was, { code }]) => tell('finding-changed', newer, code, was.severity)),
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
