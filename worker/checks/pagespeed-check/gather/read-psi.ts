import { type LighthouseResult, trimResult } from '../../../probes/browser/child/trim.ts';
import type { BrowserFailure, FieldObservation, PsiAnswer, Strategy } from '../../../probes/browser/port.ts';
import { type Bag, bagOf, finiteOf, listOf, textOf } from '../../../probes/browser/untyped.ts';
import type { PsiRun } from '../evidence.ts';
import { readPsiField } from './read-psi-field.ts';
import { readPsiRequests } from './read-psi-requests.ts';

/** Lighthouse has about 150 audits; an answer with many more is not read to its end. */
const auditLimit = 400;

/**
 * Reads the answer as a run of ours would have told it: the same trimmed page, or Lighthouse's own code for why there is none.
 * Never throws. An answer about the key or the quota is the operator's matter, as if there were no browser.
 */
export function readPsi(answer: PsiAnswer, strategy: Strategy): PsiRun | BrowserFailure {
  const { status, tookMs } = answer;
  const body = bagOf(answer.body);
  const refused = readRefusal(body);
  const end = refused ?? (status === 200 ? readEnd(body) : undefined);
  if (!end) return unusable(status);
  const field: FieldObservation = readPsiField(body, strategy);
  return { kind: 'run', source: 'psi', end, field, tookMs };
}

/** "Lighthouse returned error: NO_FCP. …": the page's fault, told as an error of the API. */
function readRefusal(body: Bag): PsiRun['end'] | undefined {
  const message = textOf(bagOf(body['error'])['message']).slice(0, 500);
  const code = /^Lighthouse returned error: ([A-Z][A-Z_]{2,50})/.exec(message)?.[1];
  return code === undefined
    ? undefined
    : { kind: 'not-measured', code, message, status: readStatus(message) };
}

function readEnd(body: Bag): PsiRun['end'] | undefined {
  const lighthouse = bagOf(body['lighthouseResult']);
  const page = trimQuietly(readLighthouse(lighthouse, body));
  if (!page) return undefined;
  const { lcp, tbt, cls } = page.metrics;
  if (lcp.value !== null && tbt.value !== null && cls.value !== null) return { kind: 'loaded', page };
  const fault = bagOf(lighthouse['runtimeError']);
  const code = textOf(fault['code']).slice(0, 50);
  const message = textOf(fault['message']).slice(0, 500);
  const isNamed = code !== '' && code !== 'NO_ERROR';
  return {
    kind: 'not-measured',
    code: isNamed ? code : 'NO_METRICS',
    message: isNamed ? message : 'A metric is missing.',
    status: readStatus(message),
  };
}

/** A result that every version of Lighthouse gives has categories and audits; all of its parts are looked at before they are believed. */
function readLighthouse(result: Bag, body: Bag): LighthouseResult | undefined {
  const category = bagOf(bagOf(result['categories'])['performance']);
  const audits = Object.entries(bagOf(result['audits'])).slice(0, auditLimit);
  if (audits.length === 0) return undefined;
  const environment = bagOf(result['environment']);
  const settings = bagOf(result['configSettings']);
  return {
    lighthouseVersion: textOf(result['lighthouseVersion']).slice(0, 50),
    finalDisplayedUrl: [result['finalDisplayedUrl'], result['finalUrl'], body['id']]
      .map(textOf)
      .find(Boolean),
    fetchTime: textOf(result['fetchTime']).slice(0, 50),
    runWarnings: listOf(result['runWarnings']).slice(0, 20),
    environment: {
      hostUserAgent: textOf(environment['hostUserAgent']).slice(0, 300),
      benchmarkIndex: finiteOf(environment['benchmarkIndex']) ?? 0,
    },
    configSettings: {
      throttlingMethod: textOf(settings['throttlingMethod']).slice(0, 50) || 'not reported',
      throttling: bagOf(settings['throttling']),
    },
    categories: { performance: { score: scoreOf(category['score']), auditRefs: readReferences(category) } },
    // Without a prototype: the references name audits by text.
    audits: Object.assign(Object.create(null) as object, Object.fromEntries(audits.map(readAudit))),
  };
}

function readReferences(category: Bag) {
  return listOf(category['auditRefs'])
    .slice(0, auditLimit)
    .map(bagOf)
    .map(({ id, weight, group }) => ({
      id: textOf(id),
      weight: finiteOf(weight) ?? 0,
      group: textOf(group),
    }));
}

function readAudit([id, value]: [string, unknown]): [string, LighthouseResult['audits'][string]] {
  const audit = bagOf(value);
  const numericValue = finiteOf(audit['numericValue']);
  const read = {
    id,
    title: textOf(audit['title']),
    score: scoreOf(audit['score']),
    scoreDisplayMode: textOf(audit['scoreDisplayMode']).slice(0, 50),
    displayValue: audit['displayValue'],
    ...(numericValue === undefined ? {} : { numericValue }),
    metricSavings: bagOf(audit['metricSavings']),
    details: audit['details'],
  };
  return [id, read];
}

// Of the details any shape may come. The trimming knows those of Lighthouse; what makes it stumble is none of them.
function trimQuietly(result: LighthouseResult | undefined) {
  try {
    if (!result) return undefined;
    const page = trimResult(result);
    const requests = readPsiRequests(result.audits['network-requests']?.details, page.finalUrl);
    return { ...page, ...(requests ? { requests } : {}) };
  } catch {
    return undefined;
  }
}

/** 0 to 1, or nothing. */
function scoreOf(value: unknown): number | null {
  const score = finiteOf(value);
  return score === undefined || score < 0 || score > 1 ? null : score;
}

function readStatus(message: string): number | null {
  const status = /status code: (\d{3})/i.exec(message)?.[1];
  return status === undefined ? null : Number(status);
}

// The API's own words may name the operator's project, so that only the status is reported.
function unusable(status: number): BrowserFailure {
  return {
    kind: 'failure',
    code: 'browser-unavailable',
    reason:
      status === 200
        ? 'PageSpeed Insights answered in a shape that is not known here'
        : `PageSpeed Insights answered with status ${status}`,
    fix: 'Check PSI_API_KEY and its quota, or give this server a browser: install Chrome or Chromium, or set BROWSER_PATH.',
  };
}
