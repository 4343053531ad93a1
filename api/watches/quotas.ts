import { type AccountQuotas, quotaExceeded } from '#shared/limits/kept';
import type { WatchStore } from '#shared/ports/watch-store';
import type { WatchLimits } from '../services.ts';

/** Targets of one registrable domain that an account may watch. */
const mostOfDomain = 100;

/** What /api/me shows of an account's watches. */
export function watchQuotas(watches: Pick<WatchStore, 'sumOf'>, limit: number): AccountQuotas {
  return async (account) => {
    const { total, mostOfHost } = await watches.sumOf(account);
    return {
      watches: { limit, used: total },
      watchesOfDomain: { limit: mostOfDomain, used: mostOfHost },
    };
  };
}

/**
 * Throws `quota_exceeded` where an account would watch more targets than it may.
 * @param added the hosts of the new targets, one for each
 * @param except a watch whose targets they replace
 */
export async function requireRoom(
  watches: Pick<WatchStore, 'countTargets'>,
  { targets: limit }: WatchLimits,
  { account, added, except }: { account: string; added: readonly string[]; except?: string },
): Promise<void> {
  const { total: used, hosts: known } = await watches.countTargets(account, {
    hosts: [...new Set(added)],
    except,
  });
  if (used + added.length > limit) throw quotaExceeded('watches', { limit, used }, 'watched targets');
  const hosts = new Map(known);
  for (const host of added) {
    const count = (hosts.get(host) ?? 0) + 1;
    hosts.set(host, count);
    if (count > mostOfDomain)
      throw quotaExceeded(
        'watchesOfDomain',
        { limit: mostOfDomain, used: count - 1 },
        `watched targets of ${host}`,
      );
  }
}
