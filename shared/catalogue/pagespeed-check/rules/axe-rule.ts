import type { Severity } from '../../../model/verdict.ts';
import type { AuditRule } from './from-audits.ts';

type Told = Pick<AuditRule, 'title' | 'meaning' | 'fix'>;

/** A rule that axe decides, Lighthouse's engine for accessibility. Its id is the audit's. */
export function axe(audit: string, severity: Severity, told: Told): AuditRule {
  const references = [{ title: `axe: ${audit}`, url: `https://dequeuniversity.com/rules/axe/4.13/${audit}` }];
  return { audit, categories: ['accessibility'], severity, ...told, references };
}
