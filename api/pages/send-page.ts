import type { Request, Response } from 'express';
import { endAnswer } from '../answer/linger.ts';
import { represent, sendRepresentation } from '../answer/representation.ts';
import type { PageDesk } from './page-desk.ts';

/** Own style sheet, own script, own pictures, nothing inline and nothing from elsewhere. */
export const pagePolicy =
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
export function protectPage({ publicPath }: PageDesk['site'], response: Response): void {
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
