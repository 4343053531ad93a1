import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { makeAgentServer } from '#shared/mcp/server';
import {
  type AgentService,
  type CheckCall,
  type CheckOutcome,
  type ListedReport,
  plainProgress,
  Refusal,
  type RunProgress,
} from '#shared/mcp/service';
import type { Report } from '#shared/model/report';
import type { AskProgress, Diagnostics, ToolName } from '../client/diagnostics.ts';
import { DiagnosticsProblem, ServerUnreachable } from '../client/diagnostics.ts';
import { openServer, type ServerOptions, tokenOf } from './connection.ts';
import { show, warn } from './door.ts';

/** How long a call waits for its report. */
const longestWaitMs = 45_000;
/** How long a call is repeated while the service is away or full: the agent decides what to do next. */
const retryForS = 5;
const listed = 50;

/** Serves agents over stdin and stdout, until stdin ends. Without a server it is this machine that checks. */
export async function serveAgents(options: ServerOptions): Promise<void> {
  const isElsewhere = options.server !== undefined || Boolean(process.env['DIAG_SERVER']);
  const local = isElsewhere ? undefined : await openLocal();
  const server = local?.server ?? options.server ?? String(process.env['DIAG_SERVER']);
  const client = openServer({ ...options, server }, { retryForS });
  const hasToken = !local && tokenOf(options) !== undefined;
  const service = openClientService(client, server.replace(/\/+$/, ''), hasToken);
  const transport = new StdioServerTransport();
  const ended = new Promise<void>((resolve) => {
    process.stdin.once('end', resolve).once('close', resolve);
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
  const handle = serveStdio(() => makeAgentServer(service), {
    transport,
    maxSubscriptions: 0,
    onerror: (error) => warn(show`${error.message}`),
  });
  await ended;
  await handle.close();
  await local?.close();
}

// Loaded only where it is wanted: it is the whole service.
async function openLocal() {
  const { openLocalService } = await import('./local-service.ts');
  return openLocalService(true);
}

/** What an agent may ask of a service elsewhere, or of the one in this process. Stored reports are read with a token, and pages without one. */
function openClientService(client: Diagnostics, server: string, hasToken: boolean): AgentService {
  const linkOf = ({ reportId }: Report) =>
    reportId === undefined ? server : `${server}${hasToken ? '/api/reports' : '/r'}/${reportId}`;
  return {
    check: (call) => refusing(() => check(client, call, linkOf)),
    stored: hasToken
      ? {
          list: () => refusing(() => list(client)),
          read: (reportId) =>
            refusing(async () => {
              const report = (await client.report(reportId)) as unknown as Report;
              return { report, link: linkOf(report) };
            }),
        }
      : undefined,
  };
}

async function check(
  client: Diagnostics,
  { spec, target, options, maxAgeS, recheck, signal, onProgress }: CheckCall,
  linkOf: (report: Report) => string,
): Promise<CheckOutcome> {
  let running: RunProgress = { done: 0, total: 1 };
  let retryAfterS = 1;
  const timeout = AbortSignal.timeout(longestWaitMs);
  const hear = (told: AskProgress) => {
    running = progressOf(told) ?? running;
    retryAfterS = 'waitMs' in told ? Math.ceil(told.waitMs / 1000) : 1;
    onProgress?.(running);
  };
  try {
    const asked = client.check(spec.name as ToolName, target, {
      ...options,
      ...(maxAgeS === undefined ? {} : { maxAgeS }),
      ...(recheck === undefined ? {} : { recheck }),
      signal: AbortSignal.any([signal, timeout]),
      onProgress: hear,
      follows: onProgress !== undefined,
    });
    const report = (await asked) as unknown as Report;
    return { report, link: linkOf(report) };
  } catch (error) {
    // The run goes on at the service, and the next call joins it.
    if (timeout.aborted && !signal.aborted) return { running, retryAfterS };
    throw error;
  }
}

// Without `current`, which may be a name that the target chose.
function progressOf(told: AskProgress): RunProgress | undefined {
  if (told.kind === 'waiting') return { done: 0, total: 1, position: told.position };
  if (told.kind !== 'running') return undefined;
  return plainProgress(told as Parameters<typeof plainProgress>[0]);
}

async function list(client: Diagnostics): Promise<readonly ListedReport[]> {
  const found: ListedReport[] = [];
  for await (const { reportId, check: name, target, checkedAt, score } of client.history()) {
    found.push({ reportId, check: name, target, checkedAt, score });
    if (found.length === listed) break;
  }
  return found;
}

async function refusing<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof DiagnosticsProblem)
      throw new Refusal(error.code, error.message, { retryAfterS: error.retryAfterS });
    if (error instanceof ServerUnreachable) throw new Refusal('server_unreachable', error.message);
    throw error;
  }
}
