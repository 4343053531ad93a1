import { createServer, METHODS, type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { listen } from '../shared/listen.ts';
import { problems } from '../shared/model/problem.ts';
import type { Checks } from '../shared/readiness.ts';
import { allowedMethods, makeApp } from './app.ts';
import { type ApiContext, openDesk } from './desk.ts';
import { openFastLane } from './fast-lane.ts';
import { limitConnections, slowSenderOptions, usualConnectionLimits } from './listener/connections.ts';

export type Api = {
  readonly port: number;
  /** True while some reports can be given: from the store, by a new run, or from memory. */
  readonly canAnswer: (checks: Checks) => boolean;
  /** Answers what waits with 202, lets running answers end, and closes. */
  close(graceMs: number): Promise<void>;
};

/** How long connections stay open for what is on its way, once the process is told to stop. */
const drainMs = 1000;

/** Opens the public listener. Rejects when its port is taken. */
export async function openApi(context: ApiContext): Promise<Api> {
  const { config } = context;
  const desk = openDesk(context);
  const answer = openFastLane(desk, makeApp(desk, config));
  let isDraining = false;
  const limits = context.connectionLimits ?? usualConnectionLimits;
  const server = createServer(slowSenderOptions(limits), (request, response) => {
    // A client that gets this answer retries on another process.
    if (isDraining) response.shouldKeepAlive = false;
    answer(request, response);
  });
  limitConnections(server, limits, config.TRUST_PROXY !== undefined);
  server.on('clientError', answerBadRequestOf(desk.publicPath));
  const port = await listen(server, config.HOST, config.PORT);
  return {
    port,
    canAnswer: ({ queue, store }) => queue === true || store === true || desk.reports.count() > 0,
    async close(graceMs) {
      isDraining = true;
      desk.close();
      // A request may be on its way on a connection that looks idle from here: closing that would lose it.
      await delay(Math.min(drainMs, graceMs));
      await closeServer(server, graceMs);
    },
  };
}

async function closeServer(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearTimeout(timer);
}

type ClientError = NodeJS.ErrnoException & { readonly rawPacket?: Uint8Array };

// What is not HTTP never reaches the app; it gets the same kind of answer, by hand.
function answerBadRequestOf(publicPath: string) {
  return (error: ClientError, socket: Duplex): void => {
    if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy();
    const { code, detail, line } = describeBadRequest(error);
    const { status, title } = problems[code];
    const body = JSON.stringify({
      type: `${publicPath}/problems/${code}`,
      title,
      status: line === undefined ? status : Number.parseInt(line, 10),
      detail,
      code,
      requestId: '-',
    });
    const fields = [
      'Content-Type: application/problem+json',
      'Cache-Control: no-store',
      ...(status === 405 ? [`Allow: ${allowedMethods}`] : []),
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
    ];
    socket.end(
      `HTTP/1.1 ${line ?? `${status} ${STATUS_CODES[status]}`}\r\n${fields.join('\r\n')}\r\n\r\n${body}`,
    );
  };
}

type BadRequest = {
  readonly code: 'invalid_request' | 'method_not_allowed';
  readonly detail: string;
  /** Status code and reason, where it is not the problem's own. */
  readonly line?: string;
};

function describeBadRequest({ code, rawPacket }: ClientError): BadRequest {
  if (code === 'HPE_HEADER_OVERFLOW')
    return {
      code: 'invalid_request',
      detail: 'The header section is larger than 16 KiB.',
      line: '431 Request Header Fields Too Large',
    };
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return {
      code: 'invalid_request',
      detail: 'The request did not arrive in time. Send it again, whole.',
      line: '408 Request Timeout',
    };
  const start = Buffer.from(rawPacket?.subarray(0, 40) ?? []).toString('latin1');
  // What follows a good request in the same packet is no method at all.
  const [, method = ''] = /^([A-Z]{1,20}) \//.exec(start) ?? [];
  if (code === 'HPE_INVALID_METHOD' && method !== '' && !METHODS.includes(method))
    return { code: 'method_not_allowed', detail: `This method is not allowed here. Use ${allowedMethods}.` };
  if (code === 'HPE_INVALID_URL')
    return {
      code: 'invalid_request',
      detail:
        'The address has a character that must be percent-encoded, such as a space or a letter outside ASCII: write %C3%BC for ü.',
    };
  return { code: 'invalid_request', detail: 'This is not an HTTP/1.1 request.' };
}
