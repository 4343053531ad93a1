import { findSpec } from '#shared/catalogue/registry';
import type { Report } from '#shared/model/report';
import { type Markup, markup, nothing } from '#shared/render/markup';
import { targetOf } from '#shared/render/report-words';
import { hostOfTarget } from '#shared/targets/denied-names';
import { mainCheck, type PageServices, pagePath } from './page-services.ts';

/** A page of a domain: that of a check, of the mail half of dns-check, or of its history. */
export type TabName = string;

type Tab = {
  readonly name: TabName;
  readonly words: string;
  readonly path: string;
  readonly category?: string;
};

/** What a domain-health says of its categories; of any other report nothing. */
type Categories = {
  readonly [name: string]:
    | { readonly grade?: unknown; readonly report?: { readonly target?: unknown } }
    | undefined;
};

/** The pages of one domain, in the order in which people look. */
function tabsOf(target: string, categories: Categories): readonly Tab[] {
  const domain = hostOfTarget(target);
  const isUrl = URL.canParse(target);
  const site = `/d/${encodeURIComponent(domain)}`;
  const tab = (name: string, words: string, about: string, category?: string): Tab => {
    // Where visitors are met at www, that is what was looked at.
    const seen = category === undefined ? undefined : categories[category]?.report?.target;
    const path = pagePath(name, typeof seen === 'string' ? seen : about);
    return { name, words, path, ...(category === undefined ? {} : { category }) };
  };
  const page = isUrl ? target : `https://${domain}/`;
  return [
    tab(mainCheck, 'Overview', domain),
    tab('dns-check', 'DNS', domain, 'dns'),
    { name: 'mail', words: 'Mail', path: `${site}/dns-check?part=mail`, category: 'mail' },
    tab('ssl-check', 'TLS', domain, 'ssl'),
    tab('security-header-check', 'Headers', page, 'headers'),
    tab('pagespeed-check', 'Speed', page, 'performance'),
    tab('redirect-check', 'Redirects', isUrl ? target : `http://${domain}/`),
    tab('smtp-check', 'Mail hosts', domain),
    { name: 'history', words: 'History', path: `${site}/history` },
  ];
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
  const categories = (report?.check === mainCheck ? (report['categories'] ?? {}) : {}) as Categories;
  const shown = tabsOf(target, categories).filter(({ name }) => {
    const spec = findSpec(name);
    return spec ? site.isOffered(spec) : name !== 'history' || site.reportIds;
  });
  const items = shown.map(({ name, words, path, category }) => {
    const grade = category === undefined ? undefined : categories[category]?.grade;
    const mark = typeof grade === 'string' ? markup` <b>${grade}</b>` : nothing;
    const here = name === current ? markup` aria-current="page"` : nothing;
    return markup`<li><a href="${base}${path}"${here}>${words}${mark}</a></li>`;
  });
  return markup`<nav class="tabs" aria-label="All about ${hostOfTarget(target)}"><ul>${items}</ul></nav>
`;
}

/** The domain of a report. */
export function domainOf(report: Report): string {
  return hostOfTarget(targetOf(report));
}
