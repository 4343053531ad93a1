import type { Outgoing } from './outgoing.ts';

/** Writes a JSON body with its length. */
export function sendJson(response: Outgoing, body: unknown, type = 'application/json; charset=utf-8'): void {
  const text = JSON.stringify(body);
  response.setHeader('Content-Type', type);
  response.setHeader('Content-Length', Buffer.byteLength(text));
  // As a text: Node sends it in one write with the head.
  response.end(response.req.method === 'HEAD' ? undefined : text);
}
