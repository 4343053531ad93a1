import { certificateRules } from '#shared/catalogue/ssl-check/rules/certificate';
import type { Finding } from '#shared/model/finding';
import type { Report } from '#shared/model/report';
import type { Category } from './categories.ts';
import { readTrust } from './fields.ts';
import type { SourceFacts } from './source.ts';
import type { WebFacts } from './web.ts';

/** What is asked to tell TLS that fails. */
export type TlsFacts = { readonly ssl: SourceFacts; readonly web: WebFacts };

/**
 * True where TLS was spoken, is graded F, and that concerns the clients of today: what they are shown is not trusted, or something else than a
 * certificate is grave. A certificate that only others are shown (with an RSA key, beside a good one with ECDSA) turns away these alone.
 */
export function hasFailedTls(
  { grade }: Pick<Category, 'grade'>,
  { ssl: { report }, web }: TlsFacts,
): boolean {
  if (grade !== 'F' || web.tlsRefusal !== null || report === null) return false;
  const isOfToday = ({ code }: Finding) => !Object.hasOwn(certificateRules, code);
  return readTrust(report) !== true || graveFindings(report).some(isOfToday);
}

/** The findings that ssl-check calls critical or high. */
export function graveFindings({ findings }: Report): readonly Finding[] {
  return findings.filter(({ severity }) => severity === 'critical' || severity === 'high');
}
