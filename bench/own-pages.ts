import lighthouse, { desktopConfig } from 'lighthouse';
import { openTestBrowser } from '../test/browser/pages/kit.ts';
import { startService } from '../test/kit/service-process.ts';
import type { Section } from './section.ts';

type TestBrowser = Awaited<ReturnType<typeof openTestBrowser>>;
const categories = ['performance', 'accessibility', 'best-practices'] as const;

/** What Lighthouse says of our own pages, on a phone and at a desktop. */
export async function bench(): Promise<Section> {
  const demo = await startService({
    program: process.execPath,
    args: ['demo/main.ts'],
    environment: { PORT: '0', ADMIN_PORT: '0', LOG_LEVEL: 'info' },
  });
  const browser = await openTestBrowser();
  const rows: string[][] = [];
  try {
    for (const [name, path] of await makePages(demo.url))
      for (const device of ['phone', 'desktop'] as const) {
        rows.push([name, device, ...(await measure(browser, `${demo.url}${path}`, device))]);
        console.log(rows.at(-1)?.join(' | '));
      }
  } finally {
    await browser.close();
    demo.kill('SIGTERM');
    await demo.closed;
  }
  return {
    title: 'Our own pages in Lighthouse',
    about:
      'Pages of the demo, with Lighthouse as it is: a slow phone over a slow line, and a desktop. Its category SEO is left out: reports of strangers’ domains are not for search engines.',
    columns: ['page', 'device', ...categories, 'LCP, s', 'bytes'],
    rows,
    limits: 'the line that Lighthouse simulates.',
  };
}

/** Name and path of a page of each kind, once their reports are there. */
async function makePages(server: string): Promise<readonly (readonly [name: string, path: string])[]> {
  const site = '?url=https://good.test/';
  const checks = {
    'dns-check': '/spoofed.test',
    'ssl-check': '/expired.test',
    'smtp-check': '/postcard.test',
    'security-header-check': site,
    'redirect-check': site,
    'pagespeed-check': site,
  };
  const domains = ['good.test', 'expired.test'];
  for (const domain of domains) await ask(server, `domain-health/${domain}`);
  const own = ['/', '/docs', '/owners', `/compare?domain=${domains.join('&domain=')}`];
  const reports: [string, string][] = [];
  for (const [check, target] of Object.entries(checks))
    reports.push([`a report of ${check}`, `/r/${await ask(server, check + target)}`]);
  return [
    ...[...own, ...domains.map((domain) => `/d/${domain}`)].map((path) => [path, path] as const),
    ...reports,
  ];
}

/** @returns the id of the report */
async function ask(server: string, tool: string): Promise<string> {
  const answer = await fetch(`${server}/api/tools/${tool}${tool.includes('?') ? '&' : '?'}wait=55`);
  const { reportId } = (await answer.json()) as { reportId?: string };
  if (reportId === undefined) throw new Error(`${tool} was answered with ${answer.status}`);
  return reportId;
}

async function measure(
  browser: TestBrowser,
  url: string,
  device: 'phone' | 'desktop',
): Promise<readonly string[]> {
  const page = await browser.open();
  const flags = { onlyCategories: [...categories], logLevel: 'silent' as const };
  const ran = await lighthouse(url, flags, device === 'desktop' ? desktopConfig : undefined, page);
  await page.browserContext().close();
  if (!ran) throw new Error(`Lighthouse says nothing of ${url}`);
  const { audits } = ran.lhr;
  const seconds = (audits['largest-contentful-paint']?.numericValue ?? Number.NaN) / 1000;
  const scores = categories.map((name) => String(Math.round((ran.lhr.categories[name]?.score ?? 0) * 100)));
  return [...scores, seconds.toFixed(1), String(audits['total-byte-weight']?.numericValue ?? '?')];
}
