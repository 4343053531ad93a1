import type { Request, Response } from 'express';
import { findSpec } from '#shared/catalogue/registry';
import { anonymousAccount } from '#shared/model/grant';
import { type InputError, Problem, type ProblemCode } from '#shared/model/problem';
import { type Badge, drawBadge } from '#shared/render/html/charts';
import { newestLookedAt, newestWhole } from '#shared/stores/reports/with-history';
import { parseDomain, tellFault } from '#shared/targets/parse-target';
import { represent, sendRepresentation } from '../answer/representation.ts';
import { admit } from '../request/admit.ts';
import { decodeSegment, readOwnQuery } from '../request/read-query.ts';
import { mainCheck, type PageServices } from './page-services.ts';
import { usualQuestion } from './tool-page.ts';

/** What a caller's own label may say: 40 characters that a line of text can have. The OpenAPI document has the same. */
export const labelText = /^[^\x00-\x1f\x7f-\x9f]{1,40}$/u;

/** Answers /api/badge/{domain}.svg: the grade of the newest domain-health that was given to a caller without a token. Never starts a check. */
export async function answerBadge(
  services: PageServices,
  request: Request,
  response: Response,
): Promise<void> {
  await admit(services.limits, request, response, 'anyone');
  const { label = 'domain health' } = readOwnQuery(request, ['label']);
  if (!labelText.test(label))
    throw refuse({
      in: 'query',
      name: 'label',
      detail: 'It is longer than 40 characters, or has control characters.',
    });
  const grade = await findGrade(services, readDomain(services, request));
  const svg = represent(Buffer.from(drawBadge({ label, ...grade })), 'image/svg+xml');
  // Read pages of other sites show it.
  response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
  response.setHeader('Content-Security-Policy', "default-src 'none'; sandbox");
  await sendRepresentation(request, response, svg, ['Cache-Control', 'public, max-age=300']);
}

function readDomain({ targetPolicy }: PageServices, { path }: Request): string {
  const file = decodeSegment(path.split('/').at(-1) ?? '') ?? '';
  if (!file.endsWith('.svg'))
    throw refuse({ in: 'path', name: 'domain', detail: 'Write it with .svg at its end.' });
  const parsed = parseDomain(file.slice(0, -'.svg'.length), targetPolicy);
  if (!parsed.ok)
    throw refuse(
      { in: 'path', name: 'domain', detail: tellFault(parsed.fault) },
      parsed.fault.kind === 'refused' ? 'target_not_allowed' : 'invalid_request',
    );
  return parsed.value;
}

async function findGrade(services: PageServices, domain: string): Promise<Omit<Badge, 'label'>> {
  const { reports, site } = services;
  const { reportStore } = reports;
  if (site.reportIds) {
    const question = {
      account: anonymousAccount,
      check: mainCheck,
      target: domain,
      options: 'plain',
      limit: newestLookedAt,
    } as const;
    const grant = await newestWhole(reportStore, await reportStore.grants.list(question));
    return { grade: grant?.grade ?? null, score: grant?.score ?? null };
  }
  // Without ids nothing is written of who was given what: only a report made for a caller without a token is public.
  const spec = findSpec(mainCheck);
  if (!spec) throw new Error('domain-health is in the catalogue');
  const question = usualQuestion(services, spec, domain, { account: anonymousAccount });
  const { jobKey } = question;
  const wanted = { since: 0, orFresh: true };
  const found = (await reportStore.findFresh([{ jobKey, wanted }])).get(jobKey);
  return { grade: found?.isOpen ? found.grade : null, score: found?.isOpen ? found.score : null };
}

function refuse(fault: InputError, code: ProblemCode = 'invalid_request'): Problem {
  return new Problem(code, `${fault.name}: ${fault.detail}`, { errors: [fault] });
}
