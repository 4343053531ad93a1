import type { CategoryName } from '#shared/catalogue/pagespeed-check/categories';
import type { FailureCode } from '#shared/model/failure';
import type { Evidence, Json } from '#shared/model/verdict';

/** `mobile`: a slow phone on slow 4G; `desktop`: a fast line. Emulation, throttling and score curves all come with it. */
export const strategies = ['mobile', 'desktop'] as const;
export type Strategy = (typeof strategies)[number];

/** How far the load of a page is: the browser is up · the page has answered · it has loaded, and is measured. */
export const pageSteps = ['started', 'answered', 'loaded'] as const;
export type PageStep = (typeof pageSteps)[number];

export type BrowserRequest = {
  /** Absolute http or https; judged again here. */
  readonly url: string;
  readonly strategy: Strategy;
  /** What Lighthouse is to judge beside performance, which every load is measured for. */
  readonly categories?: readonly CategoryName[];
  /** From now until nothing of the run is left, the browser included. */
  readonly timeoutMs: number;
  /** Called at each step; a courtesy. */
  readonly onStep?: (step: PageStep) => void;
};

/** Where a browser was found. */
export const browserSources = ['configured', 'bundled', 'installed'] as const;
export type BrowserSource = (typeof browserSources)[number];

/** A metric of the lab. `value` is in ms, of CLS without a unit; null when the page gave none. */
export type MetricObservation = {
  readonly value: number | null;
  readonly score: number | null;
  readonly weight: number;
};

/** One of Lighthouse's audits. Its text is Lighthouse's; what stands in `items` is the target's, cut to length. */
export type AuditObservation = {
  readonly id: string;
  readonly title: string;
  /** 0 to 1; null where there is nothing to say. */
  readonly score: number | null;
  /** Lighthouse's scoreDisplayMode: "numeric", "metricSavings", "informative", "notApplicable", "error" … */
  readonly mode: string;
  readonly display: string | null;
  readonly value: number | null;
  /** What mending it might save: ms of FCP, LCP, TBT and INP, points of CLS. */
  readonly savings: { readonly [metric: string]: number };
  readonly savedBytes: number | null;
  /** Rows of its table, flat, the first few. */
  readonly items: readonly Evidence[];
  readonly itemCount: number;
};

/** How the page loaded; evidence of an older version has none of it. */
export type LoadObservation = {
  /** In order; kept of the first run alone. */
  readonly frames?: readonly FrameObservation[];
  readonly requests?: RequestsObservation;
  readonly mainThread?: MainThreadObservation;
  readonly cookies?: CookiesObservation;
};

/**
 * What kept the main thread busy, in ms on the device that was asked for. The longest first, at most 20 of each; an address is null for what
 * belongs to no script.
 */
export type MainThreadObservation = {
  /** By Lighthouse's groups: "scriptEvaluation", "styleLayout", "other" … */
  readonly byKind: { readonly [group: string]: number };
  readonly scripts: readonly ScriptWork[];
  readonly longTasks: readonly LongTask[];
};

/** A script, or the document for its own part. `totalMs` holds what it made the browser do beside running it. */
export type ScriptWork = {
  readonly url: string | null;
  readonly totalMs: number;
  readonly scriptingMs: number;
  readonly parseMs: number;
};

/** A task above 50 ms. */
export type LongTask = {
  readonly url: string | null;
  readonly startMs: number;
  readonly durationMs: number;
};

/** The requests of a page: those that began first, at most 500, and sums over all. */
export type RequestsObservation = {
  readonly total: number;
  /** Without those of data: and blob:, which ask nobody. */
  readonly overNetwork: number;
  /** Transferred. */
  readonly bytes: number;
  /** Of hosts of another registrable domain than that of the page on which the browser ended. */
  readonly thirdPartyBytes: number;
  readonly entries: readonly RequestObservation[];
};

/** The phases of a request, in ms; null for those it did not have. `connect` holds `ssl`. */
export type RequestTimings = {
  readonly blocked: number;
  readonly dns: number | null;
  readonly connect: number | null;
  readonly ssl: number | null;
  readonly send: number;
  readonly wait: number;
  readonly receive: number;
};

/** What the page looked like at a time. */
export type FrameObservation = {
  readonly atMs: number;
  /** Base64. */
  readonly jpeg: string;
};

