import { createServer, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { listen } from '../shared/listen.ts';
import { makeApp } from './app.ts';
import { type ApiContext, openDesk } from './desk.ts';
import { openFastLane } from './fast-lane.ts';

export type Api = {
  readonly port: number;
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
  // Slow senders are cut off; a GET has no body to wait for.
  const server = createServer(
    { headersTimeout: 10_000, requestTimeout: 15_000, keepAliveTimeout: 65_000, maxHeaderSize: 16_384 },
    (request, response) => {
      // Who is told so asks another process next time.
      if (isDraining) response.shouldKeepAlive = false;
      answer(request, response);
    },
  );
  server.maxConnections = 20_000;
  server.on('clientError', answerBadRequest);
  const port = await listen(server, config.HOST, config.PORT);
  return {
    port,
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

// What is not HTTP never reaches the app; it gets the same kind of answer, by hand.
function answerBadRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy();
  const isTooLarge = error.code === 'HPE_HEADER_OVERFLOW';
  const status = isTooLarge ? '431 Request Header Fields Too Large' : '400 Bad Request';
  const detail = isTooLarge
    ? 'The header section is larger than 16 KiB.'
    : 'This is not an HTTP/1.1 request.';
  const body = JSON.stringify({
    type: '/problems/invalid_request',
    title: 'The request is not valid',
    status: Number.parseInt(status, 10),
    detail,
    code: 'invalid_request',
    requestId: '-',
  });
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/problem+json\r\nCache-Control: no-store\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
