import { readRateText } from '../../model/watch.ts';
import type { WatchMongo } from './mongo-shared.ts';
import type { SumPart } from './sqlite-sums.ts';

type Counted = { readonly _id: string; readonly count: number };

/** Sums over the watches of an account; the server makes them. */
export function openMongoSums({ read }: WatchMongo): SumPart {
  return {
    hostsOf: (account) =>
      read(async ({ targets }, limit) =>
        byHost(await targets.aggregate<Counted>(perHost({ account: String(account) }), limit).toArray()),
      ),
    countTargets: (account, { hosts, except }) =>
      read(async ({ targets }, limit) => {
        const mine = { account: String(account) };
        const left = { ...mine, watchId: String(except) };
        const kept = except === undefined ? {} : { watchId: { $ne: String(except) } };
        const wanted = { ...mine, ...kept, host: { $in: hosts.map(String) } };
        const [all, own, found] = await Promise.all([
          targets.countDocuments(mine, limit),
          except === undefined ? 0 : targets.countDocuments(left, limit),
          targets.aggregate<Counted>(perHost(wanted), limit).toArray(),
        ]);
        return { total: all - own, hosts: byHost(found) };
      }),
    ratesOf: (account, except) =>
      read(async ({ watches }, limit) => {
        const active = { account: String(account), isPaused: false };
        const kept = except === undefined ? {} : { _id: { $ne: String(except) } };
        const found = await watches
          .aggregate<Counted>(
            [
              { $match: { ...active, ...kept } },
              { $group: { _id: '$rate', count: { $sum: '$targetCount' } } },
            ],
            limit,
          )
          .toArray();
        return found.map(({ _id, count }) => ({ ...readRateText(_id), targetCount: count }));
      }),
  };
}

function perHost(wanted: object) {
  return [{ $match: wanted }, { $group: { _id: '$host', count: { $sum: 1 } } }];
}

function byHost(found: readonly Counted[]): ReadonlyMap<string, number> {
  return new Map(found.map(({ _id, count }) => [_id, count]));
}
