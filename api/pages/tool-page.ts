import type { Request, Response } from 'express';
import type { Question } from '#shared/ask/question';
import { categoryNames } from '#shared/catalogue/domain-health/weights';
import { findSpec } from '#shared/catalogue/registry';
import type { CheckSpec } from '#shared/catalogue/spec';
import type { Caller } from '#shared/limits/caller';
import { freshnessOf } from '#shared/model/freshness';
import { Problem } from '#shared/model/problem';
import type { JobState, PartProgress } from '#shared/ports/job-queue';
import { categoryWords } from '#shared/render/health';
import { checkWords } from '#shared/render/labels';
import { type Markup, markup, nothing } from '#shared/render/markup';
import { clip } from '#shared/render/visible-text';
import { readReport } from '#shared/stores/reports/read-report';
import { askAsCaller } from '../ask/ask-as-caller.ts';
import { admit } from '../request/admit.ts';
import { placesOf } from '../request/read-ask.ts';
import { readForm } from '../request/read-json.ts';
import { decodeSegment, rawQueryOf } from '../request/read-query.ts';
import { noteSubject } from '../request/request-log.ts';
import { findJob } from '../tools/answer-job.ts';
import { admitForm } from './admit-form.ts';
import {
  basePathOf,
  mainCheck,
  originOf,
  type PageServices,
  pagePath,
  splitQuery,
  toolPath,
  withParameter,
} from './page-services.ts';
import { renderPage, seeOther, sendPage, sendPassingPage } from './page.ts';
import { emptyPage, findPast, queryOfChoices, reportPage, startForm, type Visit } from './report-page.ts';

/** Answers /d/{domain}, /d/{domain}/{check} and /u/{check}?url=: what is stored, and a button; with `job` how far a check is. Starts nothing. */
export async function answerToolPage(
  services: PageServices,
  request: Request,
  response: Response,
): Promise<void> {
  const caller = await admit(services.limits, request, response, 'tools');
  const { own, rest } = splitQuery(rawQueryOf(request));
  const visit = readVisit(services, { request, rest, caller });
  const jobId = own.get('job');
  return jobId === null
    ? showKnown(services, visit, request, response)
    : answerProgress(services, visit, jobId, response);
}

/** Answers a POST of the same addresses, by the button of a page: checks again, and sends the visitor to the running check. */
export async function answerStart(
  services: PageServices,
  request: Request,
  response: Response,
): Promise<void> {
  const caller = await admitForm(services, request, response, 'tools');
  const spec = readSpec(request);
  const chosen = await readForm(
    services.bodies,
    { request, response, caller },
    Object.keys(spec.options.shape),
  );
  const rest = queryOfChoices(spec, splitQuery(rawQueryOf(request)).rest, chosen);
  return startRun(services, readVisit(services, { request, rest, caller }), response, 0);
}

type Arrival = { readonly request: Request; readonly rest: string; readonly caller: Caller };

function readVisit(services: PageServices, { request, rest, caller }: Arrival): Visit {
  const [, , segment = ''] = request.path.split('/');
  const owner = services.site.ownerOf(caller.account);
  const question = services.readAsk.ofAddress(readSpec(request), { segment, query: rest }, owner);
  if (question instanceof Problem) throw question;
  return visitOf(services, request, caller, { question, query: rest });
}

/** The visit of a question that was understood. @param query of the tool's own options, as it was sent */
export function visitOf(
  services: PageServices,
  request: Request,
  caller: Caller,
  { question, query }: { readonly question: Question; readonly query: string },
): Visit {
  const { spec, target } = question;
  const tool = toolPath(spec, encodeURIComponent(target), query);
  const options = query.split('&').filter((pair) => !pair.startsWith('url='));
  const self = `${basePathOf(services.site)}${pagePath(spec.name, target, options.join('&'))}`;
  return { question, caller, self, program: `${originOf(services, request)}${tool}` };
}

/** The question about a target that a form named, with the usual options. Throws the Problem of one that the tool refuses. */
export function usualQuestion(
  { questions, site }: PageServices,
  spec: CheckSpec,
  target: string,
  { account }: Pick<Caller, 'account'>,
): Question {
  const place = placesOf(spec);
  const question = questions.read(spec, { target, options: {}, place }, site.ownerOf(account));
  if (question instanceof Problem) throw question;
  return question;
}

