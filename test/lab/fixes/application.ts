import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import express, { type Express, type Request, type Response } from 'express';
import type { KeyAndCertificate } from '../kit/certificates.ts';
import { type HeaderCase, rightHeaders } from './cases.ts';

export const plainPage = '<!doctype html><title>page</title><p>page';

/** Every header line of a case, in order. */
export function linesOfCase({ sends }: Pick<HeaderCase, 'sends'>): readonly (readonly [string, string])[] {
  return Object.entries({ ...rightHeaders, ...sends }).flatMap(([name, value]) =>
    value === null ? [] : (typeof value === 'string' ? [value] : value).map((one) => [name, one] as const),
  );
}

/**
 * An application in Express that sends what a case says.
 * @param pasted lines of ours: those for a response stand in place of the line that was there, or in front where there was none
 */
export function openApplication(one: HeaderCase, pasted: readonly string[] = []): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  const forApp = pasted.filter((line) => line.startsWith('app.'));
  const forResponse = pasted.filter((line) => !line.startsWith('app.') && !line.startsWith('//'));
  for (const line of forApp) run(line, { app });
  const replaced = new Set(forResponse.map(nameIn));
  const isReplaced = (name: string, value: string) =>
    name === 'Set-Cookie' ? replaced.has(value.split('=')[0]) : replaced.has(name.toLowerCase());
  app.use((request, response, next) => {
    for (const line of forResponse)
      run(line, { request, response, value: '1', options: expressOptionsOf(one, line) });
    next();
  });
  app.use((request, response) => answer({ request, response, one, isReplaced }));
  return app;
}

type Answering = {
  readonly request: Request;
  readonly response: Response;
  readonly one: HeaderCase;
  readonly isReplaced: (name: string, value: string) => boolean;
};

function answer({ request, response, one, isReplaced }: Answering): void {
  const isSecure = request.secure || request.headers['x-forwarded-proto'] === 'https';
  if (!isSecure && one.http === 'other path' && request.path === '/') return response.redirect(302, '/on');
  const other = `https://${request.hostname.replace(one.code, 'coop-missing')}/`;
  if (!isSecure && one.http === 'other host') return response.redirect(302, other);
  if (!isSecure && one.http !== 'page')
    return response.redirect(301, `https://${request.hostname}${request.originalUrl.replace('/on', '/')}`);
  const { origin } = request.headers;
  for (const [name, value] of linesOfCase(one)) {
    if (isReplaced(name, value) || (value === '$origin' && origin === undefined)) continue;
    response.append(name, value.replace('$origin', origin ?? ''));
  }
  if (one.https === 'other host') response.redirect(301, other);
  else if (request.path === '/') response.end(one.body ?? plainPage);
  else response.status(404).end(plainPage);
}

// A line of ours may stand in place of one of these; beside others it is added.
function nameIn(line: string): string | undefined {
  const [, cookie] = /^response\.cookie\('([^']+)'/.exec(line) ?? [];
  const [, header] = /^response\.(?:set|removeHeader)\('([^']+)'/.exec(line) ?? [];
  return cookie ?? header?.toLowerCase();
}

/** The attributes that a cookie of a case has as it is sent: the options of the call that sets it. */
export function optionsOf(one: HeaderCase, name = '') {
  const sent = linesOfCase(one).find(
    ([header, value]) => header === 'Set-Cookie' && value.startsWith(`${name}${name === '' ? '' : '='}`),
  );
  const text = sent?.[1] ?? '';
  return {
    secure: text.includes('Secure'),
    httponly: text.includes('HttpOnly'),
    ...(text.includes('SameSite=Lax') ? { samesite: 'lax' } : {}),
  };
}

/** The same by the names of Express. */
function expressOptionsOf(one: HeaderCase, line: string): object {
  const { secure, httponly: httpOnly, samesite: sameSite } = optionsOf(one, nameIn(line));
  return { secure, httpOnly, ...(sameSite ? { sameSite } : {}) };
}

function run(line: string, names: Readonly<Record<string, unknown>>): void {
  // eslint-disable-next-line no-implied-eval -- the line is ours, and this is where it would be pasted
  new Function(...Object.keys(names), line)(...Object.values(names));
}

/** Applications by host, over http and, with a certificate, over https. */
export async function serve(
  apps: ReadonlyMap<string, RequestListener>,
  address: string,
  ports: readonly number[],
  own?: KeyAndCertificate,
): Promise<{ close(): Promise<void> }> {
  const dispatch: RequestListener = (request, response) => {
    const app = apps.get((request.headers.host ?? '').replace(/:\d+$/, ''));
    if (app) return app(request, response);
    response.writeHead(421).end();
  };
  const servers = ports.map((_, at) =>
    at === 1 && own ? createHttpsServer(own, dispatch) : createServer(dispatch),
  );
  await Promise.all(
    servers.map((server, at) => new Promise<void>((resolve) => server.listen(ports[at], address, resolve))),
  );
  return {
    async close() {
      await Promise.all(servers.map(closeServer));
    },
  };
}

function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => void server.close(() => resolve()));
}
