import type { Report } from '#shared/model/report';
import { exportNamesOf, pdf } from '#shared/render/formats';
import { block, type Markup, markup, nothing } from '#shared/render/markup';
import { mainCheck } from './page-services.ts';
import { domainOf } from './tabs.ts';

/** What a reader calls each form of a report. */
const formNames: { readonly [format: string]: string } = {
  json: 'JSON',
  csv: 'CSV',
  md: 'Markdown',
  html: 'HTML',
  sarif: 'SARIF',
  junit: 'JUnit',
  har: 'HAR',
  ics: 'Calendar',
};

/** A list that a button opens. */
function menu(words: string, content: Markup): Markup {
  return markup`<details class="menu"><summary class="button">${words}</summary>
<div>${content}</div></details>
`;
}

/** The forms in which a report can be taken away. Nothing for one without an id. @param alone the page of the report itself */
export function downloadMenu(report: Report, alone: string | undefined): Markup {
  if (alone === undefined) return nothing;
  const files = exportNamesOf(report.check).map(
    (format) =>
      markup`<li><a href="${alone}/export?format=${format}" rel="nofollow" download>${formNames[format] ?? format}</a></li>`,
  );
  const paper = markup`<li><a href="${alone}?format=${pdf.name}" rel="nofollow" download>PDF</a></li>`;
  return menu('Download', markup`<ul>${files}${paper}</ul>`);
}

/** A badge of the domain for a page elsewhere. @param origin what stands before a path, as a program writes it */
export function badgeMenu(report: Report, base: string, origin: string): Markup {
  if (report.check !== mainCheck) return nothing;
  const domain = domainOf(report);
  const picture = `/api/badge/${encodeURIComponent(domain)}.svg`;
  const text = `[![domain health](${origin}${picture})](${origin}/d/${encodeURIComponent(domain)})`;
  return menu(
    'Badge',
    markup`<p><img src="${base}${picture}" alt="The badge of ${domain}" height="20"></p>
<p>For a README:</p>
<pre><code>${block(text)}</code></pre>`,
  );
}