/** One request of the page; times in ms since its first, as observed without throttling. */
export type RequestObservation = {
  /** Without secrets (`cleanAddress`). */
  readonly url: string;
  readonly method: string;
  /** The protocol's: "Document", "Script", "Image" … */
  readonly type: string;
  /** 0 where no answer came. */
  readonly status: number;
  /** "h2", "http/1.1" … */
  readonly protocol: string | null;
  readonly mimeType: string | null;
  /** Transferred. */
  readonly bytes: number;
  readonly decodedBytes: number;
  readonly startMs: number;
  readonly endMs: number;
  /** "VeryHigh", "High", "Medium", "Low", "VeryLow". */
  readonly priority: string | null;
  /** Who is behind the host, where third-party-web knows: "Google Analytics". */
  readonly owner: string | null;
  readonly isThirdParty: boolean;
  readonly initiator: { readonly type: string; readonly url: string | null };
  /** Where its answer sent the browser; null where it was no redirect. Evidence of an older version has none. */
  readonly redirectsTo?: string | null;
  readonly fromCache: boolean;
  /** Chromium's word, such as "net::ERR_FAILED"; null where the request did not fail. */
  readonly failure: string | null;
  readonly timings: RequestTimings | null;
};

/** What Lighthouse judged beside performance: its score of each category, 0 to 1, and the audits that rules of ours read. */
export type CategoriesObservation = {
  readonly scores: { readonly [name in CategoryName]?: number | null };
  /** What each took beside the load; evidence of an older version has none. */
  readonly tookMs?: { readonly [name in CategoryName]?: number | null };
  readonly audits: readonly AuditObservation[];
  /** What the score of SEO is made of; left out where it was not asked for, and by evidence of an older version. */
  readonly seo?: readonly WeighedAudit[];
  /** Left out as `seo` is, and where Lighthouse did not ask for it. */
  readonly robots?: RobotsObservation;
};

/** An audit as it counts for its category: not at all with weight 0. */
export type WeighedAudit = { readonly id: string; readonly weight: number; readonly score: number | null };

/** robots.txt as Lighthouse fetched and judged it. */
export type RobotsObservation = {
  /** Why Lighthouse counts it as a fault; "" where it does not. */
  readonly fault: string;
  /** Its status and the first 65,536 characters; left out where another service fetched it. */
  readonly answer?: { readonly status: number | null; readonly text: string };
};

/** A cookie that the browser held when the page had loaded; never its value. */
export type CookieObservation = {
  readonly name: string;
  readonly domain: string;
  readonly path: string;
  readonly secure: boolean;
  readonly httpOnly: boolean;
  readonly sameSite: string | null;
  /** From the end of the load; null where it ends with the browser. */
  readonly lifetimeS: number | null;
  /** A script, where no answer set a cookie of that name. */
  readonly setBy: 'script' | 'response';
};

/** The first hundred are kept, all are counted. */
export type CookiesObservation = { readonly total: number; readonly entries: readonly CookieObservation[] };

/** What one load of a page showed: Lighthouse's result, trimmed. */
export type PageObservation = LoadObservation & {
  readonly finalUrl: string;
  readonly fetchedAt: string;
  /** 0 to 1; null when a metric is missing. */
  readonly score: number | null;
  readonly metrics: { readonly [id in 'lcp' | 'cls' | 'tbt' | 'fcp' | 'si']: MetricObservation };
  /** Time to Interactive, simulated as the metrics are: chooses the median run. Left out by older versions and where there is none. */
  readonly interactiveMs?: number;
  /** Observed without throttling, in ms. */
  readonly observed: { readonly [name: string]: number };
  readonly ttfbMs: number | null;
  readonly lcpElement: { readonly selector: string; readonly snippet: string } | null;
  /** Phases of LCP as observed, in ms; they do not add up to the simulated value. */
  readonly lcpPhases: { readonly [phase: string]: number };
  readonly audits: readonly AuditObservation[];
  /** What was asked for beside performance; left out where nothing was. */
  readonly categories?: CategoriesObservation;
  readonly resources: { readonly [type: string]: { readonly requests: number; readonly bytes: number } };
  readonly warnings: readonly string[];
  readonly environment: {
    readonly lighthouse: string;
    readonly userAgent: string;
    readonly benchmarkIndex: number;
    readonly throttling: { readonly [name: string]: Json };
  };
  /** JPEG, base64, at most 96 kB of it; else null. */
  readonly screenshot: string | null;
};

/** A place the page asked for and did not get. */
export type RefusedHost = {
  readonly host: string;
  readonly port: number;
  readonly code: FailureCode;
  /** A sentence's end; never an address that was refused. */
  readonly reason: string;
};

/** A site that was asked for more than one page load may ask of it; nothing more went there or came from there. */
export type OverspentSite = {
  /** The registrable domain, or the address. */
  readonly site: string;
  readonly what: 'connections' | 'receivedBytes' | 'sentBytes' | 'sentPieces';
  readonly limit: number;
};

/** What went through the run's proxy, which is all that the browser can reach. */
export type Traffic = {
  readonly connections: number;
  readonly receivedBytes: number;
  readonly sentBytes: number;
  readonly overspent: readonly OverspentSite[];
  readonly refused: readonly RefusedHost[];
  /** Which budget ran out, after which nothing more came through. */
  readonly cut: 'bytes' | 'connections' | null;
};

