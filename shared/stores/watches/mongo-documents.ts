import type { Collection, Db } from 'mongodb';
import { randomId } from '../../model/job.ts';
import type { Mailbox, Stop } from '../../model/mailbox.ts';
import { type Delivery, rateTextOf, type Watch, type WatchTarget } from '../../model/watch.ts';

/** A watch as MongoDB keeps it: what is searched for, and its JSON. */
export type WatchDocument = Pick<Watch, 'account' | 'createdAt' | 'isWhole' | 'targetCount'> & {
  readonly _id: string;
  readonly isPaused: boolean;
  readonly rate: string;
  /** Another one after each change. */
  readonly turn: string;
  readonly body: string;
  readonly bytes: number;
};
export type TargetDocument = Pick<
  WatchTarget,
  'watchId' | 'account' | 'host' | 'target' | 'dueAt' | 'isActive'
> & {
  readonly _id: string;
  readonly claimedUntil: number;
  /** Another one after each turn. */
  readonly turn: string;
  readonly body: string;
  readonly bytes: number;
};
export type DeliveryDocument = Pick<
  Delivery,
  'watchId' | 'account' | 'channel' | 'createdAt' | 'nextAttemptAt' | 'waitsFor'
> & {
  readonly _id: string;
  readonly claimedUntil: number;
  readonly turn: string;
  readonly expiresAt: Date;
  readonly body: string;
  readonly bytes: number;
};
export type LockDocument = { readonly _id: string; readonly expiresAt: Date };
export type LinkDocument = { readonly _id: string; readonly feed: string; readonly calendar: string };

export type MailboxDocument = Pick<Mailbox, 'account'> & {
  readonly _id: string;
  readonly body: string;
  readonly bytes: number;
  readonly mailedAt: number;
  readonly lookAt: number;
};
export type StopDocument = Stop & { readonly _id: string };

/** The collections of watches. */
export type WatchCollections = {
  readonly watches: Collection<WatchDocument>;
  readonly targets: Collection<TargetDocument>;
  readonly deliveries: Collection<DeliveryDocument>;
  readonly links: Collection<LinkDocument>;
  readonly mailboxes: Collection<MailboxDocument>;
  readonly stops: Collection<StopDocument>;
  readonly locks: Collection<LockDocument>;
  /** Watches that are deleted, whose targets and deliveries may not be yet. */
  readonly gone: Collection<{ readonly _id: string }>;
};

/** The collections in a database. */
export function collectionsIn(database: Db): WatchCollections {
  return {
    watches: database.collection('watches'),
    targets: database.collection('watchTargets'),
    deliveries: database.collection('watchDeliveries'),
    links: database.collection('watchLinks'),
    mailboxes: database.collection('watchMailboxes'),
    stops: database.collection('watchStops'),
    locks: database.collection('watchLocks'),
    gone: database.collection('watchesGone'),
  };
}

/** The document of a watch. */
export function documentOfWatch(watch: Watch): WatchDocument {
  const { watchId, account, createdAt, isWhole, pausedReason, targetCount } = watch;
  return {
    _id: watchId,
    account,
    createdAt,
    isWhole,
    isPaused: pausedReason !== null,
    rate: rateTextOf(watch),
    targetCount,
    turn: randomId(),
    ...bodyOf(watch),
  };
}

/** The document of an unclaimed target. */
export function documentOfTarget(one: WatchTarget): TargetDocument {
  const { watchId, account, host, target, dueAt, isActive } = one;
  return {
    _id: targetId(watchId, target),
    watchId,
    account,
    host,
    target,
    dueAt,
    isActive,
    claimedUntil: 0,
    turn: randomId(),
    ...bodyOf(one),
  };
}

/** The document of an unclaimed delivery. */
export function documentOfDelivery(one: Delivery): DeliveryDocument {
  const { deliveryId, watchId, account, channel, createdAt, nextAttemptAt, waitsFor, expiresAt } = one;
  return {
    _id: deliveryId,
    watchId,
    account,
    channel,
    createdAt,
    nextAttemptAt,
    waitsFor,
    claimedUntil: 0,
    turn: randomId(),
    expiresAt: new Date(expiresAt),
    ...bodyOf(one),
  };
}

/** About what a document takes beside its body. */
const documentBytes = 400;

/** The JSON of what is kept, and about what its document takes. */
export function bodyOf(one: object): { readonly body: string; readonly bytes: number } {
  const body = JSON.stringify(one);
  return { body, bytes: body.length + documentBytes };
}

/** The `_id` of a target: one of each watch. */
export function targetId(watchId: string, target: string): string {
  return `${watchId} ${target}`;
}