function readSpec({ path, params }: Request): CheckSpec {
  const kind = path.startsWith('/d/') ? 'domain' : 'url';
  const name = String(params['check'] ?? mainCheck);
  const spec = findSpec(decodeSegment(name) ?? '');
  if (spec?.targetKind === kind) return spec;
  throw new Problem('not_found', `There is no check of a ${kind} with this name.`);
}

/** Shows the newest report, however old, or that there is none. */
async function showKnown(
  services: PageServices,
  visit: Visit,
  request: Request,
  response: Response,
): Promise<void> {
  const { question, caller } = visit;
  const { site } = services;
  const base = basePathOf(site);
  const freshness = { notBefore: 0, acceptFresh: true };
  const answer = await askAsCaller(
    services,
    { caller, response },
    {
      question,
      freshness,
      waitS: 0,
      mayStart: false,
    },
  );
  if (answer.kind !== 'report')
    return sendPage(request, response, emptyPage(visit, base), 'private, no-cache');
  const { grant, identity } = answer.report;
  const past = await findPast(services, caller.account, { grant, jobKey: question.jobKey });
  const report = readReport({ json: identity });
  await sendPage(
    request,
    response,
    reportPage({ report, base, isOpen: site.isOpen, past, visit }),
    'private, no-cache',
  );
}

/**
 * Starts a check, or joins equal work, and sends the visitor to the page that follows it, without waiting; where a report answers already, to that.
 * @param maxAgeS undefined: as a GET of the tool; 0: as one with `fresh`
 */
export async function startRun(
  services: PageServices,
  { question, caller, self }: Visit,
  response: Response,
  maxAgeS?: number,
): Promise<void> {
  const freshness = freshnessOf(question.spec, maxAgeS, Date.now());
  const answer = await askAsCaller(services, { caller, response }, { question, freshness, waitS: 0 });
  seeOther(response, answer.kind === 'later' ? withParameter(self, 'job', answer.jobId) : self);
}

const refreshS = 3;
const longestCurrent = 120;

/** Answers a page with `job`: how far it is, by the script or by a refresh; once it has ended, the page of its report. */
async function answerProgress(
  { jobs, site }: PageServices,
  visit: Visit,
  jobId: string,
  response: Response,
): Promise<void> {
  const state = await findJob(jobs.jobQueue, jobId, visit.question.owner);
  const base = basePathOf(site);
  if (state.state === 'expired') return sendPassingPage(response, 200, expiredPage(visit, base));
  if (state.state !== 'waiting' && state.state !== 'running') return seeOther(response, visit.self);
  noteSubject(response, { jobId });
  response.setHeader('Retry-After', refreshS);
  sendPassingPage(response, 202, progressPage(visit, base, { jobId, state }));
}

type Going = { readonly jobId: string; readonly state: Extract<JobState, { state: 'waiting' | 'running' }> };

function progressPage(visit: Visit, base: string, { jobId, state }: Going): string {
  const {
    self,
    question: { spec, target },
  } = visit;
  const name = checkWords[spec.name]?.name ?? spec.name;
  const again = withParameter(self, 'job', jobId);
  const refresh = markup`<meta http-equiv="refresh" content="${refreshS}; url=${again}">`;
  const isAsked = visit.caller.kind === 'anonymous';
  const asks = isAsked ? markup` data-job="${base}/api/jobs/${jobId}" data-self="${self}"` : nothing;
  const hint = markup`<p>This page loads itself again every ${refreshS} seconds until the report is there.</p>`;
  return renderPage({
    base,
    title: `Checking ${target}`,
    description: `${name} is running.`,
    // Where scripts run, the script asks, and nothing is loaded twice; the API, which it asks, knows no session.
    head: isAsked
      ? markup`<noscript>${refresh}</noscript>
`
      : refresh,
    main: markup`<p class="check">${name}</p>
<h1>Checking <bdi>${target}</bdi></h1>
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
    title: `Not checked: ${visit.question.target}`,
    description: 'The turn of this check did not come in time.',
    main: markup`<h1>Its turn did not come in time</h1>
<p>Too many checks were waiting, and this one was given up. Nothing was asked of <bdi>${visit.question.target}</bdi>.</p>
${startForm(visit, 'Try again')}`,
  });
}
