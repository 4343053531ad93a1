import { z } from 'zod';
import { headerReportShape } from '../../../catalogue/security-header-check/report.ts';
import { countOf, spanWords } from '../../../model/counts.ts';
import type { Report } from '../../../model/report.ts';
import { block, type Markup, markup, nothing } from '../../markup.ts';
import { observatoryResultOf, observatoryTestOf } from '../../observatory-words.ts';
import { cut } from '../../visible-text.ts';
import { cellTable, readFields, tableSection } from '../tables.ts';
import {
  codesOfPart,
  codesWhere,
  type Marked,
  markOf,
  markOfThing,
  unjudged,
  verdictWord,
} from './verdict-marks.ts';

const { judgedUrl, effective, groups, cookies, csp } = headerReportShape;
type Headers = NonNullable<ReturnType<typeof readHeaders>>;
type Effective = Headers['effective'];

const mostCookies = 50;
const mostPolicies = 5;
const mostDirectives = 40;
const longestName = 100;
const longestValue = 600;

/** What a browser enforces, its cookies, and the policies with their weak spots. */
export function drawHeaders(report: Report): Markup {
  const headers = readHeaders(report);
  if (!headers) return nothing;
  return markup`${matrixSection(headers, report)}${cookieSection(headers, report)}${policySection(headers)}${headerFields(report, headers.judgedUrl ?? undefined)}${observatorySection(report)}`;
}

function readHeaders(report: Report) {
  return readFields(report, { judgedUrl, effective, groups, cookies, csp });
}

type FieldLine = { readonly name: string; readonly marked: Marked; readonly words: string };

const stateOfMark = { good: 'protected', warned: 'not fully', bad: 'open', unknown: 'not seen' } as const;

function matrixSection({ effective: seen, groups: all }: Headers, report: Report): Markup {
  const rows = linesOf(seen, report).map(({ name, marked, words }) => [
    markup`${name}`,
    verdictWord(marked, stateOfMark[marked.mark]),
    markup`${words}`,
  ]);
  const lost = Object.entries(all)
    .filter(([, { points }]) => points > 0)
    .slice(0, 20)
    .map(([name, { points, lost: taken, state }]) => [
      markup`${groupWords[name] ?? cut(name, longestName)}`,
      verdictWord(
        state === 'not-applicable' ? unjudged : markOf(report, codesOfPart(check, name)),
        groupStates[state] ?? cut(state, longestName),
      ),
      markup`${taken} of ${points}`,
    ]);
  return markup`${tableSection('What a browser enforces', cellTable(['Protection', 'State', 'What it does'], rows))}${tableSection('Points by protection', cellTable(['Protection', 'State', 'Lost'], lost))}`;
}

const check = 'security-header-check';
const groupStates: { readonly [state: string]: string } = {
  ok: 'nothing lost',
  lost: 'points lost',
  'not-applicable': 'nothing to check',
  'not-tested': 'not checked',
};
const groupWords: { readonly [group: string]: string } = {
  transport: 'HTTPS only',
  'script-injection': 'Injected scripts',
  framing: 'Framing by others',
  cookies: 'Cookies',
  cors: 'Reading by other origins',
  sniffing: 'Type sniffing',
  referrer: 'Referrer',
  permissions: 'Browser features',
  isolation: 'Isolation',
  subresources: 'What the page loads',
  leakage: 'What headers give away',
};

