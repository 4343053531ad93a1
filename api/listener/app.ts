import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import { catalogue } from '#shared/catalogue/registry';
import { Problem } from '#shared/model/problem';
import { answerProblemOf } from '../answer/json.ts';
import { addBatches } from '../batches/routes.ts';
import {
  answerFindings,
  answerMe,
  answerOpenapiOf,
  answerProblemPage,
  answerSchemaOf,
} from '../descriptions/descriptions.ts';
import { addOwnersPage } from '../descriptions/owners-page.ts';
import type { Desk } from '../desk.ts';
import { addHistory } from '../history/routes.ts';
import { answerMcp } from '../mcp/answer-mcp.ts';
import { schemaPattern } from '../openapi/report-schema.ts';
import { answerProblemWords, answerVisitor, asPage, readsHtml } from '../pages/problem-page.ts';
import { addPages } from '../pages/routes.ts';
import { keepPrivate } from '../pages/session-page.ts';
import { addReports } from '../reports/routes.ts';
import { type AnswerRequest, acceptingJson } from '../request/accept-json.ts';
import { logRequest } from '../request/request-log.ts';
import { answerJob, jobPattern } from '../tools/answer-job.ts';
import { answerProbe, probePattern } from '../tools/answer-probe.ts';
import { answerTool } from '../tools/answer-tool.ts';
import { addWatches } from '../watches/routes.ts';
import { announceDeprecation } from './deprecations.ts';
import { closeBehindBody, guardHost, mcpPath, sendCors } from './front-door.ts';
import { requireDeclared, toolPattern } from './route-table.ts';

export const allowedMethods = 'GET, HEAD, OPTIONS';

type ChangingMethod = 'POST' | 'PATCH' | 'DELETE';

/** What answers a path: everybody's GET, and what a form of a page or a program sends to change something. */
export type Answers = {
  readonly get?: AnswerRequest;
  readonly post?: AnswerRequest;
  readonly patch?: AnswerRequest;
  readonly delete?: AnswerRequest;
};

function addRoute(app: Express, path: string, answers: Answers): void {
  // One route of all methods: each is compared with the path of every request that none before it has answered.
  const route = app.route(path);
  if (answers.get) {
    requireDeclared('GET', path);
    route.get(answering(answers.get));
  }
  const changing = (['post', 'patch', 'delete'] as const).flatMap((method) => {
    const answer = answers[method];
    return answer ? [{ method, name: method.toUpperCase() as ChangingMethod, answer }] : [];
  });
  for (const { method, name, answer } of changing) {
    requireDeclared(name, path);
    route[method](answering(answer));
  }
  route.all(
    refuseOther(
      [...(answers.get ? ['GET', 'HEAD'] : []), ...changing.map(({ name }) => name), 'OPTIONS'].join(', '),
    ),
  );
}

/** The HTTP surface over an open desk. */
export function makeApp(desk: Desk): Express {
  const app = express();
  app.disable('x-powered-by').disable('etag').enable('case sensitive routing').enable('strict routing');
  app.set('query parser', false);
  app.use((request, response, next) => {
    if (desk.sessions.isSent(request)) keepPrivate(response);
    receive(desk, request, response);
    next();
  });

  const add = (path: string, answers: Answers) => addRoute(app, path, answers);
  const get = (path: string, answer: AnswerRequest) => add(path, { get: answer });
  addApi(desk, get);
  addReports(desk, get);
  addHistory(desk, get);
  addBatches(desk, add);
  addOwnersPage(desk, get);
  addWatches(desk, add);
  addPages(desk, add);
  add(mcpPath, { post: (request, response) => answerMcp(desk, request, response) });

  app.use(
    answering(
      asPage(desk, (request) => {
        throw new Problem('not_found', describeMiss(request.path, desk.site.publicPath));
      }),
    ),
  );
  const answerProblem = answerProblemOf(desk.witness, desk.site.publicPath);
  // Express tells the handler of errors by its fourth parameter.
  app.use((error: unknown, request: Request, response: Response, _next: NextFunction) => {
    if (!answerVisitor(desk, error, request, response)) answerProblem(error, request, response);
  });
  return app;
}

/** What is done for every request before it is answered: its id, its log line, the fields that all answers carry. Throws the Problem of a Host that is not ours. */
function receive({ witness, door }: Desk, request: Request, response: Response): void {
  closeBehindBody(request, response);
  logRequest(witness, request, response);
  announceDeprecation(door.deprecations, request, response);
  guardHost(door.isKnownHost, request);
  sendCors(door.corsOrigins, request, response);
}

/** The tools, their jobs, and what the service says of itself. */
function addApi(desk: Desk, get: (path: string, answer: AnswerRequest) => void): void {
  for (const spec of catalogue) {
    get(
      toolPattern(spec),
      acceptingJson((request, response) => answerTool(desk, spec, request, response)),
    );
  }
  get(
    jobPattern,
    acceptingJson((request, response) => answerJob(desk, String(request.params['id']), request, response)),
  );
  get(
    '/api/me',
    acceptingJson((request, response) => answerMe(desk, request, response)),
  );
  get(
    '/api/findings',
    acceptingJson((request, response) => answerFindings(desk, request, response)),
  );
  get(probePattern, (request, response) => answerProbe(desk, request, response));
  get('/openapi.json', answerOpenapiOf(desk));
  get(schemaPattern, answerSchemaOf(desk));
  get(
    '/problems/:code',
    asPage(desk, (request, response) =>
      readsHtml(request)
        ? answerProblemWords(desk, request, response)
        : answerProblemPage(desk, request, response),
    ),
  );
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

function answering(answer: AnswerRequest) {
  return async (request: Request, response: Response) => {
    const problem = await answer(request, response);
    if (problem) throw problem;
  };
}

function refuseOther(allowed: string) {
  return (request: Request, response: Response): void => {
    if (request.method === 'OPTIONS') {
      response.setHeader('Allow', allowed);
      response.statusCode = 204;
      response.end();
      return;
    }
    throw new Problem('method_not_allowed', `${request.method} is not allowed here. Use ${allowed}.`, {
      headers: { Allow: allowed },
    });
  };
}
