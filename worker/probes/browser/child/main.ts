// The main of a forked child: one browser, one Lighthouse, and once it is told of one, one page, then the end. Nothing of it runs in the worker
// itself, as Lighthouse keeps process-wide marks, leaves promises to reject by themselves, and can only be stopped by a kill.
import { rmSync } from 'node:fs';
import type { Browser, BrowserContext, Cookie, Page } from 'puppeteer-core';
import type { PageObservation } from '../port.ts';
import { startChromium } from './chromium.ts';
import type { ChildMessage, Order, Start, WorkerMessage } from './messages.ts';
import { orAfter } from './or-after.ts';
import { type LighthouseResult, trimResult } from './trim.ts';
import { trustOwnAuthorities } from './trust.ts';
import { watchDocument } from './watch-document.ts';
import { watchShifts } from './watch-shifts.ts';

/** Left out: too large for a report, or untrue behind a proxy and without a window. */
const skippedAudits = [
  'bf-cache',
  'inp-breakdown-insight',
  'max-potential-fid',
  'modern-http-insight',
  'script-treemap-data',
  'user-timings',
];

/** Without weight in any score: what another check judges, what only a person can, and what says nothing of a fault. */
const weightlessAudits = [
  'baseline',
  'csp-xss',
  'clickjacking-mitigation',
  'has-hsts',
  'js-libraries',
  'label-content-name-mismatch',
  'origin-isolation',
  'table-fake-caption',
  'td-has-header',
  'trusted-types-xss',
  'valid-source-maps',
];

const tell = (told: ChildMessage) =>
  new Promise<void>((resolve) => {
    if (process.send) process.send(told, () => resolve());
    else resolve();
  });

// puppeteer and Lighthouse drop promises that reject when a page hangs or the browser goes; the run itself tells what came of it.
process.on('unhandledRejection', (reason) => void tell({ kind: 'fault', message: String(reason) }));
process.on('uncaughtException', (error) => void tell({ kind: 'fault', message: String(error) }));
process.on('message', (message: WorkerMessage) => {
  if (message.kind === 'start') void obey(message);
  else if (message.kind === 'load') {
    isTold = true;
    ordered.resolve(message);
  }
});

/** The page to load, which may be told of long after the start. */
const ordered = Promise.withResolvers<Order>();
let isTold = false;

async function obey(start: Start): Promise<void> {
  const chromium = startChromium(start);
  process.once('disconnect', () => leave(chromium.pid, start.profile));
  await tell({ kind: 'browser', pid: chromium.pid });
  const died = chromium.ended.then((message): ChildMessage => ({ kind: 'no-browser', message }));
  const last = await Promise.race([died, measure(start, chromium.transport).catch(asNoPage)]);
  // Told before the browser is closed: a page that never rests makes closing throw. If the browser or this process dies then, the worker has its answer.
  await tell(last.kind === 'no-page' && last.code === 'PROTOCOL' ? await preferDeath(died, last) : last);
  process.exit(0);
}

async function measure(
  { protocolMs }: Start,
  transport: ReturnType<typeof startChromium>['transport'],
): Promise<ChildMessage> {
  // Loaded while Chromium starts; it takes longer.
  const [lighthouse, { userAgents }, { default: puppeteer }, { readLog }, { readCookies }] =
    await Promise.all([
      import('lighthouse'),
      import('lighthouse/core/config/constants.js'),
      import('puppeteer-core'),
      import('./requests.ts'),
      import('./cookies.ts'),
    ]);
  const browser: Browser = await puppeteer.connect({
    transport,
    defaultViewport: null,
    protocolTimeout: protocolMs,
  });
  await tell({ kind: 'product', product: await browser.version() });
  // Off the record: what a page stores stays in memory, which has a limit, and never fills a disk. Nothing is said of downloads: a browser
  // without a window drops them, but one that is told to deny them writes each to the disk before it hears of it (50 MB at a time were seen).
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  if (!isTold) await loadAudits();
  const order = await ordered.promise;
  tellSteps(page);
  const document = watchDocument(page);
  const nameCulprits = await watchShifts(page);
  if (order.asksTrust) await trustOwnAuthorities(page, { judge: askTrust, onRefused: document.refuse });
  const config = order.strategy === 'desktop' ? lighthouse.desktopConfig : undefined;
  const ran = lighthouse.default(order.url, flagsOf(order, userAgents), config, page);
  return Promise.race([
    document.fault,
    ran.then(async (result): Promise<ChildMessage> => {
      const outcome = readOutcome(result?.lhr as LighthouseOutcome | undefined);
      if (outcome.kind !== 'page' || !result) return outcome;
      const log = result.artifacts.DevtoolsLog;
      const address = { asked: order.url, final: outcome.page.finalUrl };
      const seen = await document.seen(outcome.page.finalUrl);
      const cookies = readCookies(await cookiesIn(context), log, Date.now() / 1000);
      return {
        kind: 'page',
        page: {
          ...withRobots(nameCulprits(outcome.page), result.artifacts.RobotsTxt),
          requests: readLog(log, address),
          cookies,
        },
        ...(seen ? { document: seen } : {}),
      };
    }),
  ]);
}

