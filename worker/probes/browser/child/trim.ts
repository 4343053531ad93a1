import type { FrameObservation, LoadObservation, MetricObservation, PageObservation } from '../port.ts';
import { bagOf, finiteOf, listOf, textOf } from '../untyped.ts';
import { type LighthouseAudit, numbersOf, trimAudit } from './audit.ts';
import { readCategories } from './categories.ts';
import { readMainThread } from './main-thread.ts';
import { findNode, round, text } from './rows.ts';

/** Of Lighthouse's result what is read here; a megabyte goes in. */
export type LighthouseResult = {
  readonly lighthouseVersion: string;
  readonly finalDisplayedUrl?: string | undefined;
  readonly fetchTime: string;
  readonly runWarnings: readonly unknown[];
  readonly environment: { readonly hostUserAgent: string; readonly benchmarkIndex: number };
  readonly configSettings: { readonly throttlingMethod?: string; readonly throttling: object };
  readonly categories: { readonly [id: string]: LighthouseCategory };
  readonly audits: { readonly [id: string]: LighthouseAudit };
  readonly timing?: { readonly entries: readonly { readonly name: string; readonly duration: number }[] };
};
type LighthouseCategory = {
  readonly score: number | null;
  readonly auditRefs: readonly { readonly id: string; readonly weight: number; readonly group?: string }[];
};

const metricAudits = {
  lcp: 'largest-contentful-paint',
  cls: 'cumulative-layout-shift',
  tbt: 'total-blocking-time',
  fcp: 'first-contentful-paint',
  si: 'speed-index',
} as const;

/** Of the observed numbers those that a reader can use; the rest are time stamps. */
const observedNames = [
  'observedFirstContentfulPaint',
  'observedLargestContentfulPaint',
  'observedCumulativeLayoutShift',
  'observedSpeedIndex',
  'observedDomContentLoaded',
  'observedLoad',
];

/** Audits that are reported beside the insights: the response of the server belongs to no insight any more. */
const ownAudits = ['server-response-time', 'redirects', 'layout-shifts'];

const screenshotLimit = 131_072;

/** Lighthouse's result cut to what a report needs: about 1 MB becomes about 30 kB. */
export function trimResult(result: LighthouseResult): PageObservation {
  const { audits, environment } = result;
  const category = result.categories['performance'] ?? { score: null, auditRefs: [] };
  const shown = category.auditRefs.filter(({ group }) => group === 'insights' || group === 'diagnostics');
  const categories = readCategories(result);
  const measured = firstItem(audits['metrics']?.details);
  return {
    finalUrl: (result.finalDisplayedUrl ?? '').slice(0, 2048),
    fetchedAt: result.fetchTime,
    score: category.score,
    metrics: readMetrics(category, audits),
    ...readInteractive(measured),
    observed: numbersOf(measured, (name) => observedNames.includes(name)),
    ttfbMs: readTtfb(audits['server-response-time'], measured),
    lcpElement: findNode(audits['lcp-breakdown-insight']?.details),
    lcpPhases: readPhases(audits['lcp-breakdown-insight']),
    audits: [...shown.map(({ id }) => id), ...ownAudits].flatMap((id) => {
      const audit = audits[id];
      return audit ? [trimAudit(audit)] : [];
    }),
    ...(categories ? { categories } : {}),
    resources: readResources(audits['resource-summary']),
    warnings: result.runWarnings.map(text).filter((warning) => warning !== ''),
    environment: {
      lighthouse: result.lighthouseVersion,
      userAgent: environment.hostUserAgent,
      benchmarkIndex: environment.benchmarkIndex,
      throttling: {
        method: result.configSettings.throttlingMethod ?? 'simulate',
        ...numbersOf(result.configSettings.throttling, () => true),
      },
    },
    screenshot: readScreenshot(audits['final-screenshot']?.details),
    ...readLoad(audits),
  };
}

