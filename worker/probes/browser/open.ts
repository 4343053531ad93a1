import { judgeUrl, type TargetPolicy } from '#shared/targets/parse-target';
import { DialFailure } from '../dial-failure.ts';
import type { Dial } from '../guard.ts';
import type { Resolve } from '../resolve.ts';
import { type ChildOutcome, startDriver } from './driver.ts';
import { askField, type FieldSettings } from './field.ts';
import { type BrowserSettings, type FoundBrowser, findBrowser, unprivilegedUid } from './find-browser.ts';
import { chromiumFlags } from './flags.ts';
import type { BrowserFailure, BrowserProbe, BrowserRequest, BrowserRun } from './port.ts';
import { makeProfile, removeProfile } from './profiles.ts';
import { askPsi, type PsiSettings } from './psi.ts';
import { type ChargeRequest, openSocksProxy } from './socks-proxy.ts';
import { type ReadyBrowser, type SpareBrowser } from './spare.ts';
import type { TrafficBudget } from './traffic-account.ts';
import { findTrustedKey } from './trusted-keys.ts';
import { readStartFailure } from './try-browser.ts';

export type BrowserLimits = {
  readonly memoryBytes: number;
  readonly diskBytes: number;
  readonly watchEveryMs: number;
  /** How long nothing at all may come from the network. */
  readonly silentMs: number;
  readonly traffic: TrafficBudget;
  readonly waits: { readonly firstPaintMs: number; readonly loadMs: number; readonly protocolMs: number };
};

export type BrowserProbeSettings = {
  readonly browser: BrowserSettings;
  /** BROWSER_NO_SANDBOX: the operator says that a container guards enough. */
  readonly noSandbox: boolean;
  readonly policy: TargetPolicy;
  /** Waits for the pace of an address before each request that goes over a connection; left out where there is none, as in labs. */
  readonly chargeRequest?: ChargeRequest;
  readonly limits: BrowserLimits;
  /** Holds the browser for the next page; left out where each is started when its page comes. */
  readonly spare?: SpareBrowser;
  /** Who we are, put behind the User-Agent of the emulated device; undefined: the device's own. */
  readonly contact: string | undefined;
  /** The operator's own authorities, which Node trusts as well: sites whose chain ends there are good for the browser too; PEM. */
  readonly trustedAuthorities: readonly string[];
  /** undefined without a key. */
  readonly field: FieldSettings | undefined;
  /** Loads pages where this machine has no browser; undefined without a key. */
  readonly psi: PsiSettings | undefined;
};

/** How a browser reaches hosts. */
export type BrowserNetwork = { readonly dial: Dial; readonly resolve: Resolve };

/** Opens the probe for one run of a check. `dial` wants places of its own: a page opens dozens of connections at once. */
export function openBrowserProbe(
  settings: BrowserProbeSettings,
  { dial, resolve }: BrowserNetwork,
  signal: AbortSignal,
): BrowserProbe {
  return {
    async run(request) {
      signal.throwIfAborted();
      const start = performance.now();
      const judged = judgeUrl(new URL(request.url), settings.policy);
      if (!judged.ok) return { kind: 'failure', code: 'target-not-allowed', reason: judged.fault.why };
      const missing = await findMissingName(judged.value, resolve);
      if (missing) return missing;
      const found = await findBrowser(settings.browser);
      const spentMs = performance.now() - start;
      const left = { ...request, url: judged.value.href, timeoutMs: request.timeoutMs - spentMs };
      if ('kind' in found) return settings.psi ? askPsi(settings.psi, left, signal) : found;
      const answer = await runTrusting({ settings, dial, signal, found }, left);
      if (answer.kind === 'failure') return answer;
      return { ...answer, tookMs: Math.round(performance.now() - start) };
    },
    askField: (url, strategy) => askField(settings.field, { url, strategy }, signal),
  };
}

/** Only that there is no address is known by this; whatever else goes wrong, the browser meets as well. */
async function findMissingName({ hostname }: URL, resolve: Resolve): Promise<BrowserFailure | undefined> {
  try {
    await resolve(hostname);
    return undefined;
  } catch (error) {
    if (!(error instanceof DialFailure)) throw error;
    const { code, reason } = error;
    return code === 'name-not-found' ? { kind: 'failure', code, reason } : undefined;
  }
}

type Means = {
  readonly settings: BrowserProbeSettings;
  readonly dial: Dial;
  readonly signal: AbortSignal;
  readonly found: FoundBrowser;
};

/**
 * Loads the page. Where the operator has authorities of its own, the browser believes the key of the page's host from the start where they vouch
 * for it and its address is https, so that nothing waits for that; the certificates of other hosts are judged as they come.
 */
