import { makeDeliveries } from '#shared/catalogue/watch-event';
import type { PausedReason, Watch } from '#shared/model/watch';
import { watchesOf } from '#shared/stores/watches/watches-of';
import type { WatchContext } from './context.ts';

const why: Readonly<Record<Exclude<PausedReason, 'owner'>, string>> = {
  'webhook-gone': 'The receiver answered 410: it wants no more.',
  'token-revoked': 'The account has no live token with the scopes tools and watch any more.',
  'target-refused': 'A target is not checked any more.',
};

/** Pauses a watch, and says so once in its feed. */
export async function pauseWatch(
  { backend, config, kept, log, now }: WatchContext,
  watchId: string,
  reason: Exclude<PausedReason, 'owner'>,
  target: string | null = null,
): Promise<void> {
  let paused: Watch | undefined;
  await backend.watches.change(watchId, (watch) => {
    if (watch.pausedReason !== null) return watch;
    paused = { ...watch, pausedReason: reason };
    return paused;
  });
  await backend.watches.schedule(watchId, false);
  if (!paused) return;
  log.info({ watchId, reason }, 'watch paused');
  const wish = { type: 'watch.paused', target, severity: 'high', summary: `Paused. ${why[reason]}` } as const;
  await kept.tell(paused.account, makeDeliveries(paused, wish, now(), config.PUBLIC_URL));
}

/** Pauses the watches of accounts that have no live token for them any more, and ends the keys of their feeds. */
export async function pauseOfRevoked(context: WatchContext): Promise<void> {
  const { watches } = context.backend;
  for (const account of await watches.activeAccounts()) {
    if (await context.owners.quotaOf(account)) continue;
    await watches.setLinks(account, undefined);
    for await (const { watchId, pausedReason } of watchesOf(watches, account))
      if (pausedReason === null) await pauseWatch(context, watchId, 'token-revoked');
  }
}
