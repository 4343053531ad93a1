import type { Response } from 'express';
import type { Answer, Later } from '#shared/ask/ask';
import { grantReport, partIdsIn } from '#shared/ask/grant-report';
import { invalidRequest, type Question, type Questions } from '#shared/ask/question';
import { questionOfSource } from '#shared/ask/source-question';
import { codeToday } from '#shared/catalogue/change';
import { plainQuestion } from '#shared/catalogue/domain-health/sources';
import { findSpec } from '#shared/catalogue/registry';
import { judgeAgain } from '#shared/health/judge-again';
import type { Caller } from '#shared/limits/caller';
import { freshnessOf } from '#shared/model/freshness';
import { randomId } from '#shared/model/job';
import { Problem } from '#shared/model/problem';
import type { Report } from '#shared/model/report';
import { partFindingsOf } from '#shared/render/health';
import { readReport } from '#shared/stores/reports/read-report';
import type { ReadyReport, Reports } from '../answer/ready-report.ts';
import type { Site } from '../answer/site.ts';
import { askAsCaller, type Jobs } from './ask-as-caller.ts';

/** What making one check of a domain-health again takes. */
export type RecheckServices = {
  readonly jobs: Jobs;
  readonly questions: Questions;
  readonly reports: Reports;
  readonly site: Pick<Site, 'publicPath'>;
};

/** A finding of the newest domain-health of a domain, whose check is to be made again. */
export type Rechecked = {
  /** Of the domain-health. */
  readonly question: Question;
  readonly code: string;
  /** Seconds; 0: not at all. */
  readonly waitS: number;
  readonly mayStart?: boolean;
};

/** A domain-health that was judged again, or the run of the check that is waited for. */
export type RecheckAnswer =
  | {
      readonly kind: 'report';
      readonly report: ReadyReport;
      readonly via: Extract<Answer<ReadyReport>, { kind: 'report' }>['via'];
    }
  | ({ readonly kind: 'later' } & Later)
  | { readonly kind: 'none' };

/**
 * Makes what found something again (one check, or the few that find the same), each at its own cost and under its own floor, and judges the
 * domain-health again from its stored parts. Where none of them may be asked again yet, the newest report is the answer.
 */
export async function recheck(
  services: RecheckServices,
  from: { readonly caller: Caller; readonly response: Response },
  { question, code, waitS, mayStart = true }: Rechecked,
): Promise<RecheckAnswer> {
  if (!services.reports.reportIds) throw noParts();
  const newest = { since: 0, orFresh: true };
  const known = await askAsCaller(services, from, { question, freshness: newest, waitS: 0, mayStart: false });
  if (known.kind !== 'report') throw nothingKnown(code);
  const health = readReport({ json: known.report.identity });
  // A report of an earlier release may have it under another name.
  const isMeant = (one: { readonly check: string; readonly code: string }) =>
    codeToday(one.check, one.code) === codeToday(one.check, code);
  const found = partFindingsOf(health).filter(isMeant);
  if (found.length === 0) {
    const { recheck: last } = health as { readonly recheck?: { readonly code?: string } };
    if (last?.code === code) return known;
    throw nothingKnown(code);
  }
  const parts = new Map(found.map(({ check, target }) => [`${check} ${target}`, { check, target }]));
  const answers = await Promise.all(
    [...parts.values()].map((named) => {
      const part = questionOf(services, named, question);
      const freshness = freshnessOf(part.spec, 0, Date.now());
      return askAsCaller(services, from, { question: part, freshness, waitS, mayStart });
    }),
  );
  const newer: ReadyReport[] = [];
  for (const answer of answers)
    if (answer.kind === 'report') newer.push(answer.report);
    else return answer;
  const report = await judgeWith(services, { known: known.report, health, question, code }, newer);
  await grantReport(services.reports, from.caller.account, report);
  return { kind: 'report', report, via: 'stored' };
}

/** What a caller learns where the parts of a domain-health cannot be found again. */
function noParts(): Problem {
  return new Problem(
    'report_not_found',
    'Its parts are not stored here any more, so it cannot be judged again. Ask with fresh=1.',
  );
}

function nothingKnown(code: string): Problem {
  const detail = `Its newest report has no finding ${code} of a check that could be made again. Ask without recheck.`;
  return invalidRequest([{ in: 'query', name: 'recheck', detail }]);
}

/** The question that a domain-health asks of one of its parts. */
function questionOf(
  { questions }: RecheckServices,
  { check, target }: { readonly check: string; readonly target: string },
  { owner }: Question,
): Question {
  const spec = findSpec(check);
  if (!spec) throw new Error(`${check} is in the catalogue`);
  return questionOfSource(questions, plainQuestion(spec, target), owner);
}

type Before = {
  readonly known: ReadyReport;
  readonly health: Report;
  readonly question: Question;
  readonly code: string;
};

async function judgeWith(
  { reports, site }: RecheckServices,
  { known, health, question, code }: Before,
  made: readonly ReadyReport[],
): Promise<ReadyReport> {
  const ids = partIdsIn(known);
  // As in the report: they may not be asked again yet.
  if (made.every(({ reportId }) => ids.includes(reportId))) return known;
  const { reportStore, remembered } = reports;
  const found = await Promise.all(ids.map((id) => reportStore.get(id)));
  const stored = found.filter((one) => one !== undefined);
  if (stored.length < ids.length) throw noParts();
  const newer = made.map(({ identity }) => readReport({ json: identity }));
  const parts = [...stored.map(readReport), ...newer];
  const reportId = randomId();
  const { publicPath } = site;
  const report = judgeAgain({ health, question, parts, newer, code, reportId, publicPath });
  const { jobKey, options } = question;
  // Everybody's only where all that it is made of is.
  const sources = await Promise.all([known, ...made].map((one) => reportStore.get(one.reportId)));
  const isAnonymous = sources.every((one) => one?.isOpen === true);
  const kept = await reportStore.insert(report, {
    reportId,
    jobId: randomId(),
    jobKey,
    isAnonymous,
    options,
  });
  return remembered.keep(kept);
}
