import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { callerNetwork } from '../targets/classify-address.ts';
import { openTurns } from '../time/turns.ts';
import { hasBody } from './connections.ts';

/** What parsers of all servers of this process may take of one turn of the event loop, where they get their bytes here. Each turn accepts one connection. */
const turns = openTurns(4);

/** Bytes that a parser gets at once: some 700 chunks of one byte, or 140 requests. */
const sliceBytes = 4096;
/** Node reads so much at once. */
const readBytes = 65_536;
/** Requests of one connection that are not answered yet, before its next bytes are read. */
const unansweredMost = 16;

/** Bytes of chunked bodies and pipelined requests that Node may read by itself: at once, and more each second. */
const free = { bytes: 16_384, bytesPerS: 65_536 } as const;
/** Where they were more, no connection is Node's own until so long after. */
const cautionMs = 10_000;

/**
 * Answers the requests of a server, and bounds what its parser does in one turn of the event loop, over all connections together.
 *
 * Node hands all that it has read to its parser, 64 kB a connection and turn: 10,900 chunks of one byte, or 2,200 requests. So what a connection
 * brings is handed on here, piece by piece in turns, from its first request with a body or its first request that does not wait for an answer.
 * Plain requests stay Node's own: to read them here costs 15 % of a cached answer. What comes along with that first request is bounded by `free`
 * for all connections; beyond it every connection is read here.
 * @param isUsual false reads every connection here, where what a request costs does not matter
 */
export function answerInTurns(server: Server, answer: RequestListener, isUsual: boolean): void {
  /** Connections that Node reads by itself. */
  const own = new Set<Socket>();
  const readings = new WeakMap<Socket, Reading>();
  let [left, countedAt, cautiousUntil] = [free.bytes as number, performance.now(), isUsual ? 0 : Infinity];
  const takeOver = (socket: Socket): Reading => {
    own.delete(socket);
    const reading = readings.get(socket) ?? openReading(socket);
    readings.set(socket, reading);
    return reading;
  };
  const spend = (bytes: number) => {
    const now = performance.now();
    left = Math.min(free.bytes, left + ((now - countedAt) / 1000) * free.bytesPerS) - bytes;
    countedAt = now;
    if (left >= 0) return;
    cautiousUntil = Math.max(cautiousUntil, now + cautionMs);
    for (const socket of own) takeOver(socket);
  };
  server.on('connection', (socket: Socket) => {
    if (performance.now() < cautiousUntil) return void takeOver(socket);
    own.add(socket);
    socket.once('close', () => own.delete(socket));
  });
  const receive = (request: IncomingMessage, response: ServerResponse, act: RequestListener) => {
    const { socket, headers } = request;
    // The answer to an earlier request has the connection.
    const isPipelined = response.socket === null;
    const isOwn = own.has(socket);
    if (isOwn && !isPipelined && !hasBody(headers)) return act(request, response);
    const reading = takeOver(socket);
    if (isOwn && (isPipelined || headers['transfer-encoding'] !== undefined))
      spend(Math.min(readBytes, socket.bytesRead));
    reading.goOnWith(request, response);
    turns.add(reading.path, () => socket.destroyed || act(request, response));
  };
  // What Node would refuse by itself is refused here: it would not tell that the request has a body.
  server.on('request', (request, response) =>
    receive(request, response, lacksHost(request) ? refuseBy(400) : answer),
  );
  server.on('checkExpectation', (request, response) => receive(request, response, refuseBy(417)));
}

/** RFC 9112 §3.2. */
const lacksHost = ({ headers, httpVersion }: IncomingMessage) =>
  headers.host === undefined && httpVersion === '1.1';

const refuseBy =
  (status: number): RequestListener =>
  (_request, response) => {
    response.writeHead(status, { Connection: 'close', 'Content-Length': 0 });
    response.end();
  };

/** A connection whose bytes are handed to Node's parser in turns. */
type Reading = {
  readonly path: readonly string[];
  /** The request that the next bytes belong to. */
  goOnWith(request: IncomingMessage, response: ServerResponse): void;
};

/**
 * Puts itself between a connection and what listens for its data. Node's server goes on to pause and resume the connection as it would without.
 */
function openReading(socket: Socket): Reading {
  const path = pathOf(socket);
  const [take, finish] = [divert(socket, 'data'), divert(socket, 'end')];
  const pieces: Buffer[] = [];
  let request: IncomingMessage | undefined;
  let [unanswered, isAsked, isHeld, isEnded] = [0, false, false, false];
  const ask = () => {
    if (isAsked || isHeld || (pieces.length === 0 && !isEnded)) return;
    isAsked = true;
    socket.pause();
    turns.add(path, goOn);
  };
  const goOn = () => {
    isAsked = false;
    if (socket.destroyed || isHeld || unanswered >= unansweredMost) return;
    // Small pieces that wait for their reader take fifty times their bytes.
    if (request && request.readableLength > 0 && request.readableFlowing !== true)
      return void request.off('resume', ask).once('resume', ask);
    const piece = takeSlice(pieces);
    isEnded &&= piece !== undefined;
    if (!piece) return finish();
    // If it is paused behind this, Node did it. What is answered and closed is not read on.
    socket.resume();
    take(piece);
    if (socket.destroyed || socket.writableEnded) pieces.length = 0;
    isHeld = socket.isPaused();
    ask();
  };
  socket.on('data', (piece: Buffer) => {
    pieces.push(piece);
    ask();
  });
  socket.on('end', () => {
    isEnded = true;
    ask();
  });
  socket.on('resume', () => {
    isHeld &&= socket.isPaused();
    ask();
  });
  return {
    path,
    goOnWith(next, response) {
      request = next;
      unanswered += 1;
      response.once('finish', () => {
        unanswered -= 1;
        ask();
      });
    },
  };
}

// Behind a proxy all of them have one address: connections take turns, too.
function pathOf({ remoteAddress = '', remotePort }: Socket): readonly string[] {
  return [callerNetwork(remoteAddress), `${remoteAddress} ${remotePort}`];
}

/** Takes the place of those who listen for an event of a connection. Gives what tells them. */
function divert(socket: Socket, event: 'data' | 'end'): (piece?: Buffer) => void {
  const listeners = socket.listeners(event) as ((this: Socket, piece?: Buffer) => void)[];
  for (const listener of listeners) socket.off(event, listener);
  return (piece) => {
    for (const listener of listeners) listener.call(socket, piece);
  };
}

function takeSlice(pieces: Buffer[]): Buffer | undefined {
  const [first] = pieces;
  if (first === undefined || first.length <= sliceBytes) return pieces.shift();
  pieces[0] = first.subarray(sliceBytes);
  return first.subarray(0, sliceBytes);
}
