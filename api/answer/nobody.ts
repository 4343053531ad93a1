import type { IncomingMessage } from 'node:http';
import type { Outgoing } from './outgoing.ts';

/** An answer that nobody waits for: what is written to it goes nowhere. For runs that no request asked for. */
export function answerToNobody(): Outgoing {
  return {
    statusCode: 200,
    req: {} as IncomingMessage,
    locals: {},
    headersSent: true,
    writableEnded: false,
    closed: false,
    getHeader: () => undefined,
    setHeader: nothing,
    appendHeader: nothing,
    hasHeader: () => false,
    removeHeader: nothing,
    writeHead: nothing,
    end: nothing,
    on: nothing,
    once: nothing,
    destroy: nothing,
  };
}

function nothing(): undefined {
  return undefined;
}
