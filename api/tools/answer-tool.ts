import type { IncomingMessage } from 'node:http';
import type { Response } from 'express';
import { notCached } from '#shared/ask/ask';
import { domainHealth } from '#shared/catalogue/domain-health/spec';
import type { CheckSpec } from '#shared/catalogue/spec';
import { freshnessOf } from '#shared/model/freshness';
import { Problem } from '#shared/model/problem';
import { sendReport } from '../answer/ready-report.ts';
import { askAsCaller, waitSecondsOf } from '../ask/ask-as-caller.ts';
import { recheck } from '../ask/recheck.ts';
import { crossSiteRequest } from '../origins/other-site.ts';
import { admit } from '../request/admit.ts';
import type { Services } from '../services.ts';
import { sendLater } from './later.ts';

type ToolServices = Pick<
  Services,
  'telemetry' | 'origins' | 'limits' | 'questions' | 'readAsk' | 'reports' | 'jobs' | 'readSoFar' | 'site'
>;

/** Answers a GET of a tool: a report, or 202 and where to ask for it. Gives the Problem of an address that is not valid. */
export async function answerTool(
  services: ToolServices,
  spec: CheckSpec,
  request: IncomingMessage,
  response: Response,
): Promise<Problem | void> {
  const { telemetry, origins, limits, readAsk, jobs, site } = services;
  const caller = await admit(limits, request, response, 'tools');
  const asked = readAsk(spec, request, site.ownerOf(caller.account));
  if (asked instanceof Problem) return asked;
  const { question, age, applied } = asked;
  // A token is never sent for another site's page: that takes a preflight, and CORS decides.
  const isUnasked = caller.kind === 'anonymous' && origins.isFromOtherSite(request.headers);
  const waitS = waitSecondsOf(jobs, spec, asked.waitS);
  const mayStart = !age.onlyIfCached && !isUnasked;
  const from = { caller, response };
  const answer =
    asked.recheck !== undefined && spec.name === domainHealth.name
      ? await recheck(services, from, { question, code: asked.recheck, waitS, mayStart })
      : await askAsCaller(services, from, {
          question,
          freshness: freshnessOf(spec, age.maxAgeS, Date.now()),
          waitS,
          mayStart,
        });
  if (answer.kind === 'none') throw age.onlyIfCached ? notCached() : crossSiteRequest();
  if (answer.kind === 'later') return sendLater(response, services, { caller, later: answer, applied });
  const { report: ready, via } = answer;
  telemetry.metrics?.cacheLookup(via);
  const isOwnFreshness = age.maxAgeS !== undefined;
  const isPublic = site.isOpen && caller.kind === 'anonymous';
  await sendReport(request, response, { ready, via, isOwnFreshness, isPublic });
}
