import { asksWeb, partsOf } from '../catalogue/domain-health/parts.ts';
import { dnsQuestion, entryPointQuestions } from '../catalogue/domain-health/sources.ts';
import { categoryNames } from '../catalogue/domain-health/weights.ts';
import type { Job } from '../model/job.ts';
import type { Report } from '../model/report.ts';
import type { HealthEvidence, Source } from './evidence.ts';

/** A domain-health that was asked for. */
export type HealthQuestion = Pick<Job, 'target' | 'options'>;

/**
 * The evidence of a domain-health, of its stored parts: by what each report says that it is of.
 * @param reports in the order in which they came; the last one of a check counts
 * @param why what is said of a part that is not among them, without a full stop
 */
export function evidenceOf(
  { target: domain, options }: HealthQuestion,
  reports: readonly Report[],
  why: string,
): HealthEvidence {
  const parts = partsOf(options);
  const last = (check: string, target?: string) =>
    reports.findLast((report) => report.check === check && (target ?? nameOf(report)) === nameOf(report));
  const sourceOf = (report: Report | undefined): Source => (report ? { report } : { unavailable: why });
  const ssl = last('ssl-check');
  const headers = last('security-header-check');
  const page = last('pagespeed-check');
  const webHost = (ssl && nameOf(ssl)) ?? (headers && new URL(nameOf(headers)).hostname);
  const ways = asksWeb(parts) ? entryPointQuestions(domain) : [];
  return {
    domain,
    ...(parts.length < categoryNames.length ? { parts } : {}),
    ...(webHost === undefined ? {} : { webHost }),
    ...(page ? { pageUrl: nameOf(page) } : {}),
    dns: sourceOf(last(dnsQuestion(domain).spec.name, domain)),
    ssl: sourceOf(ssl),
    headers: sourceOf(headers),
    performance: sourceOf(page),
    ...(parts.includes('mail') ? { smtp: sourceOf(last('smtp-check')) } : {}),
    redirects: ways.map(({ target }) => ({ url: target, part: sourceOf(last('redirect-check', target)) })),
    previous: null,
  };
}

/** The domain or URL that a report is of. */
function nameOf({ target: { domain, url } }: Report): string {
  return String(domain ?? url);
}
