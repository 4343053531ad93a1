import type { Request, Response } from 'express';
import { waitWords } from '#shared/model/counts';
import { Problem, type ProblemCode, problems } from '#shared/model/problem';
import { type Markup, markup, nothing } from '#shared/render/markup';
import type { AnswerRequest } from '../answer/accept-json.ts';
import { readProblem } from '../answer/json.ts';
import { tellProblem } from '../answer/tell-problem.ts';
import { admit } from '../request/admit.ts';
import { requestIdOf } from '../request/request-log.ts';
import { basePathOf, type PageServices } from './page-services.ts';
import { protectPage, renderPage, sendPage, sendPassingPage } from './page.ts';
import { signInForm } from './session-page.ts';
import { targetField } from './target-field.ts';

/** The same answer with what protects pages; its problems are pages for those who read HTML, and JSON for all others. */
export function asPage(services: PageServices, answer: AnswerRequest): AnswerRequest {
  return async (request, response) => {
    protectPage(services.site, response);
    try {
      await answer(request, response);
    } catch (error) {
      if (!(error instanceof Problem) || !readsHtml(request)) throw error;
      sendProblem(services, error, response);
    }
  };
}

/** Answers a problem that came before any page, where a person looks at one. @returns false where the answer is not for a person */
export function answerVisitor(
  services: PageServices,
  error: unknown,
  request: Request,
  response: Response,
): boolean {
  const problem = readProblem(error);
  const isOfPages = request.method === 'GET' && !request.path.startsWith('/api/');
  if (!problem || !isOfPages || !readsHtml(request) || response.headersSent) return false;
  protectPage(services.site, response);
  sendProblem(services, problem, response);
  return true;
}

/** True for a browser that shows what it gets. */
export function readsHtml({ headers }: Request): boolean {
  return headers.accept?.includes('text/html') === true;
}

function sendProblem({ site, telemetry }: PageServices, problem: Problem, response: Response): void {
  const { status } = problems[problem.code];
  const { title, detail, help } = visitorWords(problem);
  tellProblem(telemetry, problem, response);
  for (const [name, value] of Object.entries(problem.headers)) response.setHeader(name, value);
  if (problem.retryAfterS !== undefined) response.setHeader('Retry-After', problem.retryAfterS);
  const base = basePathOf(site);
  const main = markup`<h1>${title}</h1>
<p>${detail}</p>
${isAboutToken(site, problem) ? signInForm(base, response.req.originalUrl) : hintOf(help)}
${isAboutTarget(problem) ? targetField(site, base) : markup`<p><a href="${base}/">Check something else</a></p>`}
<p class="facts">${status} <code>${problem.code}</code> · request <code>${requestIdOf(response)}</code></p>
`;
  sendPassingPage(
    response,
    status,
    renderPage({ base, title: `${title}: Diagnostic Tools`, description: title, main }),
  );
}

/** Whether the visitor may want to write the domain or URL again. */
function isAboutTarget({ code }: Pick<Problem, 'code'>): boolean {
  return code === 'invalid_request' || code === 'target_not_allowed';
}

function isAboutToken({ isOpen }: PageServices['site'], { code }: Problem): boolean {
  const isUnknown = code === 'token_required' || code === 'invalid_token' || code === 'insufficient_scope';
  return isUnknown && !isOpen;
}

function hintOf(help: string | undefined): Markup {
  return help === undefined ? nothing : markup`<p class="hint">${help}</p>`;
}

/** What a visitor reads, where the words for a program would not help: they name GETs and tokens. */
const ownWords: { readonly [code in ProblemCode]?: { readonly title: string; readonly detail: string } } = {
  report_not_found: {
    title: 'This report is not here',
    detail:
      'It has expired, its address is wrong, or it is not public. Check the domain or URL again to get a new report.',
  },
  report_ids_disabled: {
    title: 'Reports have no pages of their own here',
    detail: 'This service keeps a report only while it is fresh. Open the page of the domain or URL instead.',
  },
  token_required: {
    title: 'Sign in with a token',
    detail: 'This service shows its pages to those who have a token. Its operator gives them out.',
  },
  not_found: { title: 'There is no such page', detail: 'The address is wrong, or the page has moved.' },
  rate_limited: {
    title: 'You have used up your checks for now',
    detail: 'Reports that are stored can still be read.',
  },
};

function visitorWords({ code, detail, errors, retryAfterS }: Problem) {
  const { title, help } = problems[code];
  if (errors && isAboutTarget({ code }))
    return {
      title: 'This cannot be checked',
      detail: errors.map((fault) => fault.detail).join(' '),
      help: undefined,
    };
  const own = ownWords[code];
  const words = own ? { ...own, help: undefined } : { title, detail, help };
  return retryAfterS === undefined
    ? words
    : { ...words, detail: `${words.detail} Try again in ${waitWords(retryAfterS)}.` };
}

/** Answers /problems/{code} for people: what a problem means, and what to do. */
export async function answerProblemWords(
  { limits, site }: PageServices,
  request: Request,
  response: Response,
): Promise<void> {
  await admit(limits, request, response, 'anyone');
  const code = String(request.params['code']);
  if (!isProblemCode(code)) throw new Problem('not_found', `There is no problem "${code.slice(0, 60)}".`);
  const { status, title, help } = problems[code];
  const base = basePathOf(site);
  const main = markup`<h1>${title}</h1>
<p>${help}</p>
<p class="facts">Answers with this problem have the status ${status} and the code <code>${code}</code>.</p>
<p><a href="${base}/">Check something</a></p>
`;
  const html = renderPage({ base, title: `${title}: Diagnostic Tools`, description: title, main });
  await sendPage(request, response, html, 'private, max-age=3600');
}

function isProblemCode(code: string): code is ProblemCode {
  return Object.hasOwn(problems, code);
}
