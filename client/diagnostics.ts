import { type AnswerCache, noCache, openMemoryCache } from './answer-cache.ts';
import {
  type Comparison,
  type DomainHistory,
  type History,
  type Me,
  type Report,
  type ReportDiff,
  type Rule,
  type Tools,
  toolKinds,
} from './api-types.ts';
import { type AskParts, type AskOptions, ask, type ToolName, toolPath } from './ask.ts';
import {
  type BatchHandle,
  type BatchOptions,
  type BatchStanding,
  listBatches,
  openBatch,
  startBatch,
} from './batches.ts';
import { openBudget } from './budget.ts';
import { askEach, type EachOptions, type TargetAnswer } from './each.ts';
import { type Connection, notTheService, readJson, send } from './exchange.ts';
import { openFlights } from './flights.ts';
import { openFolderCache } from './folder-cache.ts';
import { readPages } from './pages.ts';
import {
  isComparison,
  isDiff,
  isDomainHistory,
  isHistory,
  isMe,
  isReport,
  isRules,
  type Shape,
} from './shapes.ts';
import { type Watches, watchMethods } from './watches.ts';

export type { AnswerCache, KeptAnswer } from './answer-cache.ts';
export type * from './api-types.ts';
export type { BatchHandle, BatchLine, BatchOptions, BatchStanding, ResultOptions } from './batches.ts';
export { problemOf } from './batches.ts';
export type { AskOptions, ToolName } from './ask.ts';
export type { EachOptions, TargetAnswer } from './each.ts';
export type { Progress as AskProgress } from './exchange.ts';
export { DiagnosticsProblem, ServerUnreachable } from './problem.ts';
export type { Watches, WatchOptions } from './watches.ts';

export type DiagnosticsOptions = {
  /** Address of the service, e.g. "https://diag.example". A path is kept. */
  readonly server: string;
  readonly token?: string | undefined;
  /** Where answers are kept and reused: memory where left out, a folder that outlives the process, or a cache of your own. */
  readonly cache?: 'memory' | 'none' | { readonly folder: string } | AnswerCache;
  /** How long a request is repeated while the service is busy or away; 900 s. */
  readonly retryForS?: number;
  /** Another fetch, such as one with a proxy. */
  readonly fetch?: typeof fetch;
};

type CamelCase<Name extends string> = Name extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name;

/** A method for each tool: `client.dnsCheck('example.com')`. */
type ToolMethods = {
  readonly [Tool in ToolName as CamelCase<Tool>]: (
    target: string,
    options?: AskOptions & Tools[Tool]['options'],
  ) => Promise<Tools[Tool]['report']>;
};

export type HistoryFilter = {
  readonly target?: string;
  readonly check?: string;
  readonly signal?: AbortSignal;
};

export type DomainHistoryFilter = {
  /** domain-health where left out. */
  readonly check?: string;
  readonly target?: string;
  /** A date, a UTC time, or so many days back, such as "30d". */
  readonly since?: string;
  readonly until?: string;
  readonly signal?: AbortSignal;
};

