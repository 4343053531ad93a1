import type { Request, Response } from 'express';
import { findReport } from '#shared/ask/find-report';
import { grantReport } from '#shared/ask/grant-report';
import { invalidRequest, type Question } from '#shared/ask/question';
import { catalogue, findSpec } from '#shared/catalogue/registry';
import type { Caller } from '#shared/limits/caller';
import { type Freshness, freshnessOf } from '#shared/model/freshness';
import { type InputError, Problem } from '#shared/model/problem';
import { probeContentType, readSentReport, renderProbe } from '#shared/render/probe';
import type { ReadyReport, Reports } from '../answer/ready-report.ts';
import { askAsCaller, type RequestedReport, waitSecondsOf } from '../ask/ask-as-caller.ts';
import { crossSiteRequest } from '../origins/other-site.ts';
import { admit } from '../request/admit.ts';
import { givenOptions, maxAgeText } from '../request/read-ask.ts';
import { rawQueryOf, readQuery } from '../request/read-query.ts';
import { noteSubject } from '../request/request-log.ts';
import type { Services } from '../services.ts';

export const probePattern = '/probe';

/** Prometheus sends it with every scrape; an answer that comes later is thrown away. */
const timeoutField = 'x-prometheus-scrape-timeout-seconds';
/** For the way back, as blackbox_exporter leaves it. */
const timeoutMarginS = 0.5;
const usualMaxAgeS = 3600;

type ProbeServices = Pick<Services, 'origins' | 'limits' | 'questions' | 'reports' | 'jobs' | 'site'>;
type Probe = { readonly question: Question; readonly maxAgeS: number };

/**
 * Answers /probe?target=&module=: one check as gauges, of a report at most `maxAge` old. One that is no longer fresh answers those who were
 * given it, while a new run is started beside it, so that a slow check never flaps; without any, the scrape waits as long as its timeout lets it.
 */
export async function answerProbe(
  services: ProbeServices,
  request: Request,
  response: Response,
): Promise<void> {
  const start = performance.now();
  const caller = await admit(services.limits, request, response, 'tools');
  const probe = readProbe(services, caller, request);
  const report = await findGauged(services, { ...probe, caller, request, response });
  const tookS = (performance.now() - start) / 1000;
  const text = renderProbe(report && readSentReport(report.identity()), tookS);
  response.setHeader('Content-Type', probeContentType);
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.end(request.method === 'HEAD' ? undefined : text);
}

type Probing = Probe & { readonly caller: Caller; readonly request: Request; readonly response: Response };

async function findGauged(services: ProbeServices, probing: Probing): Promise<ReadyReport | undefined> {
  const { question, maxAgeS, caller, request, response } = probing;
  const { reports } = services;
  const now = Date.now();
  const anyFresh = freshnessOf(question.spec, undefined, now);
  const young = freshnessOf(question.spec, maxAgeS, now);
  const found = await findReport(reports, question, young, caller.kind === 'anonymous');
  const known = found && (await isForCaller(reports, caller, found, now)) ? found : undefined;
  const isUnasked = caller.kind === 'anonymous' && services.origins.isFromOtherSite(request.headers);
  if (!known) {
    if (isUnasked) throw crossSiteRequest();
    // Where nothing was young enough, a report that is merely fresh must not end the wait.
    const freshness = found ? anyFresh : young;
    return run(services, probing, { waitS: waitSecondsFor(services, probing), freshness });
  }
  if (known.freshUntil <= now && !isUnasked) await runBeside(services, probing, anyFresh);
  noteSubject(response, { reportId: known.reportId });
  await grantReport(reports, caller.account, known);
  return known;
}

/** What is fresh answers everybody; what is not, those who were given it. */
async function isForCaller(
  { reportStore }: Reports,
  { account }: Caller,
  report: ReadyReport,
  now: number,
): Promise<boolean> {
  if (report.freshUntil > now || report.isGivenTo(account)) return true;
  return reportStore.grants.isGiven(account, report.reportId);
}

/** The old report answers whatever hinders the new run: a limit that is used up, or a queue that is away. */
async function runBeside(services: ProbeServices, probing: Probing, freshness: Freshness): Promise<void> {
  await run(services, probing, { waitS: 0, freshness, isBackground: true }).catch((error: unknown) => {
    if (!(error instanceof Problem)) throw error;
  });
}

/** Joins equal work or starts a run, and gives its report where it is there in time. */
async function run(
  services: ProbeServices,
  { question, caller, response }: Probing,
  how: Pick<RequestedReport, 'waitS' | 'freshness' | 'isBackground'>,
): Promise<ReadyReport | undefined> {
  const answer = await askAsCaller(services, { caller, response }, { question, ...how });
  return answer.kind === 'report' ? answer.report : undefined;
}

function waitSecondsFor({ jobs }: ProbeServices, { question, request }: Probing): number {
  const usual = waitSecondsOf(jobs, question.spec, undefined);
  const given = request.headers[timeoutField];
  if (typeof given !== 'string' || !/^\d{1,6}(?:\.\d{1,9})?$/.test(given)) return usual;
  return Math.max(0, Math.min(usual, Number(given) - timeoutMarginS));
}

/** Understands the request, or throws the Problem that names every fault. */
function readProbe({ questions, site }: ProbeServices, caller: Caller, request: Request): Probe {
  const raw = rawQueryOf(request);
  const module = new URLSearchParams(raw).get('module') ?? '';
  const spec = findSpec(module);
  if (!spec) throw invalidRequest([{ in: 'query', name: 'module', detail: `Give one of: ${moduleNames}.` }]);
  const names = ['module', 'target', 'maxAge', ...Object.keys(spec.options.shape)];
  const query = readQuery(raw, names, spec.repeatable);
  const [maxAge = String(usualMaxAgeS)] = query.values.get('maxAge') ?? [];
  const [target] = query.values.get('target') ?? [];
  const faults: InputError[] = [...query.faults];
  if (!maxAgeText.test(maxAge))
    faults.push({ in: 'query', name: 'maxAge', detail: 'Give whole seconds from 0 to 31536000.' });
  if (target === undefined)
    faults.push({ in: 'query', name: 'target', detail: 'Give the domain or URL to check.' });
  if (target === undefined || faults.length > 0) throw invalidRequest(faults);
  const question = questions.read(
    spec,
    {
      target,
      options: givenOptions(spec, query),
      place: (about) => ({ in: 'query', name: about === 'target' ? about : about.option }),
    },
    site.ownerOf(caller.account),
  );
  if (question instanceof Problem) throw question;
  return { question, maxAgeS: Number(maxAge) };
}

const moduleNames = catalogue.map(({ name }) => name).join(', ');
