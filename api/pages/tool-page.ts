import type { Request, Response } from 'express';
import { categoryNames } from '#shared/catalogue/domain-health/weights';
import { findSpec } from '#shared/catalogue/registry';
import type { CheckSpec } from '#shared/catalogue/spec';
import { Problem } from '#shared/model/problem';
import type { JobState, PartProgress } from '#shared/ports/job-queue';
import { categoryWords } from '#shared/render/health';
import { checkWords } from '#shared/render/labels';
import { type Markup, markup, nothing } from '#shared/render/markup';
import { clip } from '#shared/render/visible-text';
import { readReport } from '#shared/stores/reports/read-report';
import { foreignForm } from '../listener/other-site.ts';
import { admit } from '../request/admit.ts';
import type { Caller } from '../request/caller.ts';
import { readForm } from '../request/read-json.ts';
import { decodeSegment, rawQueryOf } from '../request/read-query.ts';
import { noteSubject, originOf as requestOf } from '../request/request-log.ts';
import { findJob } from '../tools/answer-job.ts';
import { drawJob, tooMuchWaits } from '../tools/draw-job.ts';
import { give } from '../tools/give.ts';
import { runOrJoin } from '../tools/runs.ts';
import { findKnown } from '../tools/shelf.ts';
import {
  basePathOf,
  mainCheck,
  originOf,
  type PageDesk,
  pagePath,
  splitQuery,
  toolPath,
  withParameter,
} from './page-desk.ts';
import { renderPage, seeOther, sendPage, sendPassingPage } from './page.ts';
import { emptyPage, findPast, queryOfChoices, reportPage, startForm, type Visit } from './report-page.ts';

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
type VisitRequest = {
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

/**
 * Starts a check, or joins equal work, and sends the visitor to the page that follows it, without waiting; where a report answers already, to that.
 * @param wish `fresh-enough`: as a GET of the tool · `again`: as one with `fresh`
 */
export async function startRun(
  { shelf, runs }: PageDesk,
  visit: Visit,
  response: Response,
  wish: 'fresh-enough' | 'again',
): Promise<void> {
  const { spec, ask, caller, self } = visit;
  const now = Date.now();
  const wanted =
    wish === 'again'
      ? { since: now - spec.refreshFloorS * 1000, orFresh: false }
      : { since: now, orFresh: true };
  if (await findKnown(shelf, ask.jobKey, wanted, now)) return seeOther(response, self);
  const drawing = { ask, caller, ...requestOf(response), wanted, now };
  const job = drawJob(spec, drawing, runs.queueSeconds);
  const outcome = await runOrJoin(runs, spec, { job, caller, ask: { ...ask, waitS: 0 }, response });
  if (outcome.kind === 'report') return seeOther(response, self);
  const { jobId, state } = outcome.submitted;
  noteSubject(response, { jobId });
  if (state === 'full') throw tooMuchWaits(job);
  seeOther(response, withParameter(self, 'job', jobId));
}

const refreshS = 3;
const longestCurrent = 120;

/** Answers a page with `job`: how far it is, by the script or by a refresh; once it has ended, the page of its report. */
async function answerProgress(
  { runs, site }: PageDesk,
  visit: Visit,
  jobId: string,
  response: Response,
): Promise<void> {
  const state = await findJob(runs.jobQueue, jobId, visit.ask.owner);
  const base = basePathOf(site);
  if (state.state === 'expired') return sendPassingPage(response, 200, expiredPage(visit, base));
  if (state.state !== 'waiting' && state.state !== 'running') return seeOther(response, visit.self);
  noteSubject(response, { jobId });
  response.setHeader('Retry-After', refreshS);
  sendPassingPage(response, 202, progressPage(visit, base, { jobId, state }));
}

type Going = { readonly jobId: string; readonly state: Extract<JobState, { state: 'waiting' | 'running' }> };

function progressPage(visit: Visit, base: string, { jobId, state }: Going): string {
  const { self, spec, ask } = visit;
  const name = checkWords[spec.name]?.name ?? spec.name;
  const again = withParameter(self, 'job', jobId);
  const refresh = markup`<meta http-equiv="refresh" content="${refreshS}; url=${again}">`;
  const isAsked = visit.caller.kind === 'anonymous';
  const asks = isAsked ? markup` data-job="${base}/api/jobs/${jobId}" data-self="${self}"` : nothing;
  const hint = markup`<p>This page loads itself again every ${refreshS} seconds until the report is there.</p>`;
  return renderPage({
    base,
    title: `Checking ${ask.target}`,
    description: `${name} is running.`,
    // Where scripts run, the script asks, and nothing is loaded twice; the API, which it asks, knows no session.
    head: isAsked
      ? markup`<noscript>${refresh}</noscript>
`
      : refresh,
    main: markup`<p class="check">${name}</p>
<h1>Checking <bdi>${ask.target}</bdi></h1>
<div class="going"${asks}>
<progress aria-label="Progress" max="${barOf(state).max}" value="${barOf(state).value}"></progress>
<p id="state" role="status">${describe(state)}</p>
<ul class="parts" id="parts">${partsOf(state).map(({ name, state: of }) => markup`<li data-state="${of}"><b>${partNames[name] ?? clip(name, longestCurrent)}</b> <span>${partStates[of]}</span></li>`)}</ul></div>
${isAsked ? markup`<noscript>${hint}</noscript>` : hint}
<p class="hint">You can leave: the check goes on, and <a href="${self}">its page</a> shows the report then.</p>
`,
  });
}

function barOf(state: Going['state']) {
  if (state.state === 'waiting') return { value: 0, max: 1 };
  const max = Math.max(1, state.progress.total);
  return { value: Math.min(max, state.progress.done), max };
}

function describe(state: Going['state']): Markup {
  if (state.state === 'waiting')
    return state.position <= 1
      ? markup`Waiting for its turn: next in line.`
      : markup`Waiting for its turn: place ${state.position} in line.`;
  const { done, total, current } = state.progress;
  if (total <= 1 && current === '') return markup`Started.`;
  const percent = Math.floor((100 * Math.min(done, total)) / Math.max(1, total));
  return markup`${percent} %${current === '' ? '' : `: ${clip(current, longestCurrent)}`}`;
}

/** What a visitor reads of each part of a domain-health, and of how it stands. */
const partNames: { readonly [name: string]: string } = categoryWords;
const partStates = {
  waiting: 'waits for its turn',
  running: 'asking',
  done: 'judged',
  failed: 'came to no end',
} as const;

/** Before it runs, a domain-health has parts that wait. */
function partsOf(state: Going['state']): readonly PartProgress[] {
  const told = state.state === 'running' ? (state.progress.parts ?? []) : [];
  if (told.length > 0) return told;
  const isOfParts = state.job.check === mainCheck;
  return isOfParts ? categoryNames.map((name) => ({ name, state: 'waiting' })) : [];
}

function expiredPage(visit: Visit, base: string): string {
  return renderPage({
    base,
    title: `Not checked: ${visit.ask.target}`,
    description: 'The turn of this check did not come in time.',
    main: markup`<h1>Its turn did not come in time</h1>
<p>Too many checks were waiting, and this one was given up. Nothing was asked of <bdi>${visit.ask.target}</bdi>.</p>
${startForm(visit, 'Try again')}`,
  });
}
