import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';
import { catalogue } from '../shared/catalogue/registry.ts';
import { resolveReference } from '../shared/model/finding.ts';
import { Problem, type ProblemCode, problems } from '../shared/model/problem.ts';
import { admit } from './admit.ts';
import { sendJson } from './answer.ts';
import type { Desk } from './desk.ts';
import { makeOpenapi } from './openapi.ts';
import { readOwnQuery } from './read-query.ts';

/** Answers /api/me: who the caller is, and what is left of each quota. */
export async function answerMe(desk: Desk, request: Request, response: Response): Promise<void> {
  const caller = await admit(desk, request, response, 'anyone');
  readOwnQuery(request, []);
  const left = await desk.quotas.look(caller);
  const describe = (name: 'requests' | 'scans') => ({
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
    limits: { requests: describe('requests'), scans: describe('scans') },
    costs,
  });
}

/** Answers /api/findings: every rule of every check. */
export async function answerFindings(desk: Desk, request: Request, response: Response): Promise<void> {
  await admit(desk, request, response, 'anyone');
  readOwnQuery(request, []);
  sendPrepared(request, response, findings);
}

/** Answers /openapi.json. */
export async function answerOpenapi(desk: Desk, request: Request, response: Response): Promise<void> {
  await admit(desk, request, response, 'anyone');
  sendPrepared(request, response, openapi);
}

/** Answers /problems/{code}: what an error means and what to do, as JSON. */
export function answerProblemPage(request: Request, response: Response): void {
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

type Prepared = () => { readonly bytes: Buffer; readonly etag: string };

// Made when first asked for, as most processes never are.
const findings = prepare(() => ({
  findings: catalogue.flatMap(({ name, rules }) =>
    Object.entries(rules).map(([code, { severity, title, detail, fix, references, part, points }]) => ({
      code,
      check: name,
      ...(part === undefined ? {} : { part }),
      severity,
      points,
      title,
      detail,
      fix,
      references: references.map(resolveReference),
    })),
  ),
}));
const openapi = prepare(makeOpenapi);

function prepare(make: () => unknown): Prepared {
  let made: ReturnType<Prepared> | undefined;
  return () => {
    if (!made) {
      const bytes = Buffer.from(JSON.stringify(make()));
      made = { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"` };
    }
    return made;
  };
}

function sendPrepared(request: Request, response: Response, prepared: Prepared): void {
  const { bytes, etag } = prepared();
  response.setHeader('Cache-Control', 'public, max-age=300');
  response.setHeader('ETag', etag);
  if (request.headers['if-none-match']?.includes(etag)) {
    response.statusCode = 304;
    response.end();
    return;
  }
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', bytes.length);
  response.end(request.method === 'HEAD' ? undefined : bytes);
}
