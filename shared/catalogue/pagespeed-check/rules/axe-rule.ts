import type { Severity } from '../../../model/verdict.ts';
import type { AuditRule, AuditText } from './from-audits.ts';

/** A rule that axe decides, Lighthouse's engine for accessibility. Its id is the audit's. */
export function axe(audit: string, severity: Severity, text: AuditText): AuditRule {
  const references = [{ title: `axe: ${audit}`, url: `https://dequeuniversity.com/rules/axe/4.13/${audit}` }];
  return { audit, categories: ['accessibility'], severity, ...text, references };
}
