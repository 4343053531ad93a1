import { openTestBrowser } from '../test/browser/pages/kit.ts';
import { startService } from '../test/kit/service-process.ts';
import type { Section } from './section.ts';
import { median } from './statistics.ts';

const rounds = Number(process.env['BENCH_ROUNDS'] ?? 5);
const domains = ['spoofed.test', 'expired.test'] as const;

/** How many clicks, and how long, from the first page to the first finding, as a visitor sees it. */
export async function bench(): Promise<Section> {
  const rows: string[][] = [];
  const browser = await openTestBrowser();
  for (const script of [true, false]) {
    for (const domain of domains) {
      const seconds: { answer: number; finding: number }[] = [];
      // A service of its own for each round: a second check of a domain is answered from what is kept.
      for (let round = 0; round < rounds; round += 1) seconds.push(await visit(browser, domain, script));
      const of = (name: 'answer' | 'finding') => median(seconds.map((one) => one[name])).toFixed(1);
      rows.push([domain, script ? 'yes' : 'no', '1', of('answer'), of('finding')]);
      console.log(rows.at(-1)?.join(' | '));
    }
  }
  await browser.close();
  return {
    title: 'From the first page to the first finding',
    about: `A visitor opens the first page of the demo, types a domain and clicks Check. The service runs domain-health with all its parts. The table has the seconds from the click to the page of the running check, and to the first finding on it. Each figure is the median of ${rounds} new services.`,
    columns: ['domain', 'scripts', 'clicks', 'running check, s', 'first finding, s'],
    rows,
    limits:
      'the page load of the performance part, which ends last. Without scripts, the page loads itself again every few seconds.',
  };
}

async function visit(
  browser: Awaited<ReturnType<typeof openTestBrowser>>,
  domain: string,
  script: boolean,
): Promise<{ answer: number; finding: number }> {
  const demo = await startService({
    program: process.execPath,
    args: ['demo/main.ts'],
    environment: { PORT: '0', ADMIN_PORT: '0', LOG_LEVEL: 'info' },
  });
  const page = await browser.open({ script });
  try {
    await page.goto(demo.url);
    await page.type('#target', domain);
    const start = performance.now();
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
    const answer = (performance.now() - start) / 1000;
    await page.waitForSelector('article.finding', { timeout: 120_000 });
    return { answer, finding: (performance.now() - start) / 1000 };
  } finally {
    await page.browserContext().close();
    demo.kill('SIGKILL');
    await demo.closed;
  }
}
