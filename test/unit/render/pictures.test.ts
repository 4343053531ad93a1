import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Report } from '#shared/model/report';
import { drawBadge } from '#shared/render/html/charts';
import { renderHtml } from '#shared/render/html/page';
import { drawFilmstrip, filmstripSchema } from '#shared/render/html/pictures/page-load';
import { pictures } from '#shared/render/html/pictures/pictures';
import { printMarkup } from '#shared/render/markup';
import { zoneFile } from '#shared/render/zone';
import { requestSeen } from '../pagespeed-check/evidence-kit.ts';
import { readHtml } from './readers.ts';

const golden = (check: string) =>
  JSON.parse(readFileSync(`test/fixtures/golden/${check}.json`, 'utf8')) as Report;
const draw = (report: Report) => printMarkup(pictures(report, { ofReport: (id) => `/r/${id}` }));

const drawn = [
  { check: 'dns-check', headings: ['Delegation', 'DNSSEC: chain of trust', 'DMARC: no policy', 'Records'] },
  {
    check: 'domain-health',
    headings: ['What the grade is made of', 'Entry points'],
  },
  { check: 'redirect-check', headings: ['Time of each hop'] },
  {
    check: 'security-header-check',
    headings: [
      'What a browser enforces',
      'Points by protection',
      'Cookies',
      'Content-Security-Policy 1 (header, enforce)',
      'Content-Security-Policy 2 (meta, ignored)',
      'Header fields as received',
      expect.stringMatching(/^By the rules of the HTTP Observatory: [A-F][+-]?, \d+ points$/),
    ],
  },
  {
    check: 'ssl-check',
    headings: [
      'Certificate chain',
      'Protocols',
      expect.stringMatching(/^Cipher suites \(\d+\)$/),
      expect.stringMatching(/^By the rules of SSL Labs: [A-FMT][+-]?$/),
    ],
  },
  {
    check: 'pagespeed-check',
    headings: ['Vitals', 'What would save the most', 'What the page loads (requests: 16, size: 3095 KiB)'],
  },
];

test.for(drawn)('$check is drawn, and each drawing has a name', ({ check, headings }) => {
  const text = draw(golden(check));
  expect([...text.matchAll(/<h2>([^<]+)<\/h2>/g)].map(([, heading]) => heading)).toEqual(headings);
  for (const [picture] of text.matchAll(/<svg[^>]*>/g))
    expect(picture).toMatch(/aria-label="[^"]+"|aria-hidden/);
  expect(text.replaceAll(/ data-rules="[^"]*"/g, '')).not.toMatch(
    /NaN|undefined|(?:width|height|x|y)="-|Infinity/,
  );
});

test.for([
  { url: 'http://a.test/', finalUrl: 'http://a.test/', told: 'answers over http, does not lead to https' },
  { url: 'https://a.test/', finalUrl: 'http://a.test/', told: 'leads away from https' },
  { url: 'http://a.test/', finalUrl: 'https://a.test/', told: '0 redirects, status 200' },
])('an entry point $url that ends at $finalUrl: $told', ({ url, finalUrl, told }) => {
  const whole = golden('domain-health');
  const [first] = whole['entryPoints'] as object[];
  const ended = { finalStatus: 200, redirects: 0, state: 'ok', https: finalUrl.startsWith('https:') };
  const entryPoints = [{ ...first, url, finalUrl, ...ended }];
  const text = draw({ ...whole, entryPoints });
  expect(text.match(/data-label="State"[^/]*<\/span> ([^<]*)/)?.[1]).toBe(told);
});

test('the tests of the HTTP Observatory have their names, and what was seen stands in words', () => {
  const { tests, ...whole } = golden('security-header-check')['observatory'] as { tests: object };
  const missing = { pass: false, result: 'csp-not-implemented', score: -25 };
  const observatory = { ...whole, tests: { ...tests, 'content-security-policy': missing } };
  const text = draw({ ...golden('security-header-check'), observatory }).replaceAll(/<[^>]*>/g, ' ');
  expect(text.replaceAll(/\s+/g, ' ')).toContain('Content-Security-Policy not set failed -25');
  expect(text).not.toMatch(/not-implemented/);
});

const hostile = [
  { name: 'markup', text: '<script>alert(1)</script><img src=x onerror=alert(1)>"\'&' },
  { name: 'marks of direction', text: 'a\u202egnp.exe\u2066\u200f' },
  { name: 'a word of 100 kB', text: 'w'.repeat(100_000) },
];