/** The answer that became the page. */
export type LoadedDocument = {
  readonly url: string;
  readonly status: number;
  /** As the browser tells them: names in lower case, repeated fields as one each. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** At most 64 kB of the body, decoded; "" where the browser no longer had it. A check keeps what it reads in it, not the text. */
  readonly bodyStart?: string;
  readonly bodySigns?: readonly string[];
};

/** How the run ended. */
export type BrowserEnd =
  | { readonly kind: 'loaded'; readonly page: PageObservation; readonly document?: LoadedDocument }
  /** Lighthouse says why there is nothing to measure. `code` is its own, e.g. "NO_FCP"; `status` of the main document if it came. */
  | {
      readonly kind: 'not-measured';
      readonly code: string;
      readonly message: string;
      readonly status: number | null;
    }
  /** Killed by us. `silent`: no byte had come from anywhere. */
  | { readonly kind: 'killed'; readonly why: 'deadline' | 'disk' | 'memory' | 'silent' }
  /** The browser or its driver died by itself, or would not start; most often a fault of ours. */
  | { readonly kind: 'crashed'; readonly message: string };

export type BrowserRun = {
  readonly kind: 'run';
  readonly end: BrowserEnd;
  readonly traffic: Traffic;
  readonly browser: {
    readonly product: string | null;
    readonly source: BrowserSource;
    readonly sandbox: boolean;
  };
  readonly tookMs: number;
  /** Most memory that the driver and the browser held together, shared libraries left out; null where it cannot be read. */
  readonly peakMemoryBytes: number | null;
};

export type BrowserFailure =
  /** The machine has no browser that works. `fix` says what an operator must do. */
  | {
      readonly kind: 'failure';
      readonly code: 'browser-unavailable';
      readonly reason: string;
      readonly fix: string;
    }
  /** Refused by its text alone; nothing was sent. */
  | { readonly kind: 'failure'; readonly code: 'target-not-allowed'; readonly reason: string }
  /** By one look-up: no browser was started for it, which would take seconds to find the same. */
  | { readonly kind: 'failure'; readonly code: 'name-not-found'; readonly reason: string };

/** What PageSpeed Insights v5 answered (runPagespeed), as it came: Google's browser, on Google's line. */
export type PsiAnswer = {
  readonly kind: 'answer';
  readonly source: 'psi';
  /** Of HTTP. */
  readonly status: number;
  /** The parsed JSON; undefined where it was none. */
  readonly body: unknown;
  readonly tookMs: number;
};

/** A metric of real visits: its 75th percentile (ms; CLS without a unit), and the shares of good, middling and poor visits. */
export type FieldMetricObservation = { readonly p75: number; readonly distribution: readonly number[] };

export type FieldMetricName = 'lcp' | 'inp' | 'cls' | 'fcp' | 'ttfb';

/** Days of visits that were counted together, both included: "2026-10-01". */
export type FieldPeriod = { readonly from: string; readonly to: string };

/** The 75th percentiles of earlier periods, oldest first, a value for each period; null where too few visits were counted. */
export type FieldHistory = {
  readonly periods: readonly FieldPeriod[];
  readonly p75: { readonly [name in FieldMetricName]?: readonly (number | null)[] };
};

/** What Chrome's visitors of a page, or of a whole origin, had over 28 days. Evidence of an older version has metrics alone. */
export type FieldRecord = {
  readonly metrics: { readonly [name in FieldMetricName]?: FieldMetricObservation };
  /** Null where the service does not tell it. */
  readonly period?: FieldPeriod | null;
  /** Null where it could not be had. */
  readonly history?: FieldHistory | null;
};

/** What the Chrome UX Report knows of real visits. */
export type FieldObservation =
  | (FieldRecord & {
      readonly kind: 'record';
      /** `origin`: the page has too few visits of its own. */
      readonly scope: 'url' | 'origin';
      readonly formFactor: string;
      /** The record of the page's whole origin beside the page's own; null where there is none, or where the record is the origin's already. */
      readonly origin?: FieldRecord | null;
    })
  /** `reason` is a sentence's end. */
  | { readonly kind: 'none'; readonly reason: string };

/** Loads a page in a fresh browser of its own and measures it. A page that breaks the browser is an answer; it throws only when the run is aborted, or for a defect. */
export interface BrowserProbe {
  run(request: BrowserRequest): Promise<BrowserRun | PsiAnswer | BrowserFailure>;
  /** Asks for field data of the page and of its origin, with their history. Sends nothing without a key of the operator's. */
  askField(url: string, strategy: Strategy): Promise<FieldObservation>;
}
