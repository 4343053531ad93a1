import type { Request, Response } from 'express';
import type { Question } from '#shared/ask/question';
import { findSpec } from '#shared/catalogue/registry';
import type { CheckSpec } from '#shared/catalogue/spec';
import type { Caller } from '#shared/limits/caller';
import { freshnessOf } from '#shared/model/freshness';
import { Problem } from '#shared/model/problem';
import type { Report } from '#shared/model/report';
import { type Markup, markup, nothing } from '#shared/render/markup';
import { readReport } from '#shared/stores/reports/read-report';
import type { ReadyReport } from '../answer/ready-report.ts';
import { askAsCaller } from '../ask/ask-as-caller.ts';
import { recheck } from '../ask/recheck.ts';
import { admit } from '../request/admit.ts';
import { placesOf } from '../request/read-ask.ts';
import { readForm } from '../request/read-json.ts';
import { decodeSegment, rawQueryOf } from '../request/read-query.ts';
import { admitForm } from './admit-form.ts';
import { queryOfChoices } from './choices.ts';
import { noteOfRecheck, pageNote, tooSoonNote } from './notes.ts';
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
import { seeOther, sendPage } from './page.ts';
import { findPast } from './past.ts';
import { answerProgress } from './progress-page.ts';
import { emptyPage, reportPage } from './report-page.ts';
import type { Visit } from './visit.ts';

/** Answers /d/{domain}, /d/{domain}/{check} and /u/{check}?url=: what is stored, and a button; with `job` how far a check is. Starts nothing. */
export async function answerToolPage(
  services: PageServices,
  request: Request,
  response: Response,
): Promise<void> {
  const caller = await admit(services.limits, request, response, 'tools');
  const { own, rest } = splitQuery(rawQueryOf(request));
  const visit = readVisit(services, { request, own, rest, caller });
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
    spec.repeatable,
  );
  const { own, rest: asked } = splitQuery(rawQueryOf(request));
  const rest = queryOfChoices(spec, asked, chosen);
  const visit = readVisit(services, { request, own, rest, caller });
  const code = own.get('recheck');
  if (code === null) return startRun(services, visit, response, 0);
  return startRecheck(services, visit, response, code);
}

type Arrival = {
  readonly request: Request;
  readonly own: URLSearchParams;
  readonly rest: string;
  readonly caller: Caller;
};

function readVisit(services: PageServices, { request, own, rest, caller }: Arrival): Visit {
  const [, , segment = ''] = request.path.split('/');
  const owner = services.site.ownerOf(caller.account);
  const question = services.readAsk.ofAddress(readSpec(request), { segment, query: rest }, owner);
  if (question instanceof Problem) throw question;
  return visitOf(services, request, caller, { question, query: rest, own });
}

type Understood = Pick<Visit, 'question'> & { readonly query: string; readonly own?: URLSearchParams };

/** The visit of a question that was understood. @param query of the tool's own options, as it was sent */
export function visitOf(
  services: PageServices,
  request: Request,
  caller: Caller,
  { question, query, own = new URLSearchParams() }: Understood,
): Visit {
  const { spec, target } = question;
  const tool = toolPath(spec, encodeURIComponent(target), query);
  const options = query.split('&').filter((pair) => !pair.startsWith('url='));
  const self = `${basePathOf(services.site)}${pagePath(spec.name, target, options.join('&'))}`;
  return { question, caller, self, program: `${originOf(services, request)}${tool}`, own };
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
  const { question, caller, own } = visit;
  const found = await findNewest(services, visit, response);
  if (!found) return sendPage(request, response, emptyPage(visit, services), 'private, no-cache');
  const { grant, identity } = found;
  const past = await findPast(services, caller.account, { grant, jobKey: question.jobKey });
  const report = readReport({ json: identity });
  const note = markup`${pageNote(own.get('page'), basePathOf(services.site), services.targetPolicy)}${askedNote(report, own)}`;
  const origin = originOf(services, request);
  const page = reportPage({ report, services, origin, past, visit, note });
  await sendPage(request, response, page, 'private, no-cache');
}

/** What is said first of what was just asked. */
function askedNote(report: Report, own: URLSearchParams): Markup {
  const code = own.get('recheck');
  const now = Date.now();
  const soon = own.has('again') ? tooSoonNote(report, now) : nothing;
  return code === null || soon !== nothing ? soon : noteOfRecheck(report, code, now);
}

/** The newest report of a question. One whose part was made again is judged again first. */
async function findNewest(
  services: PageServices,
  { question, caller, own }: Visit,
  response: Response,
): Promise<ReadyReport | undefined> {
  const from = { caller, response };
  const code = own.get('recheck');
  if (code !== null && question.spec.name === mainCheck) {
    const answer = await recheck(services, from, { question, code, waitS: 0, mayStart: false }).catch(
      (error: unknown) => {
        // The finding is gone, as the page was loaded again later: then the newest report is shown.
        if (!(error instanceof Problem)) throw error;
        return undefined;
      },
    );
    if (answer?.kind === 'report') return answer.report;
  }
  const freshness = { since: 0, orFresh: true };
  const answer = await askAsCaller(services, from, { question, freshness, waitS: 0, mayStart: false });
  return answer.kind === 'report' ? answer.report : undefined;
}

/** Has one check made again, that of a finding, and sends the visitor to the page that says what became of it. */
async function startRecheck(
  services: PageServices,
  visit: Visit,
  response: Response,
  code: string,
): Promise<void> {
  const { question, caller, self } = visit;
  const next = withParameter(self, 'recheck', code);
  if (question.spec.name !== mainCheck) return startRun(services, { ...visit, self: next }, response, 0);
  const answer = await recheck(services, { caller, response }, { question, code, waitS: 0 });
  seeOther(response, answer.kind === 'later' ? withParameter(next, 'job', answer.jobId) : next);
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
  if (answer.kind === 'later') return seeOther(response, withParameter(self, 'job', answer.jobId));
  // Says why a caller who wanted a new report gets the last one.
  seeOther(response, maxAgeS === 0 ? withParameter(self, 'again', '1') : self);
}
