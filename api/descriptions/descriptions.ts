import type { Request, Response } from 'express';
import { invalidRequest } from '#shared/ask/question';
import { catalogue } from '#shared/catalogue/registry';
import type { CheckSpec } from '#shared/catalogue/spec';
import type { Caller } from '#shared/limits/caller';
import type { AccountQuotas } from '#shared/limits/kept';
import { resolveReference, templateOf } from '#shared/model/finding';
import { Problem, type ProblemCode, problems } from '#shared/model/problem';
import { checkFailed } from '#shared/model/report';
import type { Rule } from '#shared/model/verdict';
import type { CallerJobs, JobQueue } from '#shared/ports/job-queue';
import type { Quota } from '#shared/ports/rate-limiter';
import type { AnswerRequest } from '../answer/accept-json.ts';
import { sendJson } from '../answer/json.ts';
import { prepareJson, sendRepresentation } from '../answer/representation.ts';
import { admit } from '../request/admit.ts';
import { readOwnQuery } from '../request/read-query.ts';
import type { Services } from '../services.ts';
import { openapiOf } from './document.ts';
import { makeReportSchema } from './report-schema.ts';

type Guarded = Pick<Services, 'limits'>;

/** Answers /api/me: who the caller is, what is left of each quota, and the jobs that run and wait. */
export async function answerMe(
  { limits, jobs, accountQuotas }: Guarded & Pick<Services, 'jobs' | 'accountQuotas'>,
  request: Request,
  response: Response,
): Promise<void> {
  const caller = await admit(limits, request, response, 'anyone');
  readOwnQuery(request, []);
  const [left, unfinished, quotas] = await Promise.all([
    limits.quotas.look(caller),
    jobsOf(jobs.jobQueue, caller),
    quotasOf(accountQuotas, caller),
  ]);
  const describe = (name: Quota['policy']) => ({
    limit: caller.quotas[name].points,
    windowSeconds: caller.quotas[name].windowS,
    remaining: left[name].remaining,
    resetSeconds: left[name].resetS,
  });
  response.setHeader('Cache-Control', 'no-store');
  const costs = Object.fromEntries(catalogue.map((spec) => [spec.name, spec.cost({})]));
  sendJson(response, {
    kind: caller.kind,
    ...(caller.name === undefined ? {} : { name: caller.name }),
    scopes: caller.scopes,
    limited: limits.quotas.isOn,
    limits: { requests: describe('requests'), scans: describe('scans'), writes: describe('writes') },
    ...(quotas === undefined ? {} : { quotas }),
    ...(unfinished === undefined ? {} : { jobs: unfinished }),
    costs,
  });
}

/** What the account of a token has of each thing that it may make; undefined without a token, and while the store is away. */
async function quotasOf(all: Services['accountQuotas'], { kind, account }: Caller) {
  if (kind === 'anonymous') return undefined;
  try {
    return Object.assign({}, ...(await Promise.all(all.map((quotas) => quotas(account))))) as Awaited<
      ReturnType<AccountQuotas>
    >;
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}

// The caller's identity is reported even while the queue is unavailable.
function jobsOf(jobQueue: JobQueue, { id, levels }: Caller): Promise<CallerJobs | undefined> {
  return jobQueue.jobsOf({ caller: id, levels }).catch((error: unknown) => {
    if (error instanceof Problem) return undefined;
    throw error;
  });
}

/** Answers /api/findings: every rule of every check, or of the one that `check` names. */
export async function answerFindings(
  { limits }: Guarded,
  request: Request,
  response: Response,
): Promise<void> {
  await admit(limits, request, response, 'anyone');
  const { check } = readOwnQuery(request, ['check']);
  const listed = check === undefined ? everyFinding : findingsOf.get(check);
  if (!listed)
    throw invalidRequest([
      { in: 'query', name: 'check', detail: `Give one of: ${[...findingsOf.keys()].join(', ')}.` },
    ]);
  await sendRepresentation(request, response, listed(), lasting);
}

/** Makes what answers /openapi.json: the document of this service, with its own address and its mode. */
export function answerOpenapiOf({ limits, site }: Pick<Services, 'limits' | 'site'>): AnswerRequest {
  const document = prepareJson(() => openapiOf(site));
  return async (request, response) => {
    await admit(limits, request, response, 'anyone');
    await sendRepresentation(request, response, document(), lasting);
  };
}

/** Makes what answers /schemas/{check}/1.json: the JSON Schema of a check's report. */
export function answerSchemaOf({ limits, site }: Pick<Services, 'limits' | 'site'>): AnswerRequest {
  const schemas = new Map(
    catalogue.map((spec) => [spec.name, prepareJson(() => makeReportSchema(spec, site.publicPath))]),
  );
  return async (request, response) => {
    await admit(limits, request, response, 'anyone');
    readOwnQuery(request, []);
    const check = String(request.params['check']);
    const schema = schemas.get(check);
    if (!schema)
      throw new Problem(
        'not_found',
        `There is no check "${check.slice(0, 60)}". There are: ${[...schemas.keys()].join(', ')}.`,
      );
    await sendRepresentation(request, response, schema(), lasting);
  };
}

/** Answers /problems/{code}: what an error means and what to do, as JSON. */
export async function answerProblemPage(
  { limits }: Guarded,
  request: Request,
  response: Response,
): Promise<void> {
  await admit(limits, request, response, 'anyone');
  const code = String(request.params['code']);
  if (!Object.hasOwn(problems, code))
    throw new Problem(
      'not_found',
      `There is no problem "${code.slice(0, 60)}". There are: ${Object.keys(problems).join(', ')}.`,
    );
  const { status, title, help } = problems[code as ProblemCode];
  response.setHeader('Cache-Control', 'public, max-age=3600');
  sendJson(response, { code, status, title, help });
}

const lasting = ['Cache-Control', 'public, max-age=300'];

// Made when first asked for, as most processes never are.
const everyFinding = prepareJson(() => ({ findings: catalogue.flatMap(describeRules) }));
const findingsOf = new Map(
  catalogue.map((spec) => [spec.name, prepareJson(() => ({ findings: describeRules(spec) }))]),
);

function describeRules({ name, rules, why }: CheckSpec) {
  return [...Object.entries(rules), [checkFailed.code, checkFailed as Rule] as const].map(
    ([code, { severity, title, detail, fix, references, part, points, replaces }]) => ({
      code,
      check: name,
      ...(part === undefined ? {} : { part }),
      severity,
      points,
      title,
      detail: templateOf(detail),
      why: why[code] ?? null,
      fix,
      references: references.map(resolveReference),
      ...(replaces === undefined ? {} : { replaces }),
    }),
  );
}