/** The report with every text of its own fields replaced, where its shape lets any text stand. */
function poison(value: unknown, text: string): unknown {
  if (typeof value === 'string')
    return /^[a-z-]*$|^\d{4}-|^[A-F][+-]?$|^TLS|^SSL/i.test(value) ? value : text;
  if (Array.isArray(value)) return value.map((item) => poison(item, text));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, poison(item, text)]));
}

test.for(drawn.flatMap(({ check }) => hostile.map((bad) => ({ check, ...bad }))))(
  '$check with $name is drawn as text, and no longer than it may be',
  ({ check, text }) => {
    const whole = golden(check);
    const envelope = { check, state: whole.state, checkedAt: whole.checkedAt, target: whole.target };
    const report = { ...(poison(whole, text) as Report), ...envelope };
    const page = renderHtml({ ...whole, ...report });
    expect(draw(report)).not.toBe('');
    expect(draw(report)).not.toMatch(/<script|<img|\u202e|\u2066/);
    expect(draw(report).length).toBeLessThan(150_000);
    expect(readHtml(page).some(({ shape }) => /\/(?:script|img)$|@on/.test(shape))).toBe(false);
  },
);

const row = requestSeen({ url: 'https://a.test/x', startMs: 5, endMs: 9, bytes: 2048 });
const frames = [
  { atMs: 300, width: 120, height: 240 },
  { atMs: 900, width: 120, height: 240 },
];
/** The page's report, loaded so. */
const loaded = (change: object): Report => ({
  ...golden('pagespeed-check'),
  reportId: 'a'.repeat(32),
  ...change,
});

test('pictures of a page stand in one strip, where they have an address', () => {
  const text = draw(loaded({ filmstrip: frames }));
  expect(text).toContain(`src="/r/${'a'.repeat(32)}/filmstrip.svg" width="188" height="204"`);
  expect(text).toContain('alt="The page at 2 moments while it loaded: 0.3 s, 0.9 s."');
  expect(printMarkup(pictures(loaded({ filmstrip: frames }), {}))).not.toContain('<img');
  expect(draw(loaded({ filmstrip: [], screenshot: null }))).not.toContain('<img');
  expect(draw(loaded({ filmstrip: frames, reportId: '"><script>' }))).not.toContain('<img');
});

