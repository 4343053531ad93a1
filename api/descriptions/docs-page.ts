import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Response } from 'express';
import type { Answer } from '../request/accept-json.ts';

/** Nothing from elsewhere, nothing inline: the page works offline and runs only our two scripts. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

type File = { readonly path: string; readonly type: string; readonly at: string };
const files: readonly File[] = [
  { path: '/docs', type: 'text/html; charset=utf-8', at: new URL('web/docs.html', import.meta.url).href },
  {
    path: '/docs/docs.js',
    type: 'text/javascript; charset=utf-8',
    at: new URL('web/docs.js', import.meta.url).href,
  },
  {
    path: '/docs/swagger-ui.css',
    type: 'text/css; charset=utf-8',
    at: import.meta.resolve('swagger-ui-dist/swagger-ui.css'),
  },
  {
    path: '/docs/swagger-ui-bundle.js',
    type: 'text/javascript; charset=utf-8',
    at: import.meta.resolve('swagger-ui-dist/swagger-ui-bundle.js'),
  },
];

/** Serves /docs: the OpenAPI document as a page (Swagger UI), from this machine alone. */
export function addDocsPage(get: (path: string, answer: Answer) => void): void {
  for (const { path, type, at } of files) get(path, (_request, response) => sendFile(response, type, at));
}

// Read when asked for: 1.6 MB that most processes never need in memory.
function sendFile(response: Response, type: string, at: string): void {
  const bytes = readFileSync(fileURLToPath(at));
  response.setHeader('Content-Security-Policy', policy);
  response.setHeader('Referrer-Policy', 'no-referrer');
  response.setHeader('Cache-Control', 'public, max-age=3600');
  response.setHeader('Content-Type', type);
  response.setHeader('Content-Length', bytes.length);
  response.end(response.req.method === 'HEAD' ? undefined : bytes);
}
