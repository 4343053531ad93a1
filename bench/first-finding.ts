import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { openTestBrowser } from '../test/browser/pages/kit.ts';
import { startService } from '../test/kit/service-process.ts';
import type { Section } from './section.ts';
import { median } from './statistics.ts';

const rounds = Number(process.env['BENCH_ROUNDS'] ?? 5);
const domains = ['good.test', 'expired.test'] as const;
const delayMs = 50;

/** Seconds from the question to what a reader sees. */
type Seen = { readonly grade: number; readonly fix: number; readonly whole: number; readonly ratio?: number };
type Ask = (base: string, domain: string) => Promise<Seen>;

/** How long it takes to the first grade, the first fix and the whole report, by each way to ask for one. */
export async function bench(): Promise<Section> {
  const rows: string[][] = [];
  const browser = await openTestBrowser();
  const open = (script: boolean) => openPage(browser, script);
  const ways: readonly (readonly [way: string, ask: Ask])[] = [
    ['page', open(true)],
    ['page without scripts', open(false)],
    ['terminal', askInTerminal],
    ['API', askApi],
  ];
  for (const [way, ask] of ways)
    for (const domain of domains) {
      const seen: Seen[] = [];
      for (let round = 0; round < rounds; round += 1) seen.push(await withDemo((base) => ask(base, domain)));
      const of = (name: 'grade' | 'fix' | 'whole') => median(seen.map((one) => one[name])).toFixed(1);
      const ratios = seen.flatMap(({ ratio }) => ratio ?? []);
      rows.push([
        domain,
        way,
        of('grade'),
        of('fix'),
        of('whole'),
        ratios.length > 0 ? median(ratios).toFixed(2) : '',
      ]);
      console.log(rows.at(-1)?.join(' | '));
    }
  const missing: number[] = [];
  for (let round = 0; round < rounds; round += 1)
    missing.push(
      await withDemo(async (base) => {
        await askApi(base, 'never-was.test');
        return (await askApi(base, 'no-such-name.test')).whole;
      }),
    );
  rows.push([
    'no-such-name.test (does not exist; by a service that has checked another)',
    'API',
    '',
    '',
    median(missing).toFixed(2),
    '',
  ]);
  await browser.close();
  return {
    title: 'The first grade and the first fix',
    about: `A domain-health with all its parts, of the demo, whose name servers and sites take ${delayMs} ms for each piece of an answer. Seconds from the click, the command or the GET to the first grade of a part, to the first thing to fix, and to the whole report; and the time of the whole as a multiple of its slowest part, the page load, in the same run. Each figure is the median of ${rounds} new services, which have checked nothing before.`,
    columns: ['domain', 'asked by', 'first grade, s', 'first fix, s', 'whole, s', 'whole ÷ slowest part'],
    rows,
    limits:
      'the visit, whose parts come together after a second, and for the whole the page load. Without scripts, the page loads itself again every 3 seconds. The terminal takes 0.4 s to start.',
  };
}

async function withDemo<T>(act: (base: string) => Promise<T>): Promise<T> {
  const demo = await startService({
    program: process.execPath,
    args: ['demo/main.ts'],
    environment: { PORT: '0', ADMIN_PORT: '0', LOG_LEVEL: 'info', DEMO_DELAY_MS: String(delayMs) },
  });
  try {
    return await act(demo.url);
  } finally {
    demo.kill('SIGKILL');
    await demo.closed;
  }
}

const secondsSince = (start: number) => (performance.now() - start) / 1000;

function openPage(browser: Awaited<ReturnType<typeof openTestBrowser>>, script: boolean): Ask {
  return async (base, domain) => {
    const page = await browser.open({ script });
    const seen = async (selector: string) => {
      await page.waitForSelector(selector, { timeout: 120_000 });
      return secondsSince(start);
    };
    await page.goto(base);
    await page.type('#target', domain);
    const start = performance.now();
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
    const grade = await seen('.parts .grade, .gauge');
    const fix = await seen('.parts .fix, .finding .fix');
    const whole = await seen('article.finding');
    await page.browserContext().close();
    return { grade, fix, whole };
  };
}

const lookEveryMs = 100;

async function askApi(base: string, domain: string): Promise<Seen> {
  const path = `/api/tools/domain-health/${domain}`;
  const start = performance.now();
  const { id } = (await (await fetch(`${base}${path}?wait=0`)).json()) as { readonly id: string };
  let grade = Number.NaN;
  let fix = Number.NaN;
  for (;;) {
    const answer = await fetch(`${base}/api/jobs/${id}?wait=1`, { redirect: 'manual' });
    if (answer.status !== 200) break;
    const { progress } = (await answer.json()) as { readonly progress: { readonly parts?: readonly Part[] } };
    const parts = progress.parts ?? [];
    if (Number.isNaN(grade) && parts.some((part) => part.grade)) grade = secondsSince(start);
    if (Number.isNaN(fix) && parts.some((part) => part.worst)) fix = secondsSince(start);
    await delay(lookEveryMs);
  }
  const whole = secondsSince(start);
  if (Number.isNaN(grade)) grade = whole;
  if (Number.isNaN(fix)) fix = whole;
  const report = (await (await fetch(`${base}${path}`)).json()) as Report;
  const { href } = report.categories.performance.report;
  const slowest = (await (await fetch(`${base}${href}`)).json()) as { readonly durationMs: number };
  return { grade, fix, whole, ratio: report.durationMs / Math.max(1, slowest.durationMs) };
}

type Part = { readonly grade?: string | null; readonly worst?: object };
type Report = {
  readonly durationMs: number;
  readonly categories: { readonly performance: { readonly report: { readonly href: string } } };
};

/** In a terminal of its own, as nothing is told of progress elsewhere. */
async function askInTerminal(base: string, domain: string): Promise<Seen> {
  const start = performance.now();
  const command = `${process.execPath} cli/diag.js domain-health ${domain} --server ${base}`;
  const child = spawn('script', ['-qec', command, '/dev/null'], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  let grade = Number.NaN;
  let fix = Number.NaN;
  child.stdout.on('data', (bytes: Buffer) => {
    text += bytes.toString();
    if (Number.isNaN(grade) && /(?:DNS|TLS|Headers|Mail) +[A-F]\+? /.test(text)) grade = secondsSince(start);
    if (Number.isNaN(fix) && /(?:Critical|High|Medium|Low): [^\r\n]+\r?\n +\S/.test(text))
      fix = secondsSince(start);
  });
  await new Promise((resolve) => child.once('close', resolve));
  const whole = secondsSince(start);
  return { grade: Number.isNaN(grade) ? whole : grade, fix: Number.isNaN(fix) ? whole : fix, whole };
}
