import { compareBudget } from '#shared/catalogue/pagespeed-check/judge-budget';
import type { PagespeedFields } from '#shared/catalogue/pagespeed-check/report';
import type {
  AuditObservation,
  FieldRecord,
  PageObservation,
  RefusedHost,
  Strategy,
} from '../../../probes/browser/port.ts';
import { isLoaded, isRemote, type Load, type PagespeedEvidence } from '../evidence.ts';
import type { Choice } from '../facts/choice.ts';
import { readPageCookies } from '../facts/cookies.ts';
import type { NamedEnd } from '../facts/end.ts';
import { type ChosenField, readField } from '../facts/field.ts';
import { type Frame, readFrames } from '../facts/load.ts';
import { fieldThresholds, rateScore, rateValue } from '../facts/ratings.ts';
import { readRequests } from '../facts/requests.ts';
import { bySavings, hasFailed, readSavings } from '../facts/savings.ts';
import { readSentOn } from '../facts/sent-on.ts';
import { readSeo } from '../facts/seo.ts';
import { rateField } from '../judge/field.ts';
import { shiftsOf } from '../judge/metrics.ts';
import { isSpeedAsked, reportCategories } from './categories.ts';
import { reportEnvironment } from './environment.ts';
import { reportMainThread } from './main-thread.ts';
import { rateLab, reportMetrics } from './metrics.ts';
import { reportScreenshot } from './screenshot.ts';

/** The check's own fields of the report. */
export function reportPagespeed(
  evidence: PagespeedEvidence,
  choice: Choice,
  end: NamedEnd | undefined,
): PagespeedFields {
  const page = choice.run?.end.page;
  const last = evidence.runs.at(-1);
  const field = readField(evidence);
  const fields = {
    strategy: evidence.strategy,
    categories: reportCategories(evidence, page),
    ended: end?.code ?? 'measured',
    coreWebVitals: { ...rateField(field.observation), lab: rateLab(page) },
    field: reportField(field),
    ...(page ? reportPage(page, evidence.strategy) : noPage),
    ...(isSpeedAsked(evidence) ? {} : { rating: null }),
    blockedRequests: refusedIn(last),
    runs: {
      count: evidence.runs.length,
      chosen: choice.chosen,
      scores: choice.scores,
      spread: choice.spread,
    },
    environment: reportEnvironment(choice, last),
    screenshot: reportScreenshot(evidence),
    filmstrip: reportFilmstrip(evidence),
    requests: reportRequests(page),
    cookies: (page && readPageCookies(page)) ?? null,
    mainThread: reportMainThread(page),
    ...reportSentOn(page, evidence.url),
  };
  const { budget } = evidence;
  return budget === undefined ? fields : { ...fields, budget: compareBudget(budget, fields) };
}

// Left out where it was not seen.
function reportSentOn(page: PageObservation | undefined, asked: string): Pick<PagespeedFields, 'sentOn'> {
  const sentOn = page && readSentOn(page, asked);
  return sentOn === undefined ? {} : { sentOn };
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

function reportPage(page: PageObservation, strategy: Strategy): PageFields {
  return {
    finalUrl: page.finalUrl,
    rating: page.score === null ? null : rateScore(page.score),
    metrics: reportMetrics(page, strategy),
    lcp: { element: page.lcpElement, observedPhasesMs: page.lcpPhases },
    layoutShifts: shiftsOf(page),
    ...reportAudits(page),
    resources: reportResources(page),
    warnings: [...page.warnings, ...tellRobots(page)],
  };
}

function reportAudits({ audits }: PageObservation) {
  const failed = audits.filter(hasFailed);
  const saves = (audit: AuditObservation) => Object.keys(readSavings(audit)).length > 0;
  const informs = audits.filter(
    ({ mode, items, id }) => mode === 'informative' && items.length > 0 && id !== 'layout-shifts',
  );
  return {
    opportunities: failed.filter(saves).toSorted(bySavings).map(reportAudit),
    diagnostics: [...failed.filter((audit) => !saves(audit)), ...informs].map(reportAudit),
  };
}

function reportAudit(audit: AuditObservation) {
  const { id, title, score, display, items, itemCount } = audit;
  return { id, title, score, display, savings: readSavings(audit), items, itemCount };
}

function reportResources({ resources }: PageObservation) {
  const { total, ...byType } = resources;
  return { total: total ?? { requests: 0, bytes: 0 }, byType };
}

function refusedIn(last: Load | undefined): readonly RefusedHost[] {
  return last?.kind === 'run' && !isRemote(last) ? last.traffic.refused : [];
}

type FieldMetric = keyof typeof fieldThresholds;
const metricNames = Object.keys(fieldThresholds) as readonly FieldMetric[];

/** The record with a rating beside each metric, and that of the whole origin; null where there is none. */
function reportField({ provider, observation }: ChosenField): PagespeedFields['field'] {
  if (observation.kind !== 'record') return null;
  const { scope, formFactor, origin } = observation;
  return {
    provider,
    scope,
    formFactor,
    ...reportRecord(observation),
    origin: origin ? reportRecord(origin) : null,
  };
}

// Evidence of an older version has metrics alone.
function reportRecord({ metrics, period = null, history = null }: FieldRecord) {
  const rated = metricNames.flatMap((name) => {
    const metric = metrics[name];
    return metric
      ? [[name, { ...metric, rating: rateValue(metric.p75, fieldThresholds[name]) }] as const]
      : [];
  });
  return { period, metrics: Object.fromEntries(rated), history };
}

/** The pictures of the first run, to be kept beside the report: JSON of what the report says of each, with its JPEG in base64. */
export function filmstripOf(evidence: PagespeedEvidence): { readonly bytes: Uint8Array } | undefined {
  const frames = framesOf(evidence);
  return frames.length === 0 ? undefined : { bytes: new TextEncoder().encode(JSON.stringify(frames)) };
}

/** When each picture was taken, and its size; the pictures themselves are kept beside the report. */
function reportFilmstrip(evidence: PagespeedEvidence): PagespeedFields['filmstrip'] {
  return framesOf(evidence).map(({ atMs, width, height }) => ({ atMs, width, height }));
}

function framesOf({ runs: [first] }: PagespeedEvidence): readonly Frame[] {
  return first && isLoaded(first) ? readFrames(first.end.page) : [];
}

/** The page's requests in order of their start, at most 500, and sums over all. */
function reportRequests(page: PageObservation | undefined): PagespeedFields['requests'] {
  const seen = page && readRequests(page);
  return seen ? { total: seen.total, ...seen.sums, entries: seen.entries } : null;
}

/** No rule of this check speaks of robots.txt, but the score of SEO counts it. */
function tellRobots(page: PageObservation): readonly string[] {
  const { fault } = readSeo(page);
  return fault === '' ? [] : [`The score of SEO counts robots.txt as a fault. ${fault}`];
}
