import type { PagespeedFields } from '#shared/catalogue/pagespeed-check/report';
import { siteOf } from '#shared/targets/parse-target';
import type { PageObservation, ScriptWork } from '../../../probes/browser/port.ts';
import { readBusy } from '../facts/main-thread.ts';
import { readRequests } from '../facts/requests.ts';

type Reported = NonNullable<PagespeedFields['mainThread']>;
type Whose = Pick<Reported['scripts'][number], 'url' | 'owner' | 'isThirdParty'>;

/** What kept the main thread busy, by kind, by script and by who is behind the script; null where it was not seen. */
export function reportMainThread(page: PageObservation | undefined): PagespeedFields['mainThread'] {
  const seen = page && readBusy(page);
  if (!seen) return null;
  const whose = tellOwners(page);
  const scripts = seen.scripts.map((script) => ({ ...whose(script.url), ...script }));
  return {
    totalMs: sum(Object.values(seen.byKind)),
    byKind: seen.byKind,
    scripts,
    owners: byOwner(scripts),
    longTasks: seen.longTasks.map((task) => ({ ...whose(task.url), ...task })),
  };
}

/** The requests of the page say who is behind a script. */
function tellOwners(page: PageObservation): (url: string | null) => Whose {
  const owners = new Map(readRequests(page)?.entries.map(({ url, owner }) => [url, owner]));
  const own = siteOfUrl(page.finalUrl);
  return (url) => {
    const site = url === null ? undefined : siteOfUrl(url);
    const isThirdParty = site !== undefined && own !== undefined && site !== own;
    return { url, owner: (url === null ? undefined : owners.get(url)) ?? null, isThirdParty };
  };
}

function byOwner(scripts: readonly (Whose & ScriptWork)[]): Reported['owners'] {
  const sums = new Map<string, { readonly isThirdParty: boolean; totalMs: number }>();
  for (const { url, owner, isThirdParty, totalMs } of scripts) {
    const name = owner ?? (url === null ? undefined : URL.parse(url)?.hostname);
    if (!name) continue;
    const known = sums.get(name) ?? { isThirdParty, totalMs: 0 };
    known.totalMs = round(known.totalMs + totalMs);
    sums.set(name, known);
  }
  return [...sums]
    .map(([owner, rest]) => ({ owner, ...rest }))
    .toSorted((one, other) => other.totalMs - one.totalMs);
}

function siteOfUrl(address: string): string | undefined {
  const hostname = URL.parse(address)?.hostname;
  return hostname ? siteOf(hostname) : undefined;
}

function sum(times: readonly number[]): number {
  return round(times.reduce((total, ms) => total + ms, 0));
}

function round(ms: number): number {
  return Math.round(ms * 10) / 10;
}
