import type { Response } from 'express';

/** Writes a JSON body with its length. */
export function sendJson(response: Response, body: unknown, type = 'application/json; charset=utf-8'): void {
  const bytes = Buffer.from(JSON.stringify(body));
  response.setHeader('Content-Type', type);
  response.setHeader('Content-Length', bytes.length);
  response.end(response.req.method === 'HEAD' ? undefined : bytes);
}
