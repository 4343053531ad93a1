import { mailRules } from '#shared/catalogue/dns-check/mail/rules';
import { halfOf } from '#shared/health/facts/dns-halves';
import { readDnsFields } from '#shared/health/facts/fields';
import type { Report } from '#shared/model/report';

/** The mail half of a dns-check as a report of its own; the whole, where an earlier release made it. */
export function mailOf(report: Report): Report {
  const fields = report.check === 'dns-check' ? readDnsFields(report) : null;
  if (!fields) return report;
  const { score, grade, findings, notTested, summary } = halfOf('mail', report, fields);
  const passed = report.passed.filter((code) => Object.hasOwn(mailRules, code));
  return { ...report, score, grade, findings: [...findings], notTested: [...notTested], passed, summary };
}
