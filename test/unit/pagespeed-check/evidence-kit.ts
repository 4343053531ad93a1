import { readFileSync } from 'node:fs';
import type { Load, PagespeedEvidence } from '../../../worker/checks/pagespeed-check/evidence.ts';
import type {
  AuditObservation,
  BrowserEnd,
  BrowserRun,
  FieldObservation,
  MetricObservation,
  PageObservation,
  RequestObservation,
  RequestsObservation,
  Traffic,
} from '../../../worker/probes/browser/port.ts';

/** A captured run: a page of twelve heavy images, one script and one style sheet, loaded as a phone. */
export function readImagesRun(): BrowserRun & { readonly end: Extract<BrowserEnd, { kind: 'loaded' }> } {
  const url = new URL('../../fixtures/pagespeed-check/captured/images-mobile.json', import.meta.url);
  return JSON.parse(readFileSync(url, 'utf8')) as ReturnType<typeof readImagesRun>;
}

const captured = readImagesRun();
const noField: FieldObservation = { kind: 'none', reason: 'no provider of field data is configured' };

export type PageChange = {
  readonly metrics?: { readonly [name in keyof PageObservation['metrics']]?: Partial<MetricObservation> };
  /** By id; laid over an audit that passed. */
  readonly audits?: { readonly [id: string]: Partial<AuditObservation> };
  readonly page?: Partial<PageObservation>;
  readonly traffic?: Partial<Traffic>;
};

/** A run of a page with which all is well, but for the change. */
export function load({ metrics = {}, audits = {}, page = {}, traffic = {} }: PageChange = {}): BrowserRun {
  const good = (metric: keyof PageObservation['metrics'], value: number): MetricObservation => ({
    ...captured.end.page.metrics[metric],
    value,
    score: 1,
    ...metrics[metric],
  });
  const observation: PageObservation = {
    ...captured.end.page,
    score: 1,
    metrics: {
      lcp: good('lcp', 900),
      cls: good('cls', 0),
      tbt: good('tbt', 0),
      fcp: good('fcp', 800),
      si: good('si', 900),
    },
    audits: captured.end.page.audits.map((audit) => ({
      ...audit,
      mode: audit.mode === 'informative' ? audit.mode : 'metricSavings',
      score: 1,
      items: [],
      itemCount: 0,
      savings: {},
      savedBytes: null,
      ...audits[audit.id],
    })),
    ...page,
  };
  return {
    ...captured,
    end: { kind: 'loaded', page: observation },
    traffic: { ...captured.traffic, ...traffic },
  };
}

/** A run that measured nothing. */
export function ended(end: BrowserEnd, traffic: Partial<Traffic> = {}): BrowserRun {
  return { ...captured, end, tookMs: 25_000, traffic: { ...captured.traffic, ...traffic } };
}

/** A run that Lighthouse gave up with a code of its own. */
export function gaveUp(
  code: string,
  traffic: Partial<Traffic> = {},
  status: number | null = null,
): BrowserRun {
  return ended({ kind: 'not-measured', code, message: `because of ${code}`, status }, traffic);
}

/** The evidence of these runs of http://a.test/ as a phone. */
export function seen(...runs: readonly Load[]): PagespeedEvidence {
  return { url: 'http://a.test/', strategy: 'mobile', runs, field: noField };
}

/** A load that measured a page, which was not the site's, with status 200: a bot wall asks the browser to prove itself, or one with this sign. */
export function challenged(sign?: string): BrowserRun {
  const run = load();
  if (run.end.kind !== 'loaded') throw new Error('a loaded run was expected');
  const document = {
    url: 'http://a.test/',
    status: 200,
    headers:
      sign === undefined
        ? ([['cf-mitigated', 'challenge']] as const)
        : ([['content-type', 'text/html']] as const),
    bodySigns: sign === undefined ? [] : [sign],
  };
  return { ...run, end: { ...run.end, document } };
}

/** A request that was answered at once, but for the change. */
export function requestSeen(change: Partial<RequestObservation> = {}): RequestObservation {
  return {
    url: 'http://a.test/x.js',
    method: 'GET',
    type: 'Script',
    status: 200,
    protocol: 'http/1.1',
    mimeType: 'text/javascript',
    bytes: 100,
    decodedBytes: 300,
    startMs: 10,
    endMs: 40,
    priority: 'High',
    owner: null,
    isThirdParty: false,
    initiator: { type: 'parser', url: 'http://a.test/' },
    fromCache: false,
    failure: null,
    timings: { blocked: 1, dns: null, connect: null, ssl: null, send: 1, wait: 20, receive: 8 },
    ...change,
  };
}

/** These requests, and the sums over them. */
export function requestsSeen(entries: readonly RequestObservation[]): RequestsObservation {
  const sum = (some: readonly RequestObservation[]) => some.reduce((total, { bytes }) => total + bytes, 0);
  return {
    total: entries.length,
    overNetwork: entries.length,
    bytes: sum(entries),
    thirdPartyBytes: sum(entries.filter(({ isThirdParty }) => isThirdParty)),
    entries,
  };
}
