import { headerReportShape } from '../../../catalogue/security-header-check/report.ts';
import type { Report } from '../../../model/report.ts';
import { type Markup, markup, nothing } from '../../markup.ts';
import { cut } from '../../visible-text.ts';
import { cellTable, readFields, tableSection, verdictWord } from './figure.ts';

const { effective, groups, cookies, csp } = headerReportShape;
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
  return markup`${matrixSection(headers)}${cookieSection(headers)}${policySection(headers)}`;
}

function readHeaders(report: Report) {
  return readFields(report, { effective, groups, cookies, csp });
}

type Line = { readonly name: string; readonly isGood: boolean | null; readonly words: string };

function matrixSection({ effective: seen, groups: all }: Headers): Markup {
  const rows = linesOf(seen).map(({ name, isGood, words }) => [
    markup`${name}`,
    verdictWord(isGood, isGood === null ? 'not seen' : isGood ? 'protected' : 'open'),
    markup`${words}`,
  ]);
  const lost = Object.entries(all)
    .filter(([, { points }]) => points > 0)
    .slice(0, 20)
    .map(([name, { points, lost: taken, state }]) => [
      markup`${cut(name, longestName)}`,
      verdictWord(state === 'ok' ? true : state === 'lost' ? false : null, cut(state, longestName)),
      markup`${taken} of ${points}`,
    ]);
  return markup`${tableSection('What a browser enforces', cellTable(['Protection', 'State', 'What it does'], rows))}${tableSection('Points by protection', cellTable(['Protection', 'State', 'Lost'], lost))}`;
}

function linesOf({ hsts, framing, script, sniffing, referrer, isolation, cors }: Effective): readonly Line[] {
  return [
    line('HTTPS only', hsts, ({ applied, seconds }) => [
      applied,
      applied
        ? `HTTPS is kept for ${Math.floor((seconds ?? 0) / 86_400)} days`
        : 'the first request may go by http',
    ]),
    line('Injected scripts', script, ({ level }) => [
      level === 'strict' || level === 'hosts',
      `script policy: ${level}`,
    ]),
    line('Framing by others', framing, ({ allowed, by }) => [
      allowed !== 'all',
      `allowed: ${allowed}, by ${by}`,
    ]),
    line('Type sniffing', sniffing, ({ nosniff }) => [
      nosniff,
      nosniff ? 'types are taken as sent' : 'types are guessed',
    ]),
    line('Referrer', referrer, ({ policy }) => [policy !== 'unsafe-url', cut(policy, longestName)]),
    line('Isolation', isolation, ({ opener, embedder }) => [
      opener.startsWith('same-origin'),
      `opener ${cut(opener, longestName)}, embedder ${cut(embedder, longestName)}`,
    ]),
    line('Reading by other origins', cors, ({ access }) => [
      access === 'unknown' ? null : !access.startsWith('any-origin'),
      `access: ${access}`,
    ]),
  ];
}

function line<T>(name: string, seen: T | null, read: (value: T) => readonly [boolean | null, string]): Line {
  if (seen === null) return { name, isGood: null, words: 'could not be seen, or does not apply' };
  const [isGood, words] = read(seen);
  return { name, isGood, words };
}

function cookieSection({ cookies: all }: Headers): Markup {
  if (all.length === 0) return nothing;
  const rows = all
    .slice(0, mostCookies)
    .map(({ name, secure, httpOnly, sameSite, stored, reason, domain, path }) => [
      markup`<bdi class="value">${cut(name, longestName)}</bdi>`,
      verdictWord(secure, secure ? 'yes' : 'no'),
      verdictWord(httpOnly, httpOnly ? 'yes' : 'no'),
      verdictWord(sameSite === null ? false : sameSite !== 'None', sameSite ?? 'not set'),
      verdictWord(stored, stored ? 'yes' : cut(reason ?? 'no', longestValue)),
      markup`<bdi class="value">${cut(`${domain}${path}`, longestName)}</bdi>`,
    ]);
  return tableSection(
    'Cookies',
    cellTable(['Name', 'Secure', 'HttpOnly', 'SameSite', 'Stored', 'Sent to'], rows),
  );
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
          : markup`${weak.slice(0, 5).map(({ description }) => markup`<p>${verdictWord(false, cut(description, longestValue))}</p>`)}`,
      ];
    });
    return tableSection(
      `Content-Security-Policy ${policy + 1} (${from}, ${disposition})`,
      cellTable(['Directive', 'Sources', 'Weak spots'], rows),
    );
  })}`;
}
