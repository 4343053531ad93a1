import type { RequestListener } from 'node:http';
import { catalogue } from '#shared/catalogue/registry';
import { Problem } from '#shared/model/problem';
import { answerProblems } from '../answer/problem-answer.ts';
import {
  answerFindings,
  answerMe,
  answerOpenapiOf,
  answerProblemPage,
} from '../descriptions/descriptions.ts';
import { addDocsPage } from '../descriptions/docs-page.ts';
import type { Desk } from '../desk.ts';
import { addPages } from '../pages/routes.ts';
import { addReports } from '../reports/routes.ts';
import { acceptingJson } from '../request/accept-json.ts';
import type { Answer, Request, Response } from '../request/exchange.ts';
import { logRequest } from '../request/request-log.ts';
import { answerJob } from '../tools/answer-job.ts';
import { answerTool } from '../tools/answer-tool.ts';
import { announceDeprecation } from './deprecations.ts';
import { guardHost, sendCors } from './front-door.ts';
import { openRouter, pathOf, toolPattern } from './router.ts';

export const allowedMethods = 'GET, HEAD, OPTIONS';

/** The HTTP surface over an open desk. */
export function makeApp(desk: Desk): RequestListener {
  const router = openRouter();
  addRoutes(desk, (pattern, answer) => router.add(pattern, answer));
  const { witness, door, site } = desk;
  const answerProblem = answerProblems(witness, site.publicPath);
  const answer = async (request: Request, response: Response) => {
    announceDeprecation(door.deprecations, request, response);
    guardHost(door.isKnownHost, request);
    sendCors(door.corsOrigins, request, response);
    const found = router.find(request.path);
    if (!found) throw new Problem('not_found', describeMiss(request.path, site.publicPath));
    Object.assign(request, { route: found.pattern, params: found.params });
    if (request.method !== 'GET' && request.method !== 'HEAD') return refuseMethod(request, response);
    await found.answer(request, response);
  };
  return (incoming, outgoing) => {
    const request = Object.assign(incoming, {
      path: pathOf(incoming.url ?? ''),
      route: '-',
      params: {},
    }) as Request;
    const response: Response = Object.assign(outgoing, { subject: {} });
    logRequest(witness, request, response);
    answer(request, response).catch((error: unknown) => answerProblem(error, request, response));
  };
}

function addRoutes(desk: Desk, get: (pattern: string, answer: Answer) => void): void {
  for (const spec of catalogue) {
    get(
      toolPattern(spec),
      acceptingJson((request, response) => answerTool(desk, spec, request, response)),
    );
  }
  get(
    '/api/jobs/:id',
    acceptingJson((request, response) => answerJob(desk, request, response)),
  );
  get(
    '/api/me',
    acceptingJson((request, response) => answerMe(desk, request, response)),
  );
  get(
    '/api/findings',
    acceptingJson((request, response) => answerFindings(desk, request, response)),
  );
  get('/openapi.json', answerOpenapiOf(desk));
  get('/problems/:code', (request, response) => answerProblemPage(desk, request, response));

  addReports(desk, get);
  addDocsPage(get);
  addPages(desk, get);
}

const toolForms = catalogue.map(
  ({ name, targetKind }) => `/api/tools/${name}${targetKind === 'domain' ? '/{domain}' : '?url='}`,
);

function describeMiss(path: string, publicPath: string): string {
  const listed = `The endpoints are listed at ${publicPath}/docs.`;
  if (path.startsWith('/api/tools'))
    return `There is no such tool. There are: ${toolForms.join(', ')}. ${listed}`;
  return path.length > 1 && path.endsWith('/')
    ? `There is nothing at this address; none ends in a slash. ${listed}`
    : `There is nothing at this address. ${listed}`;
}

function refuseMethod(request: Request, response: Response): void {
  if (request.method === 'OPTIONS') {
    response.setHeader('Allow', allowedMethods);
    response.statusCode = 204;
    response.end();
    return;
  }
  throw new Problem('method_not_allowed', `${request.method} is not allowed here. Use ${allowedMethods}.`, {
    headers: { Allow: allowedMethods },
  });
}