/** The service as methods. All of them wait for the limits, repeat what failed in passing, and reject with DiagnosticsProblem or ServerUnreachable. */
export type Diagnostics = ToolMethods & {
  /** As the method of the tool, by its name. */
  check<Tool extends ToolName>(
    tool: Tool,
    target: string,
    options?: AskOptions & Tools[Tool]['options'],
  ): Promise<Tools[Tool]['report']>;
  /** Many targets, at the highest rate that the service takes: an answer for each, in the order in which they are ready. */
  each<Tool extends ToolName>(
    tool: Tool,
    targets: Iterable<string> | AsyncIterable<string>,
    options?: EachOptions & Tools[Tool]['options'],
  ): AsyncGenerator<TargetAnswer<Tools[Tool]['report']>, void, void>;
  /** Many targets as one batch, which goes on when this program ends: its id finds it again. */
  batch<Tool extends ToolName>(
    tool: Tool,
    targets: readonly string[],
    options?: BatchOptions & Tools[Tool]['options'],
  ): Promise<BatchHandle<Tools[Tool]['report']>>;
  /** A batch by its id; nothing is sent before one of its methods is called. */
  findBatch(batchId: string): BatchHandle<Report>;
  /** The batches of this token's account, newest first. */
  batches(options?: { readonly signal?: AbortSignal }): AsyncGenerator<BatchStanding, void, void>;
  /** Targets that are checked again on a schedule. */
  readonly watches: Watches;
  /** A stored report. */
  report(reportId: string, options?: { readonly signal?: AbortSignal }): Promise<Report>;
  /** A stored report in an export format, as text. */
  exportReport(
    reportId: string,
    format: string,
    options?: { readonly signal?: AbortSignal },
  ): Promise<string>;
  /** A stored report as a file, such as format `pdf`: its bytes as they came. */
  exportFile(
    reportId: string,
    format: string,
    options?: { readonly signal?: AbortSignal },
  ): Promise<Uint8Array>;
  diff(from: string, to: string, options?: { readonly signal?: AbortSignal }): Promise<ReportDiff>;
  /** The reports of this token's account, newest first. */
  history(filter?: HistoryFilter): AsyncGenerator<History['reports'][number], void, void>;
  /** A domain over time: its points of one check, newest first, each with what changed since the one before. */
  domainHistory(
    domain: string,
    filter?: DomainHistoryFilter,
  ): AsyncGenerator<DomainHistory['points'][number], void, void>;
  /** Two to ten domains side by side, by their newest reports. Starts no check. */
  compare(domains: readonly string[], options?: { readonly signal?: AbortSignal }): Promise<Comparison>;
  /** Every rule of every check, or of `check` alone. */
  findings(options?: { readonly check?: string; readonly signal?: AbortSignal }): Promise<readonly Rule[]>;
  /** Who the caller is, and what is left of its limits. */
  me(options?: { readonly signal?: AbortSignal }): Promise<Me>;
};

const usualRetryForS = 900;

/** Reads JSON of the service that costs no scans. */
type GetJson = (path: string, signal: AbortSignal | undefined, shape: Shape) => Promise<unknown>;

/** Opens a client of a service. Nothing is sent before the first method is called. */
export function openDiagnostics(options: DiagnosticsOptions): Diagnostics {
  const connection = connectionOf(options);
  const costs = new Map<string, number>();
  const asking: AskParts = {
    connection,
    cache: cacheOf(options.cache ?? 'memory'),
    costOf: (tool) => costs.get(tool) ?? 1,
  };
  const getJson: GetJson = async (path, signal, shape) =>
    readJson(connection, await send(connection, { path, points: 0, signal, onProgress: undefined }), shape);
  const me: Diagnostics['me'] = async ({ signal } = {}) => {
    const told = (await getJson('/api/me', signal, isMe)) as Me;
    for (const [tool, points] of Object.entries(told.costs)) costs.set(tool, points);
    learnLimits(connection, told);
    return told;
  };
  const check = openCheck(asking);
  return {
    ...toolMethods(check),
    ...storedMethods(connection, getJson),
    ...batchMethods(connection),
    watches: watchMethods(connection),
    check,
    async *each(tool, targets, wishes = {}) {
      // Limits and costs first: then nothing is sent that the service would refuse.
      const told = await me(wishes.signal ? { signal: wishes.signal } : {});
      wishes.onLimits?.(told);
      yield* askEach((target, how) => check(tool, target, { ...wishes, ...how }), targets, wishes);
    },
    me,
  };
}

function openCheck(asking: AskParts): Diagnostics['check'] {
  const flights = openFlights();
  return (tool, target, wishes = {}) => {
    const { fresh = false, maxAgeS, onlyIfCached = false, signal } = wishes;
    const key = `${fresh} ${maxAgeS} ${onlyIfCached} ${toolPath(tool, target, wishes)}`;
    type Answered = Promise<Tools[typeof tool]['report']>;
    return flights.join(
      key,
      signal,
      (shared) => ask(asking, tool, target, { ...wishes, signal: shared }) as Answered,
    );
  };
}

function toolMethods(check: Diagnostics['check']): ToolMethods {
  const methods = Object.keys(toolKinds).map((tool) => [
    tool.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    (target: string, wishes?: AskOptions) => check(tool as ToolName, target, wishes),
  ]);
  return Object.fromEntries(methods) as ToolMethods;
}