test('requests stand in a waterfall and in a table, third parties marked in both', () => {
  const foreign = { ...row, url: 'https://cdn.example/lib/<b>.js', isThirdParty: true, status: 0 };
  const owned = { ...foreign, owner: 'Ads & Co', bytes: 4096 };
  const entries = [row, foreign, owned, owned];
  const text = draw(loaded({ requests: { total: 90, entries } }));
  expect(text).toContain('<h2>Requests of the page (first 4 of 90 requests)</h2>');
  expect(text).toContain('↗ cdn.example %3Cb%3E.js');
  expect(text.replaceAll(/ data-label="[^"]*"/g, '')).toContain('<td>another site</td><td>no answer</td>');
  expect(text).toContain('<b>↗</b> another site (3)');
  expect(text.replaceAll(/ data-label="[^"]*"/g, '')).toMatch(
    /Ads &amp; Co<\/bdi><\/th><td>2<\/td><td>8 KiB/,
  );
  expect(text).toContain(`href="/r/${'a'.repeat(32)}/export?format=har"`);
  expect(printMarkup(pictures(loaded({ requests: { total: 4, entries } }), {}))).not.toContain('format=har');
  for (const requests of [null, undefined, { total: 0, entries: [] }, { total: 1, first: [row] }])
    expect(draw(loaded({ requests }))).not.toContain('Requests of the page');
});

const visits = (fields: object) => {
  const period = { from: '2026-10-05', to: '2026-11-01' };
  const metrics = { lcp: { p75: 2100, rating: 'good', distribution: [0.8, 0.15, 0.05] } };
  return { provider: 'crux', scope: 'url', formFactor: 'PHONE', period, metrics, ...fields };
};

test('real visits have their days, those of the whole site beside them, and a line over time', () => {
  const day = (date: number) => ({ from: `2026-09-0${date}`, to: `2026-10-0${date}` });
  const history = { periods: [day(1), day(2), day(3)], p75: { lcp: [2600, null, 2100], inp: [] } };
  const origin = { metrics: { lcp: { p75: 3100, rating: 'needs-improvement', distribution: [] } } };
  const text = draw(loaded({ field: visits({ history, origin }) }));
  expect(text).toContain('real visits from 2026-10-05 to 2026-11-01 (75th percentile)');
  expect(text).toContain('3100, needs improvement');
  expect(text).toContain('aria-label="Largest Contentful Paint: 2600 ms at first, 2100 ms at last."');
  expect(text).toContain('d="M0 24M280 31"');
  expect(text).not.toContain('Interaction to Next Paint:');
});

test('without a history there is no line over time', () => {
  for (const history of [null, undefined, { periods: [], p75: {} }])
    expect(draw(loaded({ field: visits({ history, origin: null }) }))).not.toContain('over time');
});

test('the main thread is told by kind, script and owner', () => {
  const ads = { url: 'https://cdn.example/<b>.js', owner: 'Ads & Co', isThirdParty: true };
  const own = { url: 'https://a.test/a.js', owner: null, isThirdParty: false };
  const mainThread = {
    totalMs: 900.4,
    byKind: { scriptEvaluation: 700.2, newKind: 200.2 },
    scripts: [
      { ...ads, totalMs: 500, scriptingMs: 480, parseMs: 3 },
      { ...own, totalMs: 100, scriptingMs: 90, parseMs: 3 },
    ],
    owners: [
      { owner: 'Ads & Co', isThirdParty: true, totalMs: 500 },
      { owner: 'a.test', isThirdParty: false, totalMs: 100 },
    ],
    longTasks: [],
  };
  const text = draw(loaded({ mainThread })).replaceAll(/ data-label="[^"]*"/g, '');
  expect(text).toContain('What keeps the main thread busy (900 ms in all)');
  expect(text).toContain('Running scripts');
  expect(text).toContain('newKind');
  expect(text).toContain('&lt;b&gt;.js</bdi></th><td>Ads &amp; Co</td><td>500 ms</td><td>480 ms</td>');
  expect(text).toContain('Busy scripts by owner');
  for (const none of [null, undefined, { ...mainThread, totalMs: 0 }, { totalMs: 3 }])
    expect(draw(loaded({ mainThread: none }))).not.toContain('main thread busy');
});

test('a strip has nothing in it but pictures as data, and times', () => {
  const strip = drawFilmstrip(frames.map((frame) => ({ ...frame, type: 'image/jpeg', base64: 'QUJD' })));
  expect(strip.match(/href="[^"]*"/g)).toEqual(Array(2).fill('href="data:image/jpeg;base64,QUJD"'));
  expect(strip).toContain('>0.3 s</text>');
  expect(filmstripSchema.safeParse([{ ...frames[0], jpeg: '"/><script>' }]).success).toBe(false);
});

test('fields of another shape are not drawn', () => {
  for (const { check } of drawn.filter(({ check: name }) => name !== 'redirect-check'))
    expect(
      draw({
        ...golden(check),
        ns: 1,
        categories: [],
        effective: 'x',
        metrics: 7,
        suites: null,
        requests: 3,
        filmstrip: 4,
      }),
    ).toBe('');
});

test('records stand as lines of a zone file', () => {
  const records = {
    A: [{ data: '192.0.2.1', ttl: 60 }],
    NS: [{ data: 'ns1.a.test', ttl: 60 }],
    MX: [{ data: { preference: 10, exchange: 'mail.a.test' }, ttl: 60 }],
    TXT: [{ data: { strings: ['v=spf1 "x"', 'ü'], text: '' }, ttl: 60 }],
    CAA: [{ data: { flags: 0, tag: 'issue', value: 'ca.example' }, ttl: 60 }],
  };
  const [, lines = ''] = /<code>([^<]*)<\/code>/.exec(printMarkup(zoneFile('a.test', records))) ?? [];
  expect(lines.replaceAll('&quot;', '"').split('\n')).toEqual([
    'a.test. 60 IN A 192.0.2.1',
    'a.test. 60 IN NS ns1.a.test.',
    'a.test. 60 IN MX 10 mail.a.test.',
    'a.test. 60 IN TXT "v=spf1 \\"x\\"" "\\252"',
    'a.test. 60 IN CAA 0 issue "ca.example"',
  ]);
});

test('a badge shows any label as text', () => {
  expect(drawBadge({ label: '<b>"', grade: 'A+', score: 98 })).toContain(
    'aria-label="&lt;b&gt;&quot;: A+ 98"',
  );
  expect(drawBadge({ label: '', grade: null, score: null })).toContain('no grade');
});

test.for([
  [-86_460_000, 'ended 1 day before the check'],
  [-86_400_000 * 2, 'ended 2 days before the check'],
  [3_600_000 * 5, '5 hours left at the check'],
  [86_400_000 * 40, '40 days left at the check'],
] as const)('of a certificate with %i ms left the picture says: %s', ([leftMs, words]) => {
  const report = golden('ssl-check');
  const [leaf, ...others] = report['certificates'] as { readonly notAfter: string }[];
  const notAfter = new Date(Date.parse(report.checkedAt) + leftMs).toISOString();
  expect(draw({ ...report, certificates: [{ ...leaf, notAfter }, ...others] })).toContain(`>${words}<`);
});
