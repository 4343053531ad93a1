import type { IncomingMessage, ServerResponse } from 'node:http';
import { catalogue } from '#shared/catalogue/registry';
import type { Problem } from '#shared/model/problem';
import { type Outgoing, openLean } from '../answer/outgoing.ts';
import { answerProblemOf } from '../answer/problem-answer.ts';
import type { Desk } from '../desk.ts';
import { noteSubject } from '../request/request-log.ts';
import { answerJob, jobPattern } from '../tools/answer-job.ts';
import { answerTool } from '../tools/answer-tool.ts';
import { toolPattern } from '../tools/tool-pattern.ts';
import { receive } from './receive.ts';

/** Answers a GET or HEAD of a tool or a job; false where it left that to the app. */
export type DirectRoutes = (request: IncomingMessage, response: ServerResponse) => boolean;

type AnswerDirect = (
  segment: string,
  request: IncomingMessage,
  response: Outgoing,
) => Promise<Problem | void>;

/** What is found by the beginning of a path. */
type Route = {
  /** As Express has it, for log and metrics. */
  readonly pattern: string;
  /** Whether one more segment follows. */
  readonly hasSegment: boolean;
  /** Gets that segment. */
  readonly answer: AnswerDirect;
};

/**
 * Tools and jobs, found by two looks into a table: on the way through Express's router a refusal cost more than twice as much.
 * The app has the same routes with the same handlers, for everything that is unusual.
 */
export function openDirectRoutes(desk: Desk): DirectRoutes {
  const answerProblem = answerProblemOf(desk.witness, desk.site.publicPath);
  const routes = openRoutes(desk);
  return (request, response) => {
    const found = findRoute(routes, request.url ?? '');
    if (!found) return false;
    const { route, segment } = found;
    const lean = openLean(response);
    noteSubject(lean, { route: route.pattern });
    const fail = (error: unknown) => answerProblem(error, request, lean);
    try {
      receive(desk, request, lean);
      route.answer(segment, request, lean).then((problem) => problem && fail(problem), fail);
    } catch (error) {
      fail(error);
    }
    return true;
  };
}

function openRoutes(desk: Desk): ReadonlyMap<string, Route> {
  const tools = catalogue.map((spec): [string, Route] => [
    `tools/${spec.name}`,
    {
      pattern: toolPattern(spec),
      hasSegment: spec.targetKind === 'domain',
      answer: (_domain, request, response) => answerTool(desk, spec, request, response),
    },
  ]);
  const answer: AnswerDirect = (id, request, response) => answerJob(desk, id, request, response);
  return new Map([...tools, ['jobs', { pattern: jobPattern, hasSegment: true, answer }]]);
}

/** The path in origin form, without anything that Express would decode or cut off. */
const plainPath = /^\/api\/(tools\/[a-z-]+|jobs)(?:\/([\w.~-]+))?(?:\?[^#]*)?$/;

function findRoute(routes: ReadonlyMap<string, Route>, url: string) {
  const [, name = '', segment = ''] = plainPath.exec(url) ?? [];
  const route = routes.get(name);
  return route && route.hasSegment === (segment !== '') ? { route, segment } : undefined;
}
