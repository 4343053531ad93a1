import { judgeUrl, type TargetPolicy } from '#shared/targets/parse-target';
import type { Dial } from '../guard.ts';
import type { Order } from './child/messages.ts';
import { askField, type FieldSettings } from './field.ts';
import { type BrowserSettings, type FoundBrowser, findBrowser, unprivilegedUid } from './find-browser.ts';
import { chromiumFlags } from './flags.ts';
import type { BrowserFailure, BrowserProbe, BrowserRequest, BrowserRun } from './port.ts';
import { makeProfile, removeProfile } from './profiles.ts';
import { askPsi, type PsiSettings } from './psi.ts';
import { type ChildOutcome, runChild } from './run-child.ts';
import { type ChargeRequest, openSocksProxy } from './socks-proxy.ts';
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
  readonly waits: Order['waits'];
};

export type BrowserProbeSettings = {
  readonly browser: BrowserSettings;
  /** BROWSER_NO_SANDBOX: the operator says that a container guards enough. */
  readonly noSandbox: boolean;
  readonly policy: TargetPolicy;
  /** Waits for the pace of an address before each request that goes over a connection; left out where there is none, as in labs. */
  readonly chargeRequest?: ChargeRequest;
  readonly limits: BrowserLimits;
  /** Who we are, put behind the User-Agent of the emulated device; undefined: the device's own. */
  readonly contact: string | undefined;
  /** The operator's own authorities, which Node trusts as well: sites whose chain ends there are good for the browser too; PEM. */
  readonly trustedAuthorities: readonly string[];
  /** undefined without a key. */
  readonly field: FieldSettings | undefined;
  /** Loads pages where this machine has no browser; undefined without a key. */
  readonly psi: PsiSettings | undefined;
};

/** Opens the probe for one run of a check. `dial` wants places of its own: a page opens dozens of connections at once. */
export function openBrowserProbe(
  settings: BrowserProbeSettings,
  dial: Dial,
  signal: AbortSignal,
): BrowserProbe {
  return {
    async run(request) {
      signal.throwIfAborted();
      const start = performance.now();
      const judged = judgeUrl(new URL(request.url), settings.policy);
      if (!judged.ok) return { kind: 'failure', code: 'target-not-allowed', reason: judged.fault.why };
      const found = await findBrowser(settings.browser);
      const spentMs = performance.now() - start;
      const left = { ...request, url: judged.value.href, timeoutMs: request.timeoutMs - spentMs };
      if ('kind' in found) return settings.psi ? askPsi(settings.psi, left, signal) : found;
      const answer = await runTrusting({ settings, dial, signal, found }, left);
      if (answer.kind === 'failure') return answer;
      const { secureHosts: _, ...run } = answer;
      return { ...run, tookMs: Math.round(performance.now() - start) };
    },
    askField: (url, strategy) => askField(settings.field, { url, strategy }, signal),
  };
}

type Means = {
  readonly settings: BrowserProbeSettings;
  readonly dial: Dial;
  readonly signal: AbortSignal;
  readonly found: FoundBrowser;
};

/**
 * Loads the page. Where the operator has authorities of its own, the browser believes the keys of the sites that they vouch for: of the page's
 * host from the start where its address is https, and of other hosts by a second load, as only the first tells their names.
 */
async function runTrusting(means: Means, request: BrowserRequest): Promise<SeenRun | BrowserFailure> {
  const { settings } = means;
  if (settings.trustedAuthorities.length === 0) return runOnce(means, request, []);
  const start = performance.now();
  const keysOf = async (hosts: readonly string[]) => {
    const asked = hosts.map((host) => findTrustedKey(host, settings.trustedAuthorities, means));
    return (await Promise.all(asked)).filter((key) => key !== undefined);
  };
  const { protocol, hostname } = new URL(request.url);
  const known = protocol === 'https:' ? [hostname] : [];
  const keys = await keysOf(known);
  const first = await runOnce(means, request, keys);
  if (first.kind === 'failure') return first;
  const more = await keysOf(
    first.secureHosts.filter((host) => !known.includes(host)).slice(0, trustedHostLimit),
  );
  const timeoutMs = request.timeoutMs - (performance.now() - start);
  const isWorthIt = more.length > 0 && timeoutMs > timeoutForLoadMs;
  return isWorthIt ? runOnce(means, { ...request, timeoutMs }, [...keys, ...more]) : first;
}

/** Hosts of a page whose certificates are looked at. */
const trustedHostLimit = 20;
/** A load that has less time is not begun. */
const timeoutForLoadMs = 10_000;

/** A run, with the hosts that were reached on port 443. */
type SeenRun = BrowserRun & { readonly secureHosts: readonly string[] };

async function runOnce(
  means: Means,
  request: BrowserRequest,
  trustedKeys: readonly string[],
): Promise<SeenRun | BrowserFailure> {
  const { settings, found, signal } = means;
  const { limits } = settings;
  const uid = process.getuid?.() === 0 ? unprivilegedUid : undefined;
  const proxy = await openSocksProxy({
    audited: new URL(request.url).hostname,
    dial: means.dial,
    policy: settings.policy,
    budget: limits.traffic,
    ...(settings.chargeRequest ? { chargeRequest: settings.chargeRequest } : {}),
  });
  const profile = await makeProfile(uid);
  try {
    const order: Order = {
      url: request.url,
      strategy: request.strategy,
      categories: request.categories ?? [],
      executable: found.executable,
      arguments: chromiumFlags({
        proxyPort: proxy.port,
        profile,
        sandbox: !settings.noSandbox,
        trustedKeys,
      }),
      profile,
      uid,
      contact: settings.contact,
      waits: limits.waits,
    };
    const outcome = await runChild(
      order,
      { ...limits, timeoutMs: request.timeoutMs, onStep: request.onStep },
      () => proxy.traffic().receivedBytes > 0,
      signal,
    );
    proxy.throwDefect();
    return (
      readUnavailable(outcome) ?? {
        ...describe(outcome, means, proxy.traffic()),
        secureHosts: proxy.secureHosts(),
      }
    );
  } finally {
    await Promise.all([proxy.close(), removeProfile(profile)]);
  }
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
