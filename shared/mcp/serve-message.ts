import { createMcpHandler } from '@modelcontextprotocol/server';
import { makeAgentServer } from './server.ts';
import type { AgentService } from './service.ts';

/** One message of a client that came over HTTP, and who answers it. */
export type HttpMessage = {
  readonly service: AgentService;
  readonly message: object;
  /** Those fields of the request that the protocol reads. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Aborts when the client has gone. */
  readonly signal: AbortSignal;
  /** Hears why a message was not answered as it asked. */
  readonly onError: (error: Error) => void;
};

/** Answers a message of either revision of the protocol, by a server that lives as long as the answer. */
export function serveMessage({ service, message, headers, signal, onError }: HttpMessage): Promise<Response> {
  const handler = createMcpHandler(() => makeAgentServer(service), {
    // Nothing changes that a client could be told of, so no stream is held open for that.
    maxSubscriptions: 0,
    onerror: onError,
  });
  const fields = headers.map(([name, value]): [string, string] => [name, value]);
  // The address stands for nothing: the message was read already, and the route was found.
  const request = new Request('http://localhost/mcp', { method: 'POST', headers: fields, signal });
  return handler.fetch(request, { parsedBody: message });
}