/** Characters of robots.txt that are kept. */
const robotsLimit = 65_536;

type Fetched = { readonly status: number | null; readonly content: string | null };

function withRobots(page: PageObservation, fetched: Fetched | undefined): PageObservation {
  const { categories } = page;
  if (!categories?.robots || !fetched) return page;
  const answer = { status: fetched.status, text: (fetched.content ?? '').slice(0, robotsLimit) };
  return { ...page, categories: { ...categories, robots: { ...categories.robots, answer } } };
}

/** A browser that its page has worn out gives none. */
function cookiesIn(context: BrowserContext): Promise<readonly Cookie[]> {
  const held = context.cookies().catch((): Cookie[] => []);
  return orAfter(held, cookiesMs, []);
}

const cookiesMs = 2000;

/** Loads the modules of all gatherers and audits, which takes Lighthouse as long as its own: a page that comes later finds them loaded. */
async function loadAudits(): Promise<void> {
  const { initializeConfig } = await import('lighthouse/core/config/config.js');
  await initializeConfig('navigation', undefined, { logLevel: 'silent' });
}

function flagsOf({ strategy, categories, waits, contact }: Order, userAgents: UserAgents) {
  return {
    logLevel: 'silent' as const,
    onlyCategories: [...new Set(['performance', ...categories])],
    skipAudits: [...skippedAudits, ...weightlessAudits],
    disableFullPageScreenshot: true,
    maxWaitForFcp: waits.firstPaintMs,
    maxWaitForLoad: waits.loadMs,
    ...(contact === undefined ? {} : { emulatedUserAgent: `${userAgents[strategy]} ${contact}` }),
  };
}

type UserAgents = { readonly [S in Order['strategy']]: string };

/** The worker's word on an origin. */
function askTrust(origin: string): Promise<boolean> {
  return new Promise((resolve) => {
    const hear = (answer: WorkerMessage) => {
      if (answer.kind !== 'trusted' || answer.origin !== origin) return;
      process.off('message', hear);
      resolve(answer.isTrusted);
    };
    process.on('message', hear);
    void tell({ kind: 'certificate', origin });
  });
}

/** Tells when the page has answered and when it has loaded. Lighthouse opens about:blank before and after. */
function tellSteps(page: Page): void {
  const isPage = () => /^https?:/.test(page.url());
  const left = new Set(['answered', 'loaded'] as const);
  const once = (step: 'answered' | 'loaded') => {
    if (isPage() && left.delete(step)) void tell({ kind: 'step', step });
  };
  page.on('domcontentloaded', () => once('answered'));
  page.on('load', () => once('loaded'));
}

/** The worker is gone, and nobody else is left to clear up. Were we killed as well, Chromium would still end with its pipe. */
function leave(browserPid: number, profile: string): void {
  try {
    process.kill(-browserPid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
  rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  process.exit(0);
}

type LighthouseOutcome = LighthouseResult & {
  readonly runtimeError?: { readonly code: string; readonly message: string };
};

function readOutcome(result: LighthouseOutcome | undefined): ChildMessage {
  if (!result) throw new Error('Lighthouse gave nothing');
  const page = trimResult(result);
  const { lcp, tbt, cls } = page.metrics;
  // A protocol error late in the run can stand beside a full set of numbers, which are good then.
  if (lcp.value !== null && tbt.value !== null && cls.value !== null) return { kind: 'page', page };
  const { code, message } = result.runtimeError ?? { code: 'NO_METRICS', message: 'A metric is missing.' };
  const status = /status code: (\d{3})/i.exec(message)?.[1];
  return { kind: 'no-page', code, message: message.slice(0, 500), status: status ? Number(status) : null };
}

function asNoPage(error: unknown): Extract<ChildMessage, { kind: 'no-page' }> {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'PROTOCOL';
  return { kind: 'no-page', code, message: String(error).slice(0, 500), status: null };
}

/** A protocol error is often only the first that is heard of a browser that died. */
function preferDeath(died: Promise<ChildMessage>, otherwise: ChildMessage): Promise<ChildMessage> {
  return orAfter(died, 500, otherwise);
}
