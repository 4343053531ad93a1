import { type CategoryName, categoryNames } from '#shared/catalogue/pagespeed-check/categories';
import { siteOf } from '#shared/targets/parse-target';
import { cleanAddress, cleanTexts } from '../../probes/browser/clean-address.ts';
import type {
  BrowserFailure,
  BrowserProbe,
  BrowserRequest,
  BrowserRun,
  LoadObservation,
  MainThreadObservation,
  Strategy,
} from '../../probes/browser/port.ts';
import { seeBodySigns } from '../../web/block-page.ts';
import { maskHeaders } from '../../web/mask-credentials.ts';
import type { GatherContext } from '../check.ts';
import { isLoaded, isRemote, type Load, type PagespeedEvidence } from './evidence.ts';
import { readPsi } from './gather/read-psi.ts';

/** Leaves the run's limit of 60 s room for starting, killing and judging. */
const attemptMs = 52_000;
/** A second attempt after a fault of our browser is worth it only with time for a whole page. */
const retryNeedsMs = 25_000;

const noFrames: LoadObservation = { frames: [] };

/** What is needed of a gather's context: of the probes the browser alone. */
export type BrowserContext = Omit<GatherContext, 'probes'> & {
  readonly probes: { readonly browser: BrowserProbe };
};

/**
 * Loads the page as often as asked, each time in a fresh browser; stops at the first load that could not be measured. PageSpeed
 * Insights is asked once, whatever is wanted: soon after, it answers the same again.
 */
export async function gatherPagespeed({
  target,
  options,
  probes,
  progress,
}: BrowserContext): Promise<PagespeedEvidence> {
  const strategy: Strategy = options['strategy'] === 'desktop' ? 'desktop' : 'mobile';
  const wanted = typeof options['runs'] === 'number' ? options['runs'] : 1;
  const categories = readCategories(options['category']);
  const field = probes.browser.askField(target, strategy);
  const runs: Load[] = [];
  while (runs.length < wanted) {
    const before = runs.length;
    const tellStep = (step: keyof typeof stepWords) =>
      progress({
        done: before * stepCount + Object.keys(stepWords).indexOf(step),
        total: wanted * stepCount,
        current: wanted === 1 ? stepWords[step] : `load ${before + 1} of ${wanted}: ${stepWords[step]}`,
      });
    tellStep('starting');
    const run = await load(probes.browser, { url: target, strategy, categories, onStep: tellStep });
    const clean = withoutSecrets(run, siteOf(new URL(target).hostname));
    runs.push(runs.length === 0 ? clean : withoutScreenshot(clean));
    if (!isLoaded(run) || isRemote(run)) break;
  }
  const { budget } = options;
  const asked = { url: target, strategy, categories, ...(typeof budget === 'string' ? { budget } : {}) };
  return { ...asked, runs, field: await field };
}

// A job of an older API names none.
function readCategories(asked: unknown): readonly CategoryName[] {
  const named = categoryNames.filter((name) => Array.isArray(asked) && asked.includes(name));
  return named.length === 0 ? ['performance'] : named;
}

/** What is done while a page loads, in order. */
const stepWords = {
  starting: 'the browser starts',
  started: 'the browser asks for the page',
  answered: 'the page loads',
  loaded: 'the page is measured',
} as const;
const stepCount = Object.keys(stepWords).length;

async function load(browser: BrowserProbe, asked: Omit<BrowserRequest, 'timeoutMs'>): Promise<Load> {
  const { strategy } = asked;
  const attempt = async (timeoutMs: number) => {
    const answer = await browser.run({ ...asked, timeoutMs });
    return answer.kind === 'answer' ? readPsi(answer, strategy) : withoutBody(answer);
  };
  const first = await attempt(attemptMs);
  const leftMs = first.kind === 'run' ? attemptMs - first.tookMs : 0;
  const isOurFault = first.kind === 'run' && first.end.kind === 'crashed';
  return isOurFault && leftMs >= retryNeedsMs ? attempt(leftMs) : first;
}

// A body is the site's own and may be large; what stands before a site leaves signs in it.
function withoutBody(run: BrowserRun | BrowserFailure): Load {
  if (run.kind === 'failure' || run.end.kind !== 'loaded' || !run.end.document) return run;
  const { bodyStart = '', ...sent } = run.end.document;
  const answer = { ...sent, headers: maskHeaders(sent.headers, sent.url) };
  return {
    ...run,
    end: { ...run.end, document: { ...answer, bodySigns: seeBodySigns(bodyStart, sent.url) } },
  };
}

// The texts of audits quote addresses of the page, and some hold a key of another site.
function withoutSecrets(run: Load, ownSite: string): Load {
  if (!isLoaded(run)) return run;
  const { audits, categories, lcpElement, warnings, mainThread, ...page } = run.end.page;
  const texts = cleanTexts({ audits, lcpElement, warnings, ...(categories ? { categories } : {}) }, ownSite);
  const busy = mainThread ? { mainThread: withCleanAddresses(mainThread, ownSite) } : {};
  return { ...run, end: { ...run.end, page: { ...page, ...texts, ...busy } } } as Load;
}

function withCleanAddresses(
  { scripts, longTasks, ...rest }: MainThreadObservation,
  ownSite: string,
): MainThreadObservation {
  const clean = <Row extends { readonly url: string | null }>(row: Row): Row => ({
    ...row,
    url: row.url === null ? null : cleanAddress(row.url, ownSite),
  });
  return { ...rest, scripts: scripts.map(clean), longTasks: longTasks.map(clean) };
}

function withoutScreenshot(run: Load): Load {
  if (!isLoaded(run) || isRemote(run)) return run;
  return { ...run, end: { ...run.end, page: { ...run.end.page, screenshot: null, ...noFrames } } };
}
