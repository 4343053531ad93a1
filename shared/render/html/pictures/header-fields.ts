import { z } from 'zod';
import type { Report } from '../../../model/report.ts';
import { block, type Markup, markup, nothing } from '../../markup.ts';
import { cut } from '../../visible-text.ts';
import { readFields } from './figure.ts';

const hops = z.array(
  z.looseObject({
    url: z.string(),
    status: z.int().nullable(),
    headers: z.array(z.tuple([z.string(), z.string()])).optional(),
  }),
);
type Hop = z.infer<typeof hops>[number];

const mostHops = 30;
const mostFields = 100;
const longestField = 2000;
const longestUrl = 300;

/**
 * The header fields of each answer as they were received; one answer stands open, the others are folded.
 * @param open the address of the answer that a reader wants to see; the last one where none has it
 */
export function headerFields(report: Report, open?: string): Markup {
  const seen = readFields(report, { hops })?.hops.slice(0, mostHops) ?? [];
  const answered = seen.filter(({ headers }) => headers !== undefined && headers.length > 0);
  const main = answered.find(({ url }) => url === open) ?? answered.at(-1);
  if (!main) return nothing;
  const others = answered.filter((hop) => hop !== main);
  return markup`<section class="received" id="received"><h2>Header fields as received</h2>
<p><bdi class="value">${cut(main.url, longestUrl)}</bdi></p>
${fieldLines(main)}${others.map(
    (
      hop,
    ) => markup`<details><summary>${hop.status ?? ''} <bdi class="value">${cut(hop.url, longestUrl)}</bdi></summary>${fieldLines(hop)}</details>
`,
  )}</section>
`;
}

function fieldLines({ status, headers = [] }: Hop): Markup {
  const shown = headers
    .slice(0, mostFields)
    .map(([name, value]) => `${cut(name, longestField)}: ${cut(value, longestField)}`);
  const left = headers.length - shown.length;
  const lines = [`Status ${String(status)}`, ...shown, ...(left > 0 ? [`… ${left} more`] : [])];
  return markup`<pre><code>${block(lines.join('\n'))}</code></pre>
`;
}
