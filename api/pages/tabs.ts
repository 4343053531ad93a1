import { findSpec } from '#shared/catalogue/registry';
import type { Report } from '#shared/model/report';
import { type Markup, markup, nothing } from '#shared/render/markup';
import { targetOf } from '#shared/render/report-words';
import { mainCheck, type PageServices, pagePath } from './page-services.ts';

/** A page of a domain: that of a check, of the mail half of dns-check, or of its history. */
export type TabName = string;

type Tab = {
  readonly name: TabName;
  readonly words: string;
  readonly path: string;
  readonly category?: string;
};

/** The pages of one domain, in the order in which people look. @param url of the page that is shown, for the checks of a URL */
function tabsOf(domain: string, url: string): readonly Tab[] {
  const site = `/d/${encodeURIComponent(domain)}`;
  return [
    { name: mainCheck, words: 'Overview', path: pagePath(mainCheck, domain) },
    { name: 'dns-check', words: 'DNS', path: pagePath('dns-check', domain), category: 'dns' },
    { name: 'mail', words: 'Mail', path: `${site}/dns-check?part=mail`, category: 'mail' },
    { name: 'ssl-check', words: 'TLS', path: pagePath('ssl-check', domain), category: 'ssl' },
    {
      name: 'security-header-check',
      words: 'Headers',
      path: pagePath('security-header-check', url),
      category: 'headers',
    },
    {
      name: 'pagespeed-check',
      words: 'Speed',
      path: pagePath('pagespeed-check', url),
      category: 'performance',
    },
    { name: 'redirect-check', words: 'Redirects', path: pagePath('redirect-check', url) },
    { name: 'smtp-check', words: 'Mail hosts', path: pagePath('smtp-check', domain) },
    { name: 'history', words: 'History', path: `${site}/history` },
  ];
}

/** The host that a target is of. */
export function hostOf(target: string): string {
  return URL.parse(target)?.hostname ?? target;
}

/** Links to all pages of the domain that a target belongs to. @param report with grades of categories, where there is one */
export function domainTabs(
  site: PageServices['site'],
  base: string,
  {
    current,
    target,
    report,
  }: { readonly current: TabName; readonly target: string; readonly report?: Report | undefined },
): Markup {
  const domain = hostOf(target);
  const url = URL.canParse(target) ? target : `https://${domain}/`;
  const grades = (report?.['categories'] ?? {}) as {
    readonly [name: string]: { readonly grade?: string | null };
  };
  const shown = tabsOf(domain, url).filter(({ name }) => {
    const spec = findSpec(name);
    return spec ? site.isOffered(spec) : name !== 'history' || site.reportIds;
  });
  const items = shown.map(({ name, words, path, category }) => {
    const grade = category === undefined ? undefined : grades[category]?.grade;
    const mark = typeof grade === 'string' ? markup` <b>${grade}</b>` : nothing;
    const here = name === current ? markup` aria-current="page"` : nothing;
    return markup`<li><a href="${base}${path}"${here}>${words}${mark}</a></li>`;
  });
  return markup`<nav class="tabs" aria-label="All about ${domain}"><ul>${items}</ul></nav>
`;
}

/** The domain of a report. */
export function domainOf(report: Report): string {
  return hostOf(targetOf(report));
}
