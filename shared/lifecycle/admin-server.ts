import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Readiness, ReadReadiness } from '../model/readiness.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { adminConnectionLimits, hasBody, limitConnections, slowSenderOptions } from './connections.ts';
import { openHostCheck } from './known-host.ts';
import { listen } from './listen.ts';
import { answerInTurns } from './read-in-turns.ts';
import { faultsIn } from './readiness.ts';

export type AdminServer = {
  readonly port: number;
  /** From now on /readyz answers 503: no new work should come here. */
  drain(): void;
  close(): Promise<void>;
};

export type AdminPlace = {
  readonly host: string;
  readonly port: number | undefined;
  readonly defaultPort: number;
  /** PUBLIC_URL. */
  readonly publicUrl: string | undefined;
};

export type AdminSources = { readonly readiness: ReadReadiness; readonly metrics: Pick<Metrics, 'text'> };

/** Serves /livez, /readyz and /metrics to what monitors the process. @param port undefined takes the default, or a free one if that is taken */
export async function openAdminServer(
  place: AdminPlace,
  { readiness, metrics }: AdminSources,
  log: Logger,
): Promise<AdminServer> {
  let isDraining = false;
  const isKnownHost = openHostCheck(place);
  const answer: RequestListener = (request, response) => {
    // Nothing here reads a body: Node would read it to its end.
    if (hasBody(request.headers)) response.setHeader('Connection', 'close');
    if (!isKnownHost(request.headers.host)) return send(response, 400, { status: 'unknown-host' });
    if (request.url === '/livez') return send(response, 200, { status: 'live' });
    if (request.url === '/metrics') return sendMetrics(response, metrics, log);
    if (request.url !== '/readyz')
      return send(response, 404, { status: 'unknown', paths: ['/livez', '/readyz', '/metrics'] });
    if (isDraining) return send(response, 503, { status: 'draining' });
    readiness().then(
      (found) => sendReadiness(response, found),
      (error: unknown) => {
        log.error({ err: error }, 'readiness failed');
        send(response, 503, { status: 'not-ready' });
      },
    );
  };
  const server = createServer(slowSenderOptions(adminConnectionLimits));
  answerInTurns(server, answer, false);
  limitConnections(server, adminConnectionLimits, false);
  const taken = await listenOnAny(server, place, log);
  return {
    port: taken,
    drain() {
      isDraining = true;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function listenOnAny(
  server: Server,
  { host, port, defaultPort }: AdminPlace,
  log: Logger,
): Promise<number> {
  if (port !== undefined) return listen(server, host, port);
  try {
    return await listen(server, host, defaultPort);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    const free = await listen(server, host, 0);
    log.info({ wanted: defaultPort, port: free }, 'admin port is taken, using a free one');
    return free;
  }
}

// Degraded is still 200: the process answers what it can, and taking it out of service would end that too.
function sendReadiness(response: ServerResponse, { isReady, checks, about }: Readiness): void {
  const degraded = faultsIn(checks);
  const isWhole = Object.keys(degraded).length === 0;
  if (!isReady) return send(response, 503, { status: 'not-ready', checks, degraded, ...about });
  const found = isWhole ? { status: 'ready', checks } : { status: 'degraded', checks, degraded };
  send(response, 200, { ...found, ...about });
}

function sendMetrics(response: ServerResponse, metrics: AdminSources['metrics'], log: Logger): void {
  metrics.text().then(
    ({ type, body }) => {
      response.writeHead(200, { 'Content-Type': type });
      response.end(body);
    },
    (error: unknown) => {
      log.error({ err: error }, 'metrics failed');
      send(response, 500, { status: 'failed' });
    },
  );
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' });
  response.end(JSON.stringify(body));
}
