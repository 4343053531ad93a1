import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import { catalogue } from '#shared/catalogue/registry';
import { Problem } from '#shared/model/problem';
import { inLine } from '#shared/time/give-back';
import { type AnswerRequest, type Answers, acceptingJson } from '../answer/accept-json.ts';
import { answerProblemOf } from '../answer/json.ts';
import { addBatches } from '../batches/routes.ts';
import {
  answerFindings,
  answerMe,
  answerOpenapiOf,
  answerProblemPage,
  answerSchemaOf,
} from '../descriptions/descriptions.ts';
import { answerDocsOf } from '../descriptions/docs-page.ts';
import { addOwnersPage } from '../descriptions/owners-page.ts';
import { schemaPattern } from '../descriptions/report-schema.ts';
import { addHistory } from '../history/routes.ts';
import { answerMcp } from '../mcp/answer-mcp.ts';
import { announceDeprecation } from '../origins/deprecations.ts';
import { closeBehindBody, guardHost, mcpPath, sendCors } from '../origins/front-door.ts';
import { answerProblemWords, answerVisitor, asPage, readsHtml } from '../pages/problem-page.ts';
import { addPages } from '../pages/routes.ts';
import { keepPrivate } from '../pages/session-page.ts';
import { addReports } from '../reports/routes.ts';
import { logRequest } from '../request/request-log.ts';
import type { Services } from '../services.ts';
import { answerJob, jobPattern } from '../tools/answer-job.ts';
import { answerProbe, probePattern } from '../tools/answer-probe.ts';
import { answerTool } from '../tools/answer-tool.ts';
import { addWatches } from '../watches/routes.ts';
import { requireDeclared, toolPattern } from './route-table.ts';

export const allowedMethods = 'GET, HEAD, OPTIONS';

type ChangingMethod = 'POST' | 'PATCH' | 'DELETE';

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

/** The HTTP surface over an open services. */
export function makeApp(services: Services): Express {
  const app = express();
  app.disable('x-powered-by').disable('etag').enable('case sensitive routing').enable('strict routing');
  app.set('query parser', false);
  app.use((request, response, next) => {
    if (services.sessions.isSent(request)) keepPrivate(response);
    receive(services, request, response);
    next();
  });

  const add = (path: string, answers: Answers) => addRoute(app, path, answers);
  const get = (path: string, answer: AnswerRequest) => add(path, { get: answer });
  addApi(services, get);
  addReports(services, get);
  addHistory(services, get);
  addBatches(services, add);
  addOwnersPage(services, get);
  addWatches(services, add);
  addPages(services, add, { '/docs': answerDocsOf });
  if (services.site.hasMcp)
    add(mcpPath, { post: (request, response) => answerMcp(services, request, response) });

  app.use(
    answering(
      asPage(services, (request) => {
        throw new Problem('not_found', describeMiss(request.path, services.site.publicPath));
      }),
    ),
  );
  const answerProblem = answerProblemOf(services.telemetry, services.site.publicPath);
  // Express tells the handler of errors by its fourth parameter.
  app.use((error: unknown, request: Request, response: Response, _next: NextFunction) => {
    if (!answerVisitor(services, error, request, response)) answerProblem(error, request, response);
  });
  return app;
}

/** What is done for every request before it is answered: its id, its log line, the fields that all answers carry. Throws the Problem of a Host that is not ours. */
function receive({ telemetry, origins }: Services, request: Request, response: Response): void {
  closeBehindBody(request, response);
  logRequest(telemetry, request, response);
  announceDeprecation(origins.deprecations, request, response);
  guardHost(origins.isKnownHost, request);
  sendCors(origins.corsOrigins, request, response);
}

/** The tools, their jobs, and what the service says of itself. */
function addApi(services: Services, get: (path: string, answer: AnswerRequest) => void): void {
  for (const spec of catalogue) {
    get(
      toolPattern(spec),
      acceptingJson((request, response) => answerTool(services, spec, request, response)),
    );
  }
  get(
    jobPattern,
    acceptingJson((request, response) =>
      answerJob(services, String(request.params['id']), request, response),
    ),
  );
  get(
    '/api/me',
    acceptingJson((request, response) => answerMe(services, request, response)),
  );
  get(
    '/api/findings',
    acceptingJson((request, response) => answerFindings(services, request, response)),
  );
  get(probePattern, (request, response) => answerProbe(services, request, response));
  get('/openapi.json', answerOpenapiOf(services));
  get(schemaPattern, answerSchemaOf(services));
  get(
    '/problems/:code',
    asPage(services, (request, response) =>
      readsHtml(request)
        ? answerProblemWords(services, request, response)
        : answerProblemPage(services, request, response),
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
  if (path === mcpPath) return 'The Model Context Protocol is off here (MCP=on).';
  return path.length > 1 && path.endsWith('/')
    ? `There is nothing at this address; none ends in a slash. ${listed}`
    : `There is nothing at this address. ${listed}`;
}

function answering(answer: AnswerRequest) {
  return async (request: Request, response: Response) => {
    const problem = await inLine(() => answer(request, response));
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
