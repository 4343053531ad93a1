/** The categories of Lighthouse that can be asked for, in the order in which reports name them. */
export const categoryNames = [
  'performance',
  'accessibility',
  'best-practices',
  'seo',
  'agentic-browsing',
] as const;
export type CategoryName = (typeof categoryNames)[number];

/** What stands for all of them. */
export const allCategories = 'all';

/** A text of the parameter `category`: names with commas between them. */
export const categoryText = new RegExp(
  `^(?:${[...categoryNames, allCategories].join('|')})(?:,(?:${[...categoryNames, allCategories].join('|')}))*$`,
);

/** The categories that such texts name, each once, in the order of the table. */
export function expandCategories(texts: readonly string[]): CategoryName[] {
  const named = new Set(texts.flatMap((text) => text.split(',')));
  return categoryNames.filter((name) => named.has(allCategories) || named.has(name));
}

/**
 * Audits of a category that another rule of ours judges already, so that there are never two verdicts on one fact: the audit, the check
 * whose report has the verdict, and its codes.
 */
export const judgedElsewhere = {
  'best-practices': [
    {
      audit: 'is-on-https',
      check: 'security-header-check',
      codes: ['https-missing', 'mixed-content-passive', 'mixed-content-blocked'],
    },
    { audit: 'redirects-http', check: 'security-header-check', codes: ['http-not-upgraded'] },
    {
      audit: 'has-hsts',
      check: 'security-header-check',
      codes: ['hsts-missing', 'hsts-off', 'hsts-invalid', 'hsts-short', 'hsts-no-subdomains'],
    },
    {
      audit: 'csp-xss',
      check: 'security-header-check',
      codes: [
        'csp-missing',
        'csp-report-only',
        'csp-script-unsafe-inline',
        'csp-script-wildcard',
        'csp-script-unrestricted',
        'csp-object-unrestricted',
        'csp-base-uri-missing',
      ],
    },
    { audit: 'trusted-types-xss', check: 'security-header-check', codes: ['trusted-types-missing'] },
    {
      audit: 'clickjacking-mitigation',
      check: 'security-header-check',
      codes: ['framing-open', 'framing-allow-all', 'csp-frame-ancestors-missing'],
    },
    { audit: 'origin-isolation', check: 'security-header-check', codes: ['coop-missing', 'coop-invalid'] },
    { audit: 'charset', check: 'security-header-check', codes: ['content-type-no-charset'] },
  ],
  seo: [
    { audit: 'robots-txt', check: 'security-header-check', codes: ['robots-not-parseable'] },
    { audit: 'http-status-code', check: 'pagespeed-check', codes: ['target-error-status'] },
  ],
  'agentic-browsing': [
    {
      audit: 'cumulative-layout-shift',
      check: 'pagespeed-check',
      codes: ['cls-poor', 'cls-needs-improvement'],
    },
  ],
} as const satisfies { readonly [name in CategoryName]?: readonly MappedAudit[] };

/** Where the verdict on an audit stands. */
type MappedAudit = { readonly audit: string; readonly check: string; readonly codes: readonly string[] };
