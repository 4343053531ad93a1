import { readRateText } from '../../model/watch.ts';
import type { WatchMongo } from './mongo-shared.ts';
import type { SumPart } from './sqlite-sums.ts';

type Counted = { readonly _id: string; readonly count: number };

/** Sums over the watches of an account; the server makes them. */
export function openMongoSums({ read }: WatchMongo): SumPart {
  return {
    sumOf: (account) =>
      read(async ({ targets }, limit) => {
        const mine = { account: String(account) };
        const most = [...perHost(mine), { $sort: { count: -1 } }, { $limit: 1 }];
        const [total, [first]] = await Promise.all([
          targets.countDocuments(mine, limit),
          targets.aggregate<Counted>(most, limit).toArray(),
        ]);
        return { total, mostOfHost: first?.count ?? 0 };
      }),
    bytesOf: (account) =>
      read(async ({ watches, targets, deliveries, mailboxes }, limit) => {
        const sum = [
          { $match: { account: String(account) } },
          { $group: { _id: null, bytes: { $sum: '$bytes' } } },
        ];
        const sums = await Promise.all(
          [watches, targets, deliveries, mailboxes].map((one) =>
            one.aggregate<{ readonly bytes: number }>(sum, limit).toArray(),
          ),
        );
        return sums.flat().reduce((all, { bytes }) => all + bytes, 0);
      }),
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
    ...openRates({ read }),
  };
}

function openRates({ read }: Pick<WatchMongo, 'read'>): Pick<SumPart, 'ratesOf'> {
  return {
    ratesOf: (account, { except, after, limit: most }) =>
      read(async ({ watches }, limit) => {
        const active = { account: String(account), isPaused: false, rate: { $gt: String(after) } };
        const kept = except === undefined ? {} : { _id: { $ne: String(except) } };
        const found = await watches
          .aggregate<Counted>(
            [
              { $match: { ...active, ...kept } },
              { $group: { _id: '$rate', count: { $sum: '$targetCount' } } },
              { $sort: { _id: 1 } },
              { $limit: most },
            ],
            limit,
          )
          .toArray();
        const rates = found.map(({ _id, count }) => ({ ...readRateText(_id), targetCount: count }));
        return { rates, next: found.length < most ? '' : (found.at(-1)?._id ?? '') };
      }),
  };
}

function perHost(wanted: object) {
  return [{ $match: wanted }, { $group: { _id: '$host', count: { $sum: 1 } } }];
}

function byHost(found: readonly Counted[]): ReadonlyMap<string, number> {
  return new Map(found.map(({ _id, count }) => [_id, count]));
}
