import type { Request, Response } from 'express';
import { findSpec } from '#shared/catalogue/registry';
import type { CheckSpec } from '#shared/catalogue/spec';
import { Problem } from '#shared/model/problem';
import { readReport } from '#shared/stores/reports/read-report';
import { admit } from '../request/admit.ts';
import type { Caller } from '../request/caller.ts';
import { decodeSegment, rawQueryOf } from '../request/read-query.ts';
import { noteSubject } from '../request/request-log.ts';
import { give } from '../tools/give.ts';
import { findKnown } from '../tools/shelf.ts';
import { mainCheck, pagePath, splitQuery, toolPath } from './addresses.ts';
import { basePathOf, originOf, type PageDesk } from './page-desk.ts';
import { findPast } from './past.ts';
import { answerProgress } from './progress-page.ts';
import { emptyPage, reportPage } from './report-page.ts';
import { seeOther, sendPage } from './send-page.ts';
import { startRun } from './start-run.ts';
import { isUnasked, type Starts } from './starts.ts';
import type { Visit } from './visit.ts';

/** Answers /d/{domain}, /d/{domain}/{check} and /u/{check}?url=: what is stored, and a button; with `start` a check, with `job` how far it is. */
export async function answerToolPage(
  desk: PageDesk,
  starts: Starts,
  request: Request,
  response: Response,
): Promise<void> {
  const caller = await admit(desk.admission, request, response, 'tools');
  const { own, rest } = splitQuery(rawQueryOf(request));
  const visit = readVisit(desk, { request, rest, caller, starts });
  const jobId = own.get('job');
  if (jobId !== null) return answerProgress(desk, visit, jobId, response);
  const start = own.get('start');
  if (start === null) return showKnown(desk, visit, request, response);
  const isMeant =
    !isUnasked(request.headers) && !desk.door.isFromOtherSite(request.headers) && request.method === 'GET';
  if (isMeant && starts.redeem(start, visit.ask.jobKey, Date.now())) return startRun(desk, visit, response);
  // Spent, old or nobody's wish: the page without it shows the same and has a button.
  seeOther(response, visit.self);
}

type Arrival = {
  readonly request: Request;
  readonly rest: string;
  readonly caller: Caller;
  readonly starts: Starts;
};

function readVisit(desk: PageDesk, { request, rest, caller, starts }: Arrival): Visit {
  const spec = readSpec(request);
  const [, , segment = ''] = request.path.split('/');
  const tool = toolPath(spec, segment, rest);
  // The tool's own address is read by the one reader of addresses: a page never asks for something else than the API does.
  const ask = desk.readAsk(spec, { url: tool, headers: {} }, desk.site.ownerOf(caller.account));
  const options = rest.split('&').filter((pair) => !pair.startsWith('url='));
  const self = `${basePathOf(desk.site)}${pagePath(spec.name, ask.target, options.join('&'))}`;
  const program = `${originOf(desk, request)}${tool}`;
  return { spec, ask, caller, self, program, start: starts.issue(ask.jobKey, Date.now()) };
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