function batchMethods(connection: Connection): Pick<Diagnostics, 'batch' | 'findBatch' | 'batches'> {
  return {
    async batch(tool, targets, options = {}) {
      const { batchId } = await startBatch(connection, { tool, targets }, options);
      return openBatch(connection, batchId);
    },
    findBatch: (batchId) => openBatch(connection, batchId),
    batches: ({ signal } = {}) => listBatches(connection, signal),
  };
}

function storedMethods(
  connection: Connection,
  getJson: GetJson,
): Pick<
  Diagnostics,
  'report' | 'exportReport' | 'exportFile' | 'diff' | 'history' | 'domainHistory' | 'compare' | 'findings'
> {
  return {
    report: async (reportId, { signal } = {}) =>
      (await getJson(reportPath(reportId), signal, isReport)) as Report,
    exportReport: async (reportId, format, { signal } = {}) => {
      const path = `${reportPath(reportId)}/export?format=${encodeURIComponent(format)}`;
      const answer = await send(connection, { path, points: 0, signal, onProgress: undefined });
      if (answer.status !== 200)
        throw notTheService(connection, `It answered ${answer.status} to an export.`);
      return answer.text;
    },
    exportFile: async (reportId, format, { signal } = {}) => {
      const path = `${reportPath(reportId)}/export?format=${encodeURIComponent(format)}`;
      const answer = await send(connection, { path, points: 0, signal, onProgress: undefined, isFile: true });
      if (answer.bytes) return answer.bytes;
      throw notTheService(connection, `It answered ${answer.status} to an export.`);
    },
    diff: async (from, to, { signal } = {}) =>
      (await getJson(`${reportPath(from)}/diff/${encodeURIComponent(to)}`, signal, isDiff)) as ReportDiff,
    history: ({ signal, ...filter } = {}) =>
      readPages(connection, (query) => getJson(`/api/reports?${query}`, signal, isHistory), {
        filter,
        rowsOf: (page) => (page as History).reports,
      }),
    domainHistory: (domain, { signal, ...filter } = {}) => {
      const path = `/api/history/${encodeURIComponent(domain)}`;
      return readPages(connection, (query) => getJson(`${path}?${query}`, signal, isDomainHistory), {
        filter,
        rowsOf: (page) => (page as DomainHistory).points,
      });
    },
    compare: async (domains, { signal } = {}) => {
      const query = new URLSearchParams(
        domains.map((domain): [string, string] => ['domain', domain]),
      ).toString();
      return (await getJson(`/api/compare?${query}`, signal, isComparison)) as Comparison;
    },
    findings: async ({ check, signal } = {}) => {
      const path = `/api/findings${check === undefined ? '' : `?check=${encodeURIComponent(check)}`}`;
      return ((await getJson(path, signal, isRules)) as { readonly findings: readonly Rule[] }).findings;
    },
  };
}

function connectionOf({
  server,
  token,
  retryForS = usualRetryForS,
  ...rest
}: DiagnosticsOptions): Connection {
  const url = new URL(server);
  return {
    server: `${url.origin}${url.pathname.replace(/\/+$/, '')}`,
    token,
    fetch: rest.fetch ?? ((...request) => fetch(...request)),
    budgets: { requests: openBudget(), scans: openBudget() },
    retryForMs: retryForS * 1000,
    hasAnswered: false,
  };
}

function learnLimits({ budgets }: Connection, { limited, limits }: Me): void {
  if (!limited) return;
  for (const name of ['requests', 'scans'] as const) {
    const { limit, windowSeconds, remaining, resetSeconds } = limits[name];
    budgets[name].learnLimit({ points: limit, windowS: windowSeconds });
    // Where nothing is used, the window begins with the next request.
    if (remaining < limit) budgets[name].learn({ remaining, resetS: resetSeconds });
  }
}

function cacheOf(cache: NonNullable<DiagnosticsOptions['cache']>): AnswerCache {
  if (cache === 'memory') return openMemoryCache();
  if (cache === 'none') return noCache;
  return 'folder' in cache ? openFolderCache(cache.folder) : cache;
}

function reportPath(reportId: string): string {
  return `/api/reports/${encodeURIComponent(reportId)}`;
}
