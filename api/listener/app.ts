import express, { type Express, type Request, type Response } from 'express';
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
import { type Answer, acceptingJson } from '../request/accept-json.ts';
import { logRequests } from '../request/request-log.ts';
import { answerJob } from '../tools/answer-job.ts';
import { answerTool } from '../tools/answer-tool.ts';
import { toolPattern } from '../tools/tool-pattern.ts';
import { announceDeprecations } from './deprecations.ts';
import { guardHost, sendCors } from './front-door.ts';

export const allowedMethods = 'GET, HEAD, OPTIONS';

/** The HTTP surface over an open desk. */
export function makeApp(desk: Desk): Express {
  const app = express();
  app.disable('x-powered-by').disable('etag').enable('case sensitive routing').enable('strict routing');
  app.set('query parser', false);
  app.use(logRequests(desk.witness));
  app.use(announceDeprecations(desk.door.deprecations));
  app.use(guardHost(desk.door.isKnownHost), sendCors(desk.door.corsOrigins));

  const get = (path: string, answer: Answer) => {
    // One route of all methods: each is compared with the path of every request that none before it has answered.
    app
      .route(path)
      .get(async (request, response) => answer(request, response))
      .all(refuseMethod);
  };
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

  app.use((request) => {
    throw new Problem('not_found', describeMiss(request.path, desk.site.publicPath));
  });
  app.use(answerProblems(desk.witness, desk.site.publicPath));
  return app;
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
