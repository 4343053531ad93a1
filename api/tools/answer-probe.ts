import type { Request, Response } from 'express';
import { findSpec, catalogue } from '#shared/catalogue/registry';
import type { CheckSpec } from '#shared/catalogue/spec';
import type { AcceptedAge } from '#shared/model/job';
import { type Fault, Problem } from '#shared/model/problem';
import { probeContentType, readSentReport, renderProbe } from '#shared/render/probe';
import type { ReadyReport } from '../answer/ready-report.ts';
import type { Desk } from '../desk.ts';
import { crossSiteRequest } from '../listener/other-site.ts';
import { admit } from '../request/admit.ts';
import { type Ask, maxAgeText } from '../request/ask.ts';
import type { Caller } from '../request/caller.ts';
import { describeFaults, type Query, rawQueryOf, readQuery } from '../request/read-query.ts';
import { noteSubject, originOf } from '../request/request-log.ts';
import { drawJob, tooMuchWaits } from './draw-job.ts';
import { give } from './give.ts';
import { runOrJoin, waitSecondsOf } from './runs.ts';
import { findKnown, type Shelf } from './shelf.ts';

export const probePattern = '/probe';

/** Prometheus sends it with every scrape; an answer that comes later is thrown away. */
const timeoutField = 'x-prometheus-scrape-timeout-seconds';
/** For the way back, as blackbox_exporter leaves it. */
const timeoutMarginS = 0.5;
const usualMaxAgeS = 3600;

type ProbeDesk = Pick<Desk, 'door' | 'admission' | 'readAsk' | 'shelf' | 'runs' | 'site'>;
type Probe = { readonly spec: CheckSpec; readonly ask: Ask; readonly maxAgeS: number };

/**
 * Answers /probe?target=&module=: one check as gauges, of a report at most `maxAge` old. One that is no longer fresh answers those who were
 * given it, while a new run is started beside it, so that a slow check never flaps; without any, the scrape waits as long as its timeout lets it.
 */
export async function answerProbe(desk: ProbeDesk, request: Request, response: Response): Promise<void> {
  const start = performance.now();
  const caller = await admit(desk.admission, request, response, 'tools');
  const probe = readProbe(desk, caller, request);
  const ready = await findReport(desk, { ...probe, caller, request, response });
  if (ready) {
    noteSubject(response, { reportId: ready.reportId });
    await give(desk, caller, ready);
  }
  const tookS = (performance.now() - start) / 1000;
  const text = renderProbe(ready && readSentReport(ready.identity()), tookS);
  response.setHeader('Content-Type', probeContentType);
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.end(request.method === 'HEAD' ? undefined : text);
}

type Probing = Probe & { readonly caller: Caller; readonly request: Request; readonly response: Response };

async function findReport(desk: ProbeDesk, probing: Probing): Promise<ReadyReport | undefined> {
  const { spec, ask, maxAgeS, caller, request } = probing;
  const now = Date.now();
  const young = { since: now - Math.max(maxAgeS, spec.refreshFloorS) * 1000, orFresh: false };
  const found = await findKnown(desk.shelf, ask.jobKey, young, now);
  if (found && found.freshUntil > now) return found;
  const known = found && (await isReadable(desk.shelf, caller, found)) ? found : undefined;
  if (caller.kind === 'anonymous' && desk.door.isFromOtherSite(request.headers)) {
    if (known) return known;
    throw crossSiteRequest();
  }
  const fresh = { since: now, orFresh: true };
  // Where nothing was young enough, a report that is merely fresh must not end the wait.
  if (!known)
    return run(desk, probing, { waitS: waitSecondsFor(desk, probing), wanted: found ? fresh : young });
  // The old report answers whatever hinders the new run: a limit that is used up, or a queue that is away.
  await run(desk, probing, { waitS: 0, wanted: fresh }).catch((error: unknown) => {
    if (!(error instanceof Problem)) throw error;
  });
  return known;
}

