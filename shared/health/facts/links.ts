import type { CategoryName } from '../../catalogue/domain-health/weights.ts';
import type { Report } from '../../model/report.ts';
import type { HealthEvidence } from '../evidence.ts';

/** What the sources were asked about. */
export type LinkTargets = Pick<HealthEvidence, 'domain' | 'webHost' | 'pageUrl'>;

/** Where a source's own report can be read. `href` is a path from the service's root. */
export type SourceLink = {
  readonly check: string;
  readonly target: string;
  readonly href: string;
  readonly reportId?: string;
  readonly checkedAt?: string;
  readonly rulesVersion?: number;
};

/** What a source is asked about: a domain in the path, or a URL in the query. */
export type Question = {
  readonly check: string;
  readonly target: { readonly domain: string } | { readonly url: string };
};

/** The check that gives each category, and what it was asked. */
export function questionOf(
  category: CategoryName,
  { domain, webHost = domain, pageUrl = `https://${webHost}/` }: LinkTargets,
): Question {
  switch (category) {
    case 'dns':
    case 'mail':
      return { check: 'dns-check', target: { domain } };
    case 'ssl':
      return { check: 'ssl-check', target: { domain: webHost } };
    case 'headers':
      return { check: 'security-header-check', target: { url: `https://${webHost}/` } };
    case 'performance':
      return { check: 'pagespeed-check', target: { url: pageUrl } };
  }
}

/** Links to a source's report; what the report says of its target comes before what was asked. */
export function linkTo(question: Question, shown: Report | null): SourceLink {
  const target = shown ? targetOf(shown, question) : question.target;
  const isDomain = 'domain' in target;
  const path = isDomain ? `/${encodeURIComponent(target.domain)}` : `?url=${encodeURIComponent(target.url)}`;
  return {
    check: question.check,
    target: isDomain ? target.domain : target.url,
    href: `/api/tools/${question.check}${path}`,
    ...(shown?.reportId === undefined ? {} : { reportId: shown.reportId }),
    ...(shown ? { checkedAt: shown.checkedAt, rulesVersion: shown.rulesVersion } : {}),
  };
}

function targetOf({ target }: Report, question: Question): Question['target'] {
  const { domain, url } = target;
  if (typeof domain === 'string') return { domain };
  return typeof url === 'string' ? { url } : question.target;
}
