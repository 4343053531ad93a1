import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { catalogue } from '#shared/catalogue/registry';
import type { Report } from '#shared/model/report';
import { renderHtml } from '#shared/render/html/page';
import { seenSection } from '#shared/render/html/seen/seen';
import { renderMarkdown } from '#shared/render/markdown';
import { printMarkup } from '#shared/render/markup';

const golden = (check: string) =>
  JSON.parse(readFileSync(`test/fixtures/golden/${check}.json`, 'utf8')) as Report;

const rawFold = /<details class="fields fold" id="raw-data">.*?<\/details>/s;
const section = (report: Report) => printMarkup(seenSection(report, { ofReport: (id) => `/r/${id}` }));

function wordsOf(html: string): string {
  return html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
}

/** What is read before the fold. */
const told = (report: Report) => wordsOf(section(report).replace(rawFold, ''));

/** Heads of rows and columns, headings and folds, without names that a target chose and code. */
function labelsOf(html: string): readonly string[] {
  const own = html.replace(rawFold, '').replaceAll(/<(bdi|code)\b.*?<\/\1>/gs, '');
  const elements = own.matchAll(/<(th|h\d|summary|dt)\b[^>]*>(.*?)<\/\1>|<p class="key">(.*?)<\/p>/gs);
  const columns = [...own.matchAll(/ data-label="([^"]*)"/g)].map(([, label = '']) => label);
  return [...elements].map(([, , text, key]) => wordsOf(text ?? key ?? '').trim()).concat(columns);
}

test.for(catalogue.map(({ name }) => name))('%s: no label is the name of a field', (check) => {
  const labels = labelsOf(renderHtml(golden(check)));
  expect(labels).toContain('What was seen');
  expect(labels.filter((label) => /^[a-z0-9]+(?:[A-Z][A-Za-z0-9]*|-[a-z0-9]+)+$/.test(label))).toEqual([]);
});

test.for(catalogue.map(({ name }) => name))('%s: all raw data is in one fold, with the JSON', (check) => {
  const text = section({ ...golden(check), reportId: 'a'.repeat(32) });
  expect(text.match(/<details class="fields/g)).toHaveLength(1);
  expect(text.match(rawFold)?.[0]).toContain(`href="/r/${'a'.repeat(32)}/export?format=json"`);
  expect(text).toMatch(/<\/details>\s*<\/(?:section|details)>\n$/);
});

test('a page that stands alone does not link to the JSON', () => {
  expect(printMarkup(seenSection(golden('ssl-check'), {}))).not.toContain('href');
});

test.for([
  ['domain-health', 'Coverage 85 % of what was asked'],
  ['ssl-check', 'SSL Labs letter A-'],
  ['ssl-check', 'HTTP/3 not advertised'],
  ['dns-check', 'TLS reports not seen'],
  ['dns-check', 'DNS score 47 of 100'],
  ['redirect-check', 'Total time 25 ms'],
  ['pagespeed-check', 'Rating needs improvement'],
  ['security-header-check', 'Security contact (security.txt) not tested: the file was not asked for'],
  ['smtp-check', 'Connections made 3'],
] as const)('%s tells: %s', ([check, words]) => {
  expect(told(golden(check))).toContain(words);
});

test('clients and addresses have tables of their own; the letter is that of SSL Labs', () => {
  const report = golden('ssl-check');
  const [first] = report['endpoints'] as object[];
  const other = { ...first, address: '2001:db8::1', grade: 'T', trusted: false, trustError: 'root-unknown' };
  const text = told({ ...report, endpoints: [first, other] });
  expect(text).toContain('Client Connects Version Why Chrome 131 and later yes');
  expect(text).toContain('OpenSSL 0.9.8 no no version in common');
  expect(text).toContain(
    'Each address Address State Looked at Version ALPN Certificate SSL Labs letter 192.0.2.1 reached',
  );
  expect(text).toContain('not trusted: root unknown T, not trusted');
  expect(text).not.toMatch(/\bGrade\b/);
  expect(section(report).match(rawFold)?.[0]).not.toContain('Chrome 131');
});

test('a finding whose evidence is the target alone has no table of it', () => {
  const report = golden('dns-check');
  const alone = report.findings.filter(({ code }) => code === 'address-no-ipv6');
  expect(alone.map(({ evidence }) => evidence)).toEqual([[{ name: report.target['domain'] }]]);
  expect(renderHtml({ ...report, findings: alone })).not.toContain('<h5>What was seen</h5>');
  expect(renderMarkdown({ ...report, findings: alone })).not.toContain('Evidence:');
});

test('what only repeats the target is not told', () => {
  const report = { ...golden('redirect-check'), finalUrl: 'http://a.test/' };
  expect(report.target).toEqual({ url: 'http://a.test/' });
  expect(told(report)).not.toContain('Ends at');
  expect(wordsOf(section(report))).not.toContain('Ends at');
});

test('a field that is not as its check promises is raw data', () => {
  const report = { ...golden('ssl-check'), clients: 'none of ours', alpn: { odd: 1 } };
  expect(told(report)).not.toMatch(/Clients that can connect|ALPN http/);
  expect(wordsOf(section(report))).toContain('none of ours');
  expect(wordsOf(section(report))).toContain('ALPN odd 1');
});
