import type { Request, Response } from 'express';
import type { Caller } from '#shared/limits/caller';
import type { Comparison } from '#shared/model/comparison';
import { describeFaults, type InputError, Problem } from '#shared/model/problem';
import { renderComparisonCsv } from '#shared/render/csv';
import { readReport } from '#shared/stores/reports/read-report';
import { newestLookedAt, newestWhole, readOutlines } from '#shared/stores/reports/with-history';
import { parseDomain, type TargetPolicy, tellFault } from '#shared/targets/parse-target';
import { sendJson } from '../answer/json.ts';
import { takesJson } from '../answer/representation.ts';
import type { ReportServices } from '../reports/readable.ts';
import { rawQueryOf, readQuery } from '../request/read-query.ts';
import { type ComparedReport, compareReports } from './compare-reports.ts';
import { listSeen } from './seen.ts';

const comparedCheck = 'domain-health';
const mostDomains = 10;

/** Answers /api/compare?domain=&domain=: the newest reports of two to ten domains side by side. Starts nothing. */
export async function answerCompare(
  services: ReportServices,
  caller: Caller,
  request: Request,
  response: Response,
): Promise<void> {
  const { domains, format } = readCompared(rawQueryOf(request), services.targetPolicy);
  if (format === 'json' && !takesJson(request.headers.accept))
    throw new Problem('not_acceptable', 'Send Accept: application/json, or none; or ask for format=csv.');
  const comparison = await compareDomains(services, caller, domains);
  response.setHeader('Cache-Control', 'private, no-cache');
  if (format === 'json') return sendJson(response, comparison);
  response.setHeader('Content-Type', 'text/csv; charset=utf-8; header=present');
  response.end(request.method === 'HEAD' ? undefined : renderComparisonCsv(comparison));
}

/** The newest reports of these domains that the caller may see, row by row. */
export async function compareDomains(
  services: Pick<ReportServices, 'reports' | 'site'>,
  caller: Caller,
  domains: readonly string[],
): Promise<Comparison> {
  const compared: ComparedReport[] = [];
  for (const domain of domains) compared.push(await findCompared(services, caller, domain));
  return compareReports(compared);
}

async function findCompared(
  { reports, site }: Pick<ReportServices, 'reports' | 'site'>,
  caller: Caller,
  domain: string,
): Promise<ComparedReport> {
  const href = `${site.publicPath}/api/tools/${comparedCheck}/${domain}`;
  const question = { check: comparedCheck, target: domain, options: 'plain', limit: newestLookedAt } as const;
  const seen = await listSeen({ reports, site }, caller, domain, question);
  const grant = await newestWhole(reports.reportStore, seen);
  const stored = grant && (await reports.reportStore.get(grant.reportId));
  if (!stored) return { domain, href };
  const outline = (await readOutlines(reports.reportStore, [stored.reportId])).get(stored.reportId);
  return { domain, href, report: readReport(stored), reportId: stored.reportId, outline };
}

type CompareRequest = { readonly domains: readonly string[]; readonly format: 'json' | 'csv' };

/** Reads the query. Throws the Problem that names every fault. */
export function readCompared(raw: string, policy: TargetPolicy): CompareRequest {
  const { values, faults } = readQuery(raw, ['domain', 'format'], ['domain']);
  const [format = 'json'] = values.get('format') ?? [];
  const read = readDomains(values.get('domain') ?? [], policy);
  const malformed = [...faults, ...read.malformed];
  if (format !== 'json' && format !== 'csv')
    malformed.push({ in: 'query', name: 'format', detail: 'Give json or csv.' });
  throwFor('invalid_request', malformed);
  throwFor('target_not_allowed', read.refused);
  return { domains: read.domains, format: format === 'csv' ? 'csv' : 'json' };
}

function throwFor(code: 'invalid_request' | 'target_not_allowed', errors: readonly InputError[]): void {
  if (errors.length > 0) throw new Problem(code, describeFaults(errors), { errors });
}

function readDomains(texts: readonly string[], policy: TargetPolicy) {
  const parsed = texts.slice(0, mostDomains + 1).map((text) => parseDomain(text, policy));
  const faults = parsed.flatMap((one) => (one.ok ? [] : [one.fault]));
  const domains = [...new Set(parsed.flatMap((one) => (one.ok ? [one.value] : [])))];
  const ofKind = (kind: 'malformed' | 'refused') =>
    faults.filter((fault) => fault.kind === kind).map((fault) => faultOf(tellFault(fault)));
  const isCount = faults.length > 0 || (domains.length >= 2 && domains.length <= mostDomains);
  const malformed = isCount ? ofKind('malformed') : [faultOf('Give two to ten different domains.')];
  return { domains, malformed, refused: ofKind('refused') };
}

function faultOf(detail: string): InputError {
  return { in: 'query', name: 'domain', detail };
}
