import type { Request, Response } from 'express';
import { markup, type Markup, nothing, printMarkup } from '#shared/render/markup';
import { clip } from '#shared/render/visible-text';
import { represent, sendRepresentation } from '../answer/representation.ts';
import { endAnswer } from '../request/connections.ts';
import { iconFile, scriptFile, styleFile } from './files.ts';
import type { PageServices } from './page-services.ts';

/** A page of the service, before it is text. */
type Page = {
  /** Prefix of every link. */
  readonly base: string;
  readonly title: string;
  /** One sentence for previews; never text of a target beside its name. */
  readonly description: string;
  readonly main: Markup;
  /** More of the head, such as when to ask again. */
  readonly head?: Markup;
  /** Only the first page is for search engines. */
  readonly isIndexed?: boolean;
};

const longestTitle = 120;

/** The whole page: head, the bar with the way home, and the main part. */
export function renderPage({
  base,
  title,
  description,
  main,
  head = nothing,
  isIndexed = false,
}: Page): string {
  const shortTitle = clip(title, longestTitle);
  return printMarkup(markup`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${shortTitle}</title>
<meta name="description" content="${description}">
${
  isIndexed
    ? nothing
    : markup`<meta name="robots" content="noindex">
`
}<meta property="og:type" content="website">
<meta property="og:site_name" content="Diagnostic Tools">
<meta property="og:title" content="${shortTitle}">
<meta property="og:description" content="${description}">
<link rel="icon" href="${base}/assets/${iconFile}" type="image/svg+xml">
<link rel="stylesheet" href="${base}/assets/${styleFile}">
<script src="${base}/assets/${scriptFile}" defer></script>
${head}</head>
<body class="site">
<a class="skip" href="#main">Skip to the content</a>
<nav class="top" aria-label="Diagnostic Tools"><a class="brand" href="${base}/">Diagnostic Tools</a>
<ul><li><a href="${base}/">New check</a></li><li><a href="${base}/compare">Compare</a></li><li><a href="${base}/watches">Watches</a></li><li><a href="${base}/docs">API</a></li></ul></nav>
<main id="main" tabindex="-1">
${main}</main>
<footer><p>Checks ask only what any visitor could ask. Reports are deleted after a while, and nothing of this page is loaded from elsewhere.</p></footer>
</body>
</html>
`);
}

/** Own style sheet, own script, own pictures, nothing inline and nothing from elsewhere. */
const pagePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

const fields: readonly (readonly [name: string, value: string])[] = [
  ['Content-Security-Policy', pagePolicy],
  ['X-Frame-Options', 'DENY'],
  // With no-referrer our own forms would send Origin: null.
  ['Referrer-Policy', 'same-origin'],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
  ['Cross-Origin-Embedder-Policy', 'require-corp'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['Permissions-Policy', 'camera=(), geolocation=(), microphone=(), payment=(), usb=()'],
];

const htmlType = 'text/html; charset=utf-8';
const hstsSeconds = 31_536_000;

/** Sets what every page is protected by; HSTS where the operator says that callers come by https. */
export function protectPage({ publicPath }: PageServices['site'], response: Response): void {
  for (const [name, value] of fields) response.setHeader(name, value);
  if (publicPath.startsWith('https:'))
    response.setHeader('Strict-Transport-Security', `max-age=${hstsSeconds}; includeSubDomains`);
}

/** Sends a page: 200, or 304 when the caller has it already. */
export async function sendPage(
  request: Request,
  response: Response,
  html: string,
  cacheControl: string,
): Promise<void> {
  await sendRepresentation(request, response, represent(Buffer.from(html), htmlType), [
    'Cache-Control',
    cacheControl,
  ]);
}

/** Sends a page that is only true now: of a problem, or of work that goes on. */
export function sendPassingPage(response: Response, status: number, html: string): void {
  response.statusCode = status;
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('Content-Type', htmlType);
  response.setHeader('Content-Length', Buffer.byteLength(html));
  if (response.req.method === 'HEAD') response.end();
  else endAnswer(response.req, response, html);
}

/** Sends the caller on, by a GET (RFC 9110 §15.4.4). */
export function seeOther(response: Response, address: string): void {
  response.statusCode = 303;
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('Location', address);
  response.setHeader('Content-Length', 0);
  response.end();
}
