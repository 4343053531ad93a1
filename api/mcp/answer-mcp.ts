import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as NodeReadableStream } from 'node:stream/web';
import type { Request, Response } from 'express';
import type { Problem } from '#shared/model/problem';
import { foreignProgram } from '../origins/other-site.ts';
import { admit } from '../request/admit.ts';
import { abortedByClose } from '../request/connections.ts';
import { faultAt, invalidBody } from '../request/faults.ts';
import type { Bodies, BodyRequest } from '../request/read-body.ts';
import { parseJson, unsafeNames } from '../request/read-json.ts';
import type { Services } from '../services.ts';
import { openOwnService } from './own-service.ts';

/** What of a request the protocol reads. */
const ownFields = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name'];

type McpServices = Pick<
  Services,
  'bodies' | 'telemetry' | 'origins' | 'limits' | 'questions' | 'reports' | 'jobs' | 'readSoFar' | 'site'
>;

/**
 * Answers a message of the Model Context Protocol. Nothing is kept between two of them, so any process answers any.
 * Each counts as a request, and a check that it starts costs what its GET costs.
 */
export async function answerMcp(services: McpServices, request: Request, response: Response): Promise<void> {
  if (!services.origins.isProgram(request.headers)) throw foreignProgram();
  const caller = await admit(services.limits, request, response, 'tools');
  const message = await readMessage(services.bodies, { request, response, caller });
  // The body was read to its end, so the next message may come on this connection.
  response.removeHeader('Connection');
  const base = services.site.publicPath === '' ? `http://${request.headers.host}` : services.site.publicPath;
  const service = openOwnService({ services, caller, response, base });
  // Loaded where it is used: few services have agents.
  const { serveMessage } = await import('#shared/mcp/serve-message');
  const headers = ownFields.flatMap((name): [string, string][] => {
    const value = request.headers[name];
    return typeof value === 'string' ? [[name, value]] : [];
  });
  const signal = abortedByClose(response);
  const onError = (error: Error) =>
    services.telemetry.log.debug({ err: error }, 'a message of an agent was refused');
  await send(await serveMessage({ service, message, headers, signal, onError }), response);
}

async function send(answer: globalThis.Response, response: Response): Promise<void> {
  response.statusCode = answer.status;
  response.setHeader('Cache-Control', 'no-store');
  const type = answer.headers.get('content-type');
  if (type !== null) response.setHeader('Content-Type', type);
  if (answer.body === null) return void response.end();
  if (!type?.startsWith('text/event-stream'))
    return void response.end(Buffer.from(await answer.arrayBuffer()));
  // A proxy that gathers answers would hold the progress back.
  response.setHeader('X-Accel-Buffering', 'no');
  response.flushHeaders();
  await pipeline(Readable.fromWeb(answer.body as NodeReadableStream), response).catch((error: unknown) => {
    // The caller has gone: what it waited for goes on, and its log line says so.
    if (!response.destroyed) throw error;
  });
}

/** Reads the one message of a request: an object of JSON. Throws the Problem of anything else. */
async function readMessage(bodies: Bodies, asked: BodyRequest): Promise<object> {
  const { text } = await bodies.read(asked, 'message');
  const message = parseJson(text);
  if (Array.isArray(message))
    throw notAMessage('Send one message, not a list: batches were taken out of the protocol.');
  if (typeof message !== 'object' || message === null)
    throw notAMessage('The body is no JSON object of JSON-RPC 2.0.');
  // A field that every object has is no field of a message, and readers drop it in silence.
  const unsafe = unsafeNames(message);
  if (unsafe.length > 0) throw invalidBody(unsafe);
  const { params } = message as {
    readonly params?: { readonly _meta?: { readonly progressToken?: unknown } };
  };
  if (!isShort(params?._meta?.progressToken))
    throw invalidBody([
      faultAt(['params', '_meta', 'progressToken'], 'Give a number, or a text of 200 characters.'),
    ]);
  return message;
}

/** Each message of progress repeats it. */
function isShort(token: unknown): boolean {
  if (typeof token === 'string') return token.length <= 200;
  return token === undefined || typeof token === 'number';
}

function notAMessage(detail: string): Problem {
  return invalidBody([faultAt([], detail)]);
}
