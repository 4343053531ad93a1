import type { HealthFields } from '../../catalogue/domain-health/report.ts';
import type { CategoryName } from '../../catalogue/domain-health/weights.ts';
import type { Category } from '../facts/categories.ts';
import type { MailHosts } from '../facts/mail-hosts.ts';

/** The report's `categories`. */
export function reportCategory(
  { state, score, grade, weight, summary, reason, findings, notTested, link, mailHosts }: Category,
  publicPath = '',
): HealthFields['categories'][CategoryName] {
  return {
    state,
    score,
    grade,
    weight,
    summary,
    ...(reason === '' ? {} : { reason }),
    codes: findings.map(({ code }) => code).sort(),
    ...(score === null || notTested.length === 0 ? {} : { notTested: [...notTested] }),
    report: { ...link, href: publicPath + link.href },
    ...(mailHosts ? { mailHosts: reportMailHosts(mailHosts, publicPath) } : {}),
  };
}

function reportMailHosts({ reason, link }: MailHosts, publicPath: string) {
  return {
    ...(reason === '' ? {} : { reason }),
    ...(link ? { report: { ...link, href: publicPath + link.href } } : {}),
  };
}
