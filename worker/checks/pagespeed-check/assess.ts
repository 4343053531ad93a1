import { verdictOfBudget } from '#shared/catalogue/pagespeed-check/judge-budget';
import type { PagespeedFields } from '#shared/catalogue/pagespeed-check/report';
import { categoryAudits, type PagespeedCode, rules } from '#shared/catalogue/pagespeed-check/rules';
import { isKeptBack } from '#shared/model/failure';
import type { Assessment } from '#shared/model/report';
import { gradeOf } from '#shared/model/score';
import { brokenBy, codesBroken, eachOf, notTested, type Verdicts } from '#shared/model/verdict';
import { isRemote, type LoadedRun, type PagespeedEvidence } from './evidence.ts';
import { readChoice, toPoints } from './facts/choice.ts';
import type { NamedEnd } from './facts/end.ts';
import { readAsked, readField } from './facts/field.ts';
import { judgeCategories, leaveOutPerformance } from './judge/categories.ts';
import { judgeField } from './judge/field.ts';
import { judgeInsights } from './judge/insights.ts';
import { effectsOf, judgeMetrics } from './judge/metrics.ts';
import { cutShort, judgeEnd, judgeMeasurement, judgeStay, judgeTraffic } from './judge/page.ts';
import { reportPagespeed } from './report/fields.ts';

/** Judges what a browser saw of a page. Pure: the same evidence always gives the same verdicts. The score is Lighthouse's. */
export function assessPagespeed(evidence: PagespeedEvidence): Assessment<PagespeedCode, PagespeedFields> {
  const choice = readChoice(evidence);
  const page = choice.run?.end.page;
  const last = evidence.runs.at(-1);
  const end = choice.run ? undefined : choice.lost;
  const asked = readAsked(evidence);
  const isSpeedAsked = asked.includes('performance');
  const unseen = isCutShort(choice.run) ? cutShort : null;
  const fields = reportPagespeed(evidence, choice, end);
  const verdicts: Verdicts<PagespeedCode> = {
    ...judgeMetrics(page, evidence.strategy),
    'field-vitals-failed': judgeField(readField(evidence).observation),
    'budget-exceeded': verdictOfBudget(fields.budget),
    ...judgeInsights(page, unseen),
    ...judgeCategories(page, asked, unseen),
    ...judgeEnd(choice, evidence.url),
    ...judgeTraffic(choice.run ?? last),
    'page-sends-on': judgeStay(choice.run, evidence.url),
    ...judgeMeasurement(choice, last),
    ...(last && isRemote(last) ? judgeRemote(end) : {}),
    ...(isSpeedAsked ? {} : leaveOutPerformance()),
  };
  const score = isSpeedAsked ? toPoints(page?.score ?? null) : null;
  return {
    state: stateOf(end),
    verdicts,
    score,
    grade: gradeOf(score, codesBroken(verdicts).some(lowersGrade)),
    scoreEffects: isSpeedAsked ? effectsOf(page) : {},
    fields,
  };
}

// The grade is that of performance: what the other categories find, and a caller's own budget, leave it as it is.
function lowersGrade(code: PagespeedCode): boolean {
  return (
    rules[code].severity !== 'info' && code !== 'budget-exceeded' && !Object.hasOwn(categoryAudits, code)
  );
}

function isCutShort(run: LoadedRun | undefined): boolean {
  return run !== undefined && !isRemote(run) && run.traffic.cut !== null;
}

// Partial is fresh for a minute only: a page that hangs, or a browser that fails, may do better soon.
function stateOf(end: NamedEnd | undefined): Assessment['state'] {
  if (!end) return 'complete';
  const isUnseen = end.code === 'target-unreachable' || end.code === 'not-from-here';
  return isUnseen || isKeptBack(end.code) ? 'unreachable' : 'partial';
}

/** Judges what only a browser of ours, behind our own proxy, can show; laid over the other verdicts where PageSpeed Insights measured. */
function judgeRemote(end: NamedEnd | undefined) {
  const unseen = notTested('PageSpeed Insights loaded the page and does not report this');
  return {
    ...eachOf(
      ['page-memory-excessive', 'page-transfer-excessive', 'requests-not-allowed', 'requests-unreachable'],
      unseen,
    ),
    // Its settings are tuned to its own slow machines (core/config/lr-mobile-config.js): our limit says nothing of them.
    'measurement-uncertain': notTested('PageSpeed Insights measured once, on its own machines'),
    'browser-failed': end?.code === 'browser-failed' ? brokenBy([end.evidence]) : 'not-applicable',
    'browser-unavailable': 'not-applicable',
  } satisfies Partial<Verdicts<PagespeedCode>>;
}