function readMetrics(
  { auditRefs }: LighthouseCategory,
  audits: LighthouseResult['audits'],
): PageObservation['metrics'] {
  const read = (id: string): MetricObservation => {
    const audit = audits[id];
    const value = audit?.numericValue;
    return {
      value: value === undefined ? null : round(value),
      score: audit?.score ?? null,
      weight: auditRefs.find((ref) => ref.id === id)?.weight ?? 0,
    };
  };
  return {
    lcp: read(metricAudits.lcp),
    cls: read(metricAudits.cls),
    tbt: read(metricAudits.tbt),
    fcp: read(metricAudits.fcp),
    si: read(metricAudits.si),
  };
}

function readInteractive(measured: object): Pick<PageObservation, 'interactiveMs'> {
  const { interactive } = numbersOf(measured, (name) => name === 'interactive');
  return interactive === undefined ? {} : { interactiveMs: interactive };
}

// The server's part as it was seen; the simulated number counts the slow line, too.
function readTtfb(audit: LighthouseAudit | undefined, measured: object): number | null {
  const simulated = numbersOf(measured, (name) => name === 'timeToFirstByte')['timeToFirstByte'];
  return audit?.numericValue ?? simulated ?? null;
}

function readPhases(audit: LighthouseAudit | undefined): { readonly [phase: string]: number } {
  const lists = (audit?.details as { items?: unknown } | undefined)?.items;
  const table = Array.isArray(lists) ? (lists[0] as { items?: unknown } | undefined)?.items : undefined;
  const rows = Array.isArray(table) ? (table as readonly { subpart?: unknown; duration?: unknown }[]) : [];
  return Object.fromEntries(
    rows.flatMap(({ subpart, duration }) =>
      typeof subpart === 'string' && typeof duration === 'number' ? [[subpart, round(duration)]] : [],
    ),
  );
}

function readResources(audit: LighthouseAudit | undefined): PageObservation['resources'] {
  const rows = (audit?.details as { items?: unknown } | undefined)?.items;
  type Row = { resourceType?: unknown; requestCount?: unknown; transferSize?: unknown };
  return Object.fromEntries(
    (Array.isArray(rows) ? (rows as readonly Row[]) : []).flatMap((row) =>
      typeof row.resourceType === 'string' && Number(row.requestCount) > 0
        ? [[row.resourceType, { requests: Number(row.requestCount), bytes: Number(row.transferSize) }]]
        : [],
    ),
  );
}

function readScreenshot(details: unknown): string | null {
  const found = (details as { data?: unknown } | undefined)?.data;
  const base64 = typeof found === 'string' ? (/^data:image\/jpeg;base64,(.+)$/.exec(found)?.[1] ?? '') : '';
  return base64 !== '' && base64.length <= screenshotLimit ? base64 : null;
}

function firstItem(details: unknown): object {
  const items = (details as { items?: unknown } | undefined)?.items;
  return Array.isArray(items) ? ((items[0] as object | undefined) ?? {}) : {};
}

const mostFrames = 10;
/** Base64 of all frames together: 96 kB of pictures. */
const frameCharacters = 131_072;

/** How the page loaded, of Lighthouse's audits: its pictures in order, and its main thread. Every part is looked at before it is believed. */
function readLoad(audits: { readonly [id: string]: { readonly details?: unknown } }): LoadObservation {
  let left = frameCharacters;
  const frames = listOf(bagOf(audits['screenshot-thumbnails']?.details)['items'])
    .slice(0, mostFrames)
    .map(bagOf)
    .flatMap(({ timing, data }): readonly FrameObservation[] => {
      const atMs = finiteOf(timing);
      const jpeg = textOf(data).replace(/^data:image\/jpeg;base64,/, '');
      left -= jpeg.length;
      return atMs === undefined || jpeg === '' || left < 0 ? [] : [{ atMs: Math.round(atMs), jpeg }];
    });
  return { frames, mainThread: readMainThread(audits) };
}
