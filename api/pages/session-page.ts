import type { Request, Response } from 'express';
import { Problem } from '#shared/model/problem';
import { type Markup, markup, nothing } from '#shared/render/markup';
import { admit } from '../request/admit.ts';
import type { Callers } from '../request/caller.ts';
import { readForm } from '../request/read-json.ts';
import { admitForm } from './admit-form.ts';
import { basePathOf, type PageServices } from './page-services.ts';
import { renderPage, seeOther, sendPassingPage } from './page.ts';

/** Answers /session: who has signed in, and a form to sign in or out. */
export async function answerSession(
  services: PageServices,
  request: Request,
  response: Response,
): Promise<void> {
  requireTokens(services);
  const { name } = await admit(services.limits, request, response, 'anyone');
  sendPassingPage(response, 200, sessionPage(services, { name, next: '/' }));
}

/** Answers a POST of the same: signs in with the field `token`, or out without it. */
export async function answerSignIn(
  services: PageServices,
  request: Request,
  response: Response,
): Promise<void> {
  const caller = await admitForm(services, request, response, 'anyone');
  requireTokens(services);
  await services.limits.quotas.takeWrites(caller, 1, response);
  const { token, next = '/' } = await readForm(services.bodies, { request, response, caller }, [
    'token',
    'next',
  ]);
  const base = basePathOf(services.site);
  if (token === undefined) {
    response.setHeader('Set-Cookie', await services.sessions.end(request));
    return seeOther(response, `${base}/session`);
  }
  const cookie = await services.sessions.start(token.trim());
  if (cookie === undefined)
    return sendPassingPage(
      response,
      401,
      sessionPage(services, { next, why: 'This token is unknown, expired or revoked.' }),
    );
  response.setHeader('Set-Cookie', cookie);
  seeOther(response, `${base}${ownPath(next)}`);
}

// Where no token is needed, everybody sees the same pages.
function requireTokens({ site }: PageServices): void {
  if (site.isOpen)
    throw new Problem('not_found', 'No token is needed here, so there is nothing to sign in to.');
}

/** A path of this service, or the first page: never an address of another. */
function ownPath(text: string): string {
  const url = URL.parse(text, 'http://own.invalid/');
  return url?.origin === 'http://own.invalid' ? `${url.pathname.replace(/^\/+/, '/')}${url.search}` : '/';
}

type SessionPage = { readonly name?: string | undefined; readonly next: string; readonly why?: string };

function sessionPage({ site }: PageServices, { name, next, why }: SessionPage): string {
  const base = basePathOf(site);
  const isIn = name !== undefined;
  return renderPage({
    base,
    title: isIn ? 'Your session: Diagnostic Tools' : 'Sign in: Diagnostic Tools',
    description: 'Sign in with a token of this service.',
    main: isIn
      ? markup`<h1>You are signed in</h1>
<p>The pages show what the token “${name}” may see, for 12 hours at most. <a href="${base}/">Check something</a> · <a href="${base}/watches">Your watches</a></p>
<form action="${base}/session" method="post"><button type="submit">Sign out</button></form>
`
      : markup`<h1>Sign in</h1>
${signInForm(base, next, why)}`,
  });
}

/** The form that takes a token. @param next the path that the visitor wanted */
export function signInForm(base: string, next: string, why?: string): Markup {
  const wrong = why === undefined ? nothing : markup` aria-invalid="true" aria-describedby="why"`;
  return markup`<form class="ask" action="${base}/session" method="post">
<input type="hidden" name="next" value="${next}">
<label for="token-text">Token of this service</label>
<div class="row"><input id="token-text" name="token" type="password" required autocomplete="off" spellcheck="false" maxlength="200"${wrong}>
<button type="submit">Sign in</button></div>
${why === undefined ? nothing : markup`<p class="wrong" id="why" role="alert">${why}</p>`}
<p class="hint">Your browser keeps a session for 12 hours at most, and not the token. It ends when you <a href="${base}/session">sign out</a>.</p></form>
`;
}

/** Callers of pages: those of the API, and who has signed in. */
export function callersOfPages(callers: Callers, sessions: PageServices['sessions']): Callers {
  return {
    ...callers,
    async name(request) {
      const isSession = request.headers.authorization === undefined && sessions.isSent(request);
      const caller = isSession ? await sessions.find(request) : undefined;
      return caller ? { caller, hasBadToken: false } : callers.name(request);
    },
  };
}

/** Makes an answer to a request with a session uncacheable, whatever its own fields say. */
export function keepPrivate(response: Response): void {
  const write = response.writeHead.bind(response) as (...parts: readonly unknown[]) => Response;
  const own = (...parts: readonly unknown[]) => {
    const fields = parts.at(-1);
    if (!Array.isArray(fields)) {
      response.setHeader('Cache-Control', onlyHere);
      return write(...parts);
    }
    const kept = fields.filter((_, index) => !/^cache-control$/i.test(String(fields[index - (index % 2)])));
    return write(...parts.slice(0, -1), [...kept, 'Cache-Control', onlyHere]);
  };
  response.writeHead = own as typeof response.writeHead;
}

const onlyHere = 'private, no-store';
