import type { Request, Response } from 'express';
import { findSpec } from '#shared/catalogue/registry';
import type { CheckSpec } from '#shared/catalogue/spec';
import { Problem } from '#shared/model/problem';
import { readReport } from '#shared/stores/reports/read-report';
import { foreignForm } from '../listener/other-site.ts';
import { admit } from '../request/admit.ts';
import type { Caller } from '../request/caller.ts';
import { readForm } from '../request/read-form.ts';
import { decodeSegment, rawQueryOf } from '../request/read-query.ts';
import { noteSubject } from '../request/request-log.ts';
import { give } from '../tools/give.ts';
import { findKnown } from '../tools/shelf.ts';
import { mainCheck, pagePath, splitQuery, toolPath } from './addresses.ts';
import { queryOfChoices } from './choices.ts';
import { basePathOf, originOf, type PageDesk } from './page-desk.ts';
import { findPast } from './past.ts';
import { answerProgress } from './progress-page.ts';
import { emptyPage, reportPage } from './report-page.ts';
import { sendPage } from './send-page.ts';
import { startRun } from './start-run.ts';
import type { Visit } from './visit.ts';

/** Answers /d/{domain}, /d/{domain}/{check} and /u/{check}?url=: what is stored, and a button; with `job` how far a check is. Starts nothing. */
export async function answerToolPage(desk: PageDesk, request: Request, response: Response): Promise<void> {
  const caller = await admit(desk.admission, request, response, 'tools');
  const { own, rest } = splitQuery(rawQueryOf(request));
  const visit = readVisit(desk, { request, rest, caller });
  const jobId = own.get('job');
  return jobId === null
    ? showKnown(desk, visit, request, response)
    : answerProgress(desk, visit, jobId, response);
}

/** Answers a POST of the same addresses, by the button of a page: checks again, and sends the visitor to the running check. */
export async function answerStart(desk: PageDesk, request: Request, response: Response): Promise<void> {
  const caller = await admit(desk.admission, request, response, 'tools');
  if (!desk.door.isOwnPage(request.headers)) throw foreignForm();
  const spec = readSpec(request);
  const chosen = await readForm(desk.bodies, { request, response, caller }, Object.keys(spec.options.shape));
  const rest = queryOfChoices(spec, splitQuery(rawQueryOf(request)).rest, chosen);
  return startRun(desk, readVisit(desk, { request, rest, caller }), response, 'again');
}

type Arrival = { readonly request: Request; readonly rest: string; readonly caller: Caller };

function readVisit(desk: PageDesk, { request, rest, caller }: Arrival): Visit {
  const spec = readSpec(request);
  const [, , segment = ''] = request.path.split('/');
  return visitOf(desk, { request, caller, spec, segment, query: rest });
}

/** What a visit is about. */
export type VisitRequest = {
  readonly request: Request;
  readonly caller: Caller;
  readonly spec: CheckSpec;
  /** The domain as it stands in a path; not read for a check of URLs. */
  readonly segment: string;
  /** The query of the tool, as it was sent. */
  readonly query: string;
};

/** Understands a visit. Throws the Problem of a target or option that the tool refuses. */
export function visitOf(desk: PageDesk, { request, caller, spec, segment, query }: VisitRequest): Visit {
  const tool = toolPath(spec, segment, query);
  // The tool's own address is read by the one reader of addresses: a page never asks for something else than the API does.
  const ask = desk.readAsk(spec, { url: tool, headers: {} }, desk.site.ownerOf(caller.account));
  const options = query.split('&').filter((pair) => !pair.startsWith('url='));
  const self = `${basePathOf(desk.site)}${pagePath(spec.name, ask.target, options.join('&'))}`;
  return { spec, ask, caller, self, program: `${originOf(desk, request)}${tool}` };
}

function readSpec({ path, params }: Request): CheckSpec {
  const kind = path.startsWith('/d/') ? 'domain' : 'url';
  const name = String(params['check'] ?? mainCheck);
  const spec = findSpec(decodeSegment(name) ?? '');
  if (spec?.targetKind === kind) return spec;
  throw new Problem('not_found', `There is no check of a ${kind} with this name.`);
}

/** Shows the newest report, however old, or that there is none. */
async function showKnown(desk: PageDesk, visit: Visit, request: Request, response: Response): Promise<void> {
  const { ask, caller } = visit;
  const now = Date.now();
  const ready = await findKnown(desk.shelf, ask.jobKey, { since: 0, orFresh: true }, now);
  const base = basePathOf(desk.site);
  if (!ready) return sendPage(request, response, emptyPage(visit, base), 'private, no-cache');
  noteSubject(response, { reportId: ready.reportId });
  await give(desk, caller, ready);
  const past = await findPast(desk, caller.account, { grant: ready.grant, jobKey: ask.jobKey });
  const report = readReport({ json: ready.identity });
  await sendPage(
    request,
    response,
    reportPage({ report, base, isOpen: desk.site.isOpen, past, visit }),
    'private, no-cache',
  );
}