function linesOf(
  { hsts, framing, script, sniffing, referrer, isolation, cors }: Effective,
  report: Report,
): readonly FieldLine[] {
  const line = <T>(part: string, seen: T | null, words: (value: T) => string): FieldLine => ({
    name: groupWords[part] ?? part,
    marked: seen === null ? unjudged : markOf(report, codesOfPart(check, part)),
    words: seen === null ? 'could not be seen, or does not apply' : words(seen),
  });
  return [
    line('transport', hsts, ({ applied, seconds }) =>
      applied
        ? `browsers keep to HTTPS for ${spanWords((seconds ?? 0) * 1000)}`
        : 'the first request may go by http',
    ),
    line('script-injection', script, ({ level }) => `script policy: ${level}`),
    line('framing', framing, ({ allowed, by }) => `allowed: ${allowed}, by ${by}`),
    line('sniffing', sniffing, ({ nosniff }) => (nosniff ? 'types are taken as sent' : 'types are guessed')),
    line('referrer', referrer, ({ policy }) => cut(policy, longestName)),
    line(
      'isolation',
      isolation,
      ({ opener, embedder }) => `opener ${cut(opener, longestName)}, embedder ${cut(embedder, longestName)}`,
    ),
    line('cors', cors, ({ access }) => `access: ${access}`),
  ];
}

function cookieSection({ cookies: all }: Headers, report: Report): Markup {
  if (all.length === 0) return nothing;
  const rows = all
    .slice(0, mostCookies)
    .map(({ name, secure, httpOnly, sameSite, stored, reason, domain, path }) => {
      const mark = (word: string) =>
        markOfThing(
          report,
          codesWhere(check, (code) => isAbout(code, word)),
          [name],
        );
      return [
        markup`<bdi class="value">${cut(name, longestName)}</bdi>`,
        verdictWord(mark('secure'), secure ? 'yes' : 'no'),
        verdictWord(mark('httponly'), httpOnly ? 'yes' : 'no'),
        verdictWord(mark('samesite'), sameSite ?? 'not set'),
        verdictWord(mark('refused'), stored ? 'yes' : cut(reason ?? 'no', longestValue)),
        markup`<bdi class="value">${cut(`${domain}${path}`, longestName)}</bdi>`,
      ];
    });
  return tableSection(
    'Cookies',
    cellTable(['Name', 'Secure', 'HttpOnly', 'SameSite', 'Stored', 'Sent to'], rows),
  );
}

function isAbout(code: string, word: string): boolean {
  return code.startsWith('cookie-') && code.includes(word);
}

function policySection({ csp: { policies, evaluator } }: Headers): Markup {
  return markup`${policies.slice(0, mostPolicies).map(({ from, disposition, directives }, policy) => {
    const rows = directives.slice(0, mostDirectives).map(({ name, values }) => {
      const weak = evaluator.filter((found) => found.policy === policy && found.directive === name);
      return [
        markup`<code>${cut(name, longestName)}</code>`,
        markup`<bdi class="value">${cut(values.join(' '), longestValue)}</bdi>`,
        weak.length === 0
          ? markup`–`
          : markup`${weak.slice(0, 5).map(({ description }) => markup`<p>${cut(description, longestValue)}</p>`)}`,
      ];
    });
    return tableSection(
      `Content-Security-Policy ${policy + 1} (${from}, ${disposition})`,
      cellTable(['Directive', 'Sources', 'Weak spots'], rows),
    );
  })}`;
}

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

const { observatory } = headerReportShape;
const longestWords = 300;

/** What MDN's HTTP Observatory would say of the same page, test by test. Its words are no verdicts of ours, and so have no marks. */
function observatorySection(report: Report): Markup {
  const seen = readFields(report, { observatory })?.observatory;
  if (!seen) return nothing;
  const { score, grade, error, tests } = seen;
  const title = 'By the rules of the HTTP Observatory';
  if (score === null || grade === null)
    return markup`<section class="picture"><h2>${title}: no grade</h2><p>${cut(error ?? 'The page was not seen.', longestWords)}</p></section>
`;
  const rows = Object.entries(tests).map(([name, { pass, result, score: points, disputed }]) => [
    markup`${cut(observatoryTestOf(name), longestWords)}`,
    markup`${cut(observatoryResultOf(result), longestWords)}${disputed ? markup`. Our own findings differ.` : nothing}`,
    markup`${pass ? 'passed' : 'failed'}`,
    markup`${points > 0 ? `+${points}` : points}`,
  ]);
  return tableSection(
    `${title}: ${grade}, ${countOf(score, 'point')}`,
    cellTable(['Test', 'Seen', 'Result', 'Points'], rows),
  );
}