async function runTrusting(means: Means, request: BrowserRequest): Promise<BrowserRun | BrowserFailure> {
  const { trustedAuthorities } = means.settings;
  const { protocol, origin } = new URL(request.url);
  if (trustedAuthorities.length === 0 || protocol !== 'https:') return runOnce(means, request, []);
  const start = performance.now();
  const key = await findTrustedKey(origin, trustedAuthorities, means);
  const timeoutMs = request.timeoutMs - (performance.now() - start);
  return runOnce(means, { ...request, timeoutMs }, key === undefined ? [] : [key]);
}

/** Origins of a page whose certificates are judged. */
const judgedOriginLimit = 20;

/** Judges origins by the operator's own authorities; beyond the limit none is believed. */
function openOriginJudge(means: Means): (origin: string) => Promise<boolean> {
  let judged = 0;
  return async (origin) => {
    judged += 1;
    if (judged > judgedOriginLimit || !origin.startsWith('https://')) return false;
    return (await findTrustedKey(origin, means.settings.trustedAuthorities, means)) !== undefined;
  };
}

async function runOnce(
  means: Means,
  request: BrowserRequest,
  trustedKeys: readonly string[],
): Promise<BrowserRun | BrowserFailure> {
  const { settings, found } = means;
  const { spare } = settings;
  const loaded = spare?.begin();
  const start = performance.now();
  try {
    // Keys that are believed are named when the browser starts.
    const ahead = trustedKeys.length === 0 ? await spare?.take(found.executable) : undefined;
    const answer = ahead && (await runIn(ahead, means, request));
    if (answer && !isStillborn(answer)) return answer;
    const timeoutMs = request.timeoutMs - (performance.now() - start);
    return await runIn(await startBrowser(settings, found, trustedKeys), means, { ...request, timeoutMs });
  } finally {
    loaded?.(() => startBrowser(settings, found, []));
  }
}

/** Whether the browser died before it asked for anything: one that waited for its page may have died of something that is over. */
function isStillborn(answer: BrowserRun | BrowserFailure): boolean {
  return answer.kind === 'failure' || (answer.end.kind === 'crashed' && answer.traffic.connections === 0);
}

async function runIn(
  { driver, proxy: waiting, profile }: ReadyBrowser,
  means: Means,
  request: BrowserRequest,
): Promise<BrowserRun | BrowserFailure> {
  const { settings, signal } = means;
  const { policy, chargeRequest, limits } = settings;
  const proxy = waiting.serve({
    audited: new URL(request.url).hostname,
    dial: means.dial,
    policy,
    budget: limits.traffic,
    ...(chargeRequest ? { chargeRequest } : {}),
  });
  try {
    const order = {
      url: request.url,
      strategy: request.strategy,
      categories: request.categories ?? [],
      asksTrust: settings.trustedAuthorities.length > 0,
      contact: settings.contact,
      waits: limits.waits,
    };
    const hasHeard = () => proxy.traffic().receivedBytes > 0;
    const outcome = await driver.load(order, watchedBy(means, request), hasHeard, signal);
    proxy.throwDefect();
    return readUnavailable(outcome) ?? describe(outcome, means, proxy.traffic());
  } finally {
    await Promise.all([proxy.close(), removeProfile(profile)]);
  }
}

/** Starts a browser that knows of no page yet. */
async function startBrowser(
  { limits, noSandbox }: BrowserProbeSettings,
  { executable }: FoundBrowser,
  trustedKeys: readonly string[],
): Promise<ReadyBrowser> {
  const uid = process.getuid?.() === 0 ? unprivilegedUid : undefined;
  const profile = await makeProfile(uid);
  const proxy = await openSocksProxy();
  const flags = chromiumFlags({ proxyPort: proxy.port, profile, sandbox: !noSandbox, trustedKeys });
  const { protocolMs } = limits.waits;
  const driver = startDriver({ executable, arguments: flags, profile, uid, protocolMs });
  return { executable, driver, proxy, profile };
}

function watchedBy(means: Means, { timeoutMs, onStep }: BrowserRequest) {
  return { ...means.settings.limits, timeoutMs, onStep, judgeOrigin: openOriginJudge(means) };
}

function describe(
  outcome: ChildOutcome,
  { settings, found }: Means,
  traffic: BrowserRun['traffic'],
): BrowserRun {
  return {
    kind: 'run',
    end: outcome.end,
    traffic,
    browser: { product: outcome.product, source: found.source, sandbox: !settings.noSandbox },
    tookMs: 0,
    peakMemoryBytes: outcome.peakMemoryBytes,
  };
}

/** A browser that never came up is the machine's fault, not the page's. */
function readUnavailable({ end, product }: ChildOutcome): BrowserFailure | undefined {
  if (end.kind !== 'crashed' || product !== null) return undefined;
  return readStartFailure(end.message);
}
