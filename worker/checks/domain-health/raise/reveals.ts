import { pagespeedCheck } from '#shared/catalogue/pagespeed-check/spec';
import { connectionRules } from '#shared/catalogue/ssl-check/rules/connection';

/**
 * Findings that keep something from being looked at, or whose fix brings something new that is judged in its turn: a page behind an error, the
 * rest of an SPF record behind a term that cannot be read, a policy that is yet to be written. What comes after the fix is not known.
 */
export const revealing: ReadonlySet<string> = new Set([
  ...Object.keys(connectionRules),
  ...codesOfPart('page'),
  ...[
    'domain-not-found',
    'lookup-failed',
    'apex-cname',
    'cname-dangling',
    'cname-loop',
    'address-not-public',
  ],
  ...['ns-none-answers', 'ns-silent', 'ns-type-failed', 'ns-lame', 'ns-without-address'],
  ...['ns-address-not-public', 'ns-cname-target', 'ns-parent-child-disjoint', 'ns-glue-missing'],
  ...['dnssec-bogus', 'dnssec-ds-without-key', 'dnssec-signature-invalid', 'dnssec-denial-invalid'],
  ...['dnssec-unsigned', 'dnssec-ds-missing'],
  ...['spf-record-lookup-failed', 'spf-lookup-failed', 'spf-multiple', 'spf-record-ignored', 'spf-syntax'],
  ...['spf-include-syntax', 'spf-include-missing', 'spf-redirect-missing', 'spf-loop'],
  ...['dmarc-lookup-failed', 'dmarc-alias-dangling', 'dmarc-multiple', 'dmarc-record-ignored'],
  ...['dmarc-duplicate-tag', 'dmarc-no-effect', 'dmarc-policy-fallback', 'dmarc-wrong-place'],
  ...['dkim-none-possible', 'dkim-selector-missing', 'dkim-syntax', 'dkim-key-invalid', 'dkim-multiple'],
  ...['dkim-alias-dangling', 'dkim-key-type-unknown'],
  ...['mx-lookup-failed', 'mx-none-reachable', 'mx-no-address', 'mx-private-address', 'mx-address-literal'],
  ...['mx-name-invalid', 'mx-alias', 'mx-null-mixed', 'mx-single', 'mx-implicit', 'mx-null-missing'],
  ...['mta-sts-missing', 'mta-sts-alias-dangling', 'mta-sts-multiple', 'mta-sts-record-syntax'],
  ...['mta-sts-policy-unreachable', 'mta-sts-certificate', 'mta-sts-redirect', 'mta-sts-policy-invalid'],
  ...['mta-sts-record-missing', 'mta-sts-mode-none'],
  ...['tls-rpt-multiple', 'tls-rpt-syntax', 'dane-unusable', 'dane-bad-length', 'dane-without-dnssec'],
  ...['tls-missing', 'handshake-not-completed', 'chain-too-large', 'browsers-cannot-connect'],
  ...['endpoint-unreachable', 'client-certificate-requested'],
  ...['target-unreachable', 'target-address-not-allowed', 'target-not-allowed', 'target-blocks-checks'],
  ...['target-error-status', 'target-no-document', 'https-missing', 'https-downgrade', 'redirect-no-page'],
  ...['redirect-loop', 'redirect-too-many', 'location-invalid', 'location-scheme-not-allowed'],
  ...['csp-missing', 'csp-report-only', 'csp-meta-not-in-head'],
  ...['web-server-missing', 'entry-points-all-broken', 'entry-point-broken', 'entry-point-error-status'],
  ...['page-not-seen', 'coverage-incomplete'],
]);

/** What a fix leaves behind, done as it says: DMARC begins with p=none, and HSTS without the subdomains, which nobody has looked at. */
export const leftBehind: { readonly [code: string]: readonly string[] } = {
  'dmarc-missing': ['dmarc-policy-none'],
  'hsts-missing': ['hsts-no-subdomains'],
  'hsts-off': ['hsts-no-subdomains'],
  'hsts-invalid': ['hsts-no-subdomains'],
};

function codesOfPart(part: string): readonly string[] {
  return Object.entries(pagespeedCheck.rules)
    .filter(([, rule]) => rule.part === part)
    .map(([code]) => code);
}
