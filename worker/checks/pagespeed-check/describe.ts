import type { PagespeedFields } from '../../../shared/catalogue/pagespeed-check/report.ts';
import type { AuditSeen, PageSight, RefusedHost, Strategy } from '../../probes/browser/port.ts';
import { shiftsOf } from './assess-metrics.ts';
import type { Choice } from './choose-run.ts';
import { describeEnvironment } from './describe-environment.ts';
import { describeMetrics, rateLab } from './describe-metrics.ts';
import { isRemote, type Load, type PagespeedEvidence } from './evidence.ts';
import { assessField, chooseField, describeField } from './field.ts';
import type { NamedEnd } from './name-end.ts';
import { rateScore } from './ratings.ts';
import { bySavings, hasFailed, showSavings } from './savings.ts';
import { describeScreenshot } from './screenshot.ts';

/** The check's own fields of the report. */
export function describePagespeed(
  evidence: PagespeedEvidence,
  choice: Choice,
  end: NamedEnd | undefined,
): PagespeedFields {
  const page = choice.run?.end.page;
  const last = evidence.runs.at(-1);
  const field = chooseField(evidence);
  return {
    strategy: evidence.strategy,
    ended: end?.code ?? 'measured',
    coreWebVitals: { ...assessField(field.sight), lab: rateLab(page) },
    field: describeField(field),
    ...(page ? describePage(page, evidence.strategy) : noPage),
    blockedRequests: refusedIn(last),
    runs: {
      count: evidence.runs.length,
      chosen: choice.chosen,
      scores: choice.scores,
      spread: choice.spread,
    },
    environment: describeEnvironment(choice, last),
    screenshot: describeScreenshot(evidence),
  };
}

type PageFields = Pick<PagespeedFields, keyof typeof noPage>;

const noPage = {
  finalUrl: null,
  rating: null,
  metrics: null,
  lcp: null,
  layoutShifts: [],
  opportunities: [],
  diagnostics: [],
  resources: null,
  warnings: [],
};

function describePage(page: PageSight, strategy: Strategy): PageFields {
  return {
    finalUrl: page.finalUrl,
    rating: page.score === null ? null : rateScore(page.score),
    metrics: describeMetrics(page, strategy),
    lcp: { element: page.lcpElement, observedPhasesMs: page.lcpPhases },
    layoutShifts: shiftsOf(page),
    ...describeAudits(page),
    resources: describeResources(page),
    warnings: page.warnings,
  };
}

function describeAudits({ audits }: PageSight) {
  const failed = audits.filter(hasFailed);
  const saves = (audit: AuditSeen) => Object.keys(showSavings(audit)).length > 0;
  const informs = audits.filter(
    ({ mode, items, id }) => mode === 'informative' && items.length > 0 && id !== 'layout-shifts',
  );
  return {
    opportunities: failed.filter(saves).toSorted(bySavings).map(describeAudit),
    diagnostics: [...failed.filter((audit) => !saves(audit)), ...informs].map(describeAudit),
  };
}

function describeAudit(audit: AuditSeen) {
  const { id, title, score, display, items, itemCount } = audit;
  return { id, title, score, display, savings: showSavings(audit), items, itemCount };
}

function describeResources({ resources }: PageSight) {
  const { total, ...byType } = resources;
  return { total: total ?? { requests: 0, bytes: 0 }, byType };
}

function refusedIn(last: Load | undefined): readonly RefusedHost[] {
  return last?.kind === 'run' && !isRemote(last) ? last.traffic.refused : [];
}
