import type { Job } from '../../model/job.ts';
import { makeFailedReport, makeReport, type Report, type ReportFacts } from '../../model/report.ts';
import { type CheckSpec, freshForOtherS } from '../spec.ts';
import { internalCheck } from './internal-check.ts';
import { visitQuestions } from './sources.ts';

/** The internal job that visits a domain for all its network checks. It has no endpoint; its own report only says that the visit has ended. */
export const domainVisit: CheckSpec = {
  name: 'domain-visit',
  summary: 'Asks a domain everything at once, for domain-health.',
  ...internalCheck,
  freshForS: 1,
  refreshFloorS: 0,
  rulesVersion: visitQuestions('example.com', 'example.com').reduce(
    (sum, { spec }) => sum + spec.rulesVersion,
    0,
  ),
};

/** Of a visit's options those that are its question: which parts it looks at. The others say how old a report may be. */
export function questionOfVisit({ parts }: Job['options']): Job['options'] {
  return parts === undefined ? {} : { parts };
}

/** Only those who wait for the visit read its report, and a second attempt after a kill. */
const visitKeptForS = 300;

type VisitTimes = { readonly nowMs: number; readonly durationMs: number };

/** The report of a visit that has ended. */
export function visitReport(job: Job, webHost: string, { nowMs, durationMs }: VisitTimes): Report {
  const facts = { ...factsOf(job, nowMs, domainVisit.freshForS), durationMs };
  return makeReport(facts, { state: 'complete', verdicts: {}, score: null, fields: { webHost } });
}

/** The report of a visit that did not finish. domain-health reads it, and starts no other visit for a while. @param nowMs by the shared clock */
export function failedVisit(job: Job, nowMs: number): Report {
  return makeFailedReport(
    factsOf(job, nowMs, freshForOtherS.failed),
    'The visit was broken off before it could end.',
  );
}

function factsOf({ target }: Job, checkedAtMs: number, freshForS: number): ReportFacts {
  return {
    check: domainVisit.name,
    target: { domain: target },
    rules: {},
    rulesVersion: domainVisit.rulesVersion,
    reportId: undefined,
    checkedAtMs,
    durationMs: 0,
    freshForS,
    keepForS: visitKeptForS,
  };
}