/** Who was given a report may have it again; what is no longer fresh answers nobody else. */
async function isReadable({ reportStore }: Shelf, { account }: Caller, ready: ReadyReport): Promise<boolean> {
  return ready.isGivenTo(account) || reportStore.grants.isGiven(account, ready.reportId);
}

/** Joins equal work or starts a run, and gives its report where it is there in time. */
async function run(
  { shelf, runs }: ProbeDesk,
  { spec, ask, caller, response }: Probing,
  { waitS, wanted }: { readonly waitS: number; readonly wanted: AcceptedAge },
): Promise<ReadyReport | undefined> {
  const now = Date.now();
  const job = drawJob(spec, { ask, caller, ...originOf(response), wanted, now }, runs.queueSeconds);
  const outcome = await runOrJoin(runs, spec, { job, caller, ask: { waitS }, response });
  if (outcome.kind === 'report') return shelf.reports.keep(outcome.stored);
  noteSubject(response, { jobId: outcome.submitted.jobId });
  if (outcome.submitted.state === 'full') throw tooMuchWaits(job);
  return undefined;
}

function waitSecondsFor({ runs }: ProbeDesk, { spec, request }: Probing): number {
  const usual = waitSecondsOf(runs, spec, { waitS: undefined });
  const given = request.headers[timeoutField];
  if (typeof given !== 'string' || !/^\d{1,6}(?:\.\d{1,9})?$/.test(given)) return usual;
  return Math.max(0, Math.min(usual, Number(given) - timeoutMarginS));
}

/** Understands the request, or throws the Problem that names every fault; the rest is read as the tool's own GET is. */
function readProbe({ readAsk, site }: ProbeDesk, caller: Caller, request: Request): Probe {
  const raw = rawQueryOf(request);
  const module = new URLSearchParams(raw).get('module') ?? '';
  const spec = findSpec(module);
  if (!spec) throw refuse([{ in: 'query', name: 'module', detail: `Give one of: ${moduleNames}.` }]);
  const names = ['module', 'target', 'maxAge', ...Object.keys(spec.options.shape)];
  const query = readQuery(raw, names, spec.repeatable);
  const [maxAge = String(usualMaxAgeS)] = query.values.get('maxAge') ?? [];
  const faults: Fault[] = [...query.faults];
  if (!maxAgeText.test(maxAge))
    faults.push({ in: 'query', name: 'maxAge', detail: 'Give whole seconds from 0 to 31536000.' });
  if (!query.values.has('target'))
    faults.push({ in: 'query', name: 'target', detail: 'Give the domain or URL to check.' });
  if (faults.length > 0) throw refuse(faults);
  const ask = readAsk.orProblem(
    spec,
    { url: addressOf(spec, query), headers: {} },
    site.ownerOf(caller.account),
  );
  if (ask instanceof Problem) throw ask.code === 'tool_disabled' ? ask : asOfProbe(ask);
  return { spec, ask, maxAgeS: Number(maxAge) };
}

const moduleNames = catalogue.map(({ name }) => name).join(', ');

/** The address by which the tool is asked the same. */
function addressOf({ name, targetKind, options }: CheckSpec, { values }: Query): string {
  const [target = ''] = values.get('target') ?? [];
  const own = Object.keys(options.shape).flatMap((option) =>
    (values.get(option) ?? []).map((value): [string, string] => [option, value]),
  );
  const isUrl = targetKind === 'url';
  const query = new URLSearchParams(isUrl ? [['url', target], ...own] : own).toString();
  return `/api/tools/${name}${isUrl ? '' : `/${encodeURIComponent(target)}`}?${query}`;
}

/** The tool names its target by its own parameter. */
function asOfProbe(problem: Problem): Problem {
  const errors = (problem.errors ?? []).map((fault): Fault =>
    fault.name === 'url' || fault.name === 'domain' ? { ...fault, in: 'query', name: 'target' } : fault,
  );
  return new Problem(problem.code, describeFaults(errors), { errors });
}

function refuse(errors: readonly Fault[]): Problem {
  return new Problem('invalid_request', describeFaults(errors), { errors });
}
