import type { Response } from 'express';

/** Writes a JSON body with its length. */
export function sendJson(response: Response, body: unknown, type = 'application/json; charset=utf-8'): void {
  const text = JSON.stringify(body);
  response.setHeader('Content-Type', type);
  response.setHeader('Content-Length', Buffer.byteLength(text));
  // As a text: Node sends it in one write with the head.
  response.end(response.req.method === 'HEAD' ? undefined : text);
}
