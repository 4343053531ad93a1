import type { Mailbox, Stop } from '../model/mailbox.ts';
import type { Delivery, Watch, WatchTarget } from '../model/watch.ts';

export type WatchPage = {
  readonly limit: number;
  /** The last one of the page before. */
  readonly before?: { readonly createdAt: number; readonly id: string } | undefined;
};

/** Whose watches are to be deleted: all of an account, or what is of a target in the watches of all. */
export type WatchWish = { readonly account: string } | { readonly isMeant: (target: string) => boolean };

/** What a claim takes: what is due by `now`, for this process alone until `until`, the one that is due longest first. */
export type Claim = { readonly now: number; readonly until: number; readonly limit: number };

export type CountWish = { readonly hosts: readonly string[]; readonly except?: string | undefined };
export type TargetCount = { readonly total: number; readonly hosts: ReadonlyMap<string, number> };
/** So many targets are checked with these options, each once in so many seconds. */
export type WatchRate = Pick<Watch, 'check' | 'options' | 'everySeconds' | 'targetCount'>;

export type RatePage = {
  /** A watch that does not count. */
  readonly except?: string | undefined;
  /** Behind this one; "" begins with the first. */
  readonly after: string;
  readonly limit: number;
};
/** Some rates, and behind which one the others stand; "" where there are no others. */
export type RatesRead = { readonly rates: readonly WatchRate[]; readonly next: string };

export type DueWish = Pick<Delivery, 'channel'> & {
  readonly now: number;
  /** Accounts behind this one are looked at; "" begins with the first. */
  readonly after: string;
};
/** Some of the accounts, and behind which one the others stand; "" where there are no others. */
export type DuePage = { readonly accounts: readonly string[]; readonly next: string };

export const linkKinds = ['feed', 'calendar'] as const;
export type LinkKind = (typeof linkKinds)[number];
/** The digests of the keys of an account's feed and calendar. */
export type Links = Readonly<Record<LinkKind, string>>;

/** A mailbox, and when the last mail went there; 0: none did. */
export type IdleMailbox = { readonly mailbox: Mailbox; readonly mailedAt: number };

/**
 * Watches, their targets, what they told, and how its sending stands. The times of turns are kept here and nowhere else: a queue that loses
 * everything loses no turn. An unreachable store rejects with Problem `store_unavailable`. A row that does not fit its schema is absent.
 */
export interface WatchStore {
  /** Keeps a watch with its targets; a second time changes nothing. It is there for readers once all of it is. */
  create(watch: Watch, targets: readonly WatchTarget[]): Promise<void>;
  get(watchId: string): Promise<Watch | undefined>;
  /** Newest first. */
  list(account: string, page: WatchPage): Promise<Watch[]>;
  /** Changes a watch as it is at that moment, and gives what it is now. `change` may be called again where another was quicker. */
  change(watchId: string, change: (watch: Watch) => Watch): Promise<Watch | undefined>;
  /** Deletes a watch with its targets and deliveries: the watch at once, and of the rest part after part. */
  remove(watchId: string): Promise<void>;
  /** Deletes what is left of some watches that are gone, or never became whole: a process may end in the middle. True where there is more. */
  sweep(now: number): Promise<boolean>;
  /** Bytes that an account's watches, targets, deliveries and mailboxes take. */
  bytesOf(account: string): Promise<number>;
  /** All accounts that have watches which are not paused, or keys of a feed. */
  activeAccounts(): Promise<readonly string[]>;

  /** In the order of their names, behind one of them. */
  listTargets(
    watchId: string,
    page: { readonly limit: number; readonly after?: string | undefined },
  ): Promise<WatchTarget[]>;
  /** Replaces the targets of a watch; those that stay keep what is known of them. @param isAnew none of them does: each row is replaced in one step */
  setTargets(watchId: string, targets: readonly WatchTarget[], isAnew?: boolean): Promise<void>;
  /** How many targets an account watches, and how many of that host of which it watches most. */
  sumOf(account: string): Promise<{ readonly total: number; readonly mostOfHost: number }>;
  /** How many targets an account watches in all but one of its watches, and how many of these hosts. */
  countTargets(account: string, wish: CountWish): Promise<TargetCount>;
  /** What the watches of an account that are not paused cost: those of one check, options and interval together. A page of them. */
  ratesOf(account: string, page: RatePage): Promise<RatesRead>;
  /** Of the active targets of a watch: how many were due before that moment, and when the next one is. */
  dueOf(
    watchId: string,
    lateBefore: number,
  ): Promise<{ readonly late: number; readonly nextAt: number | null }>;
  /** Gives every target of a watch another time, or takes it out of the schedule. */
  schedule(watchId: string, isActive: boolean, dueAtOf?: (target: WatchTarget) => number): Promise<void>;
  claimTargets(claim: Claim): Promise<WatchTarget[]>;
  /** Writes what came of a claimed turn, and ends the claim; false where the claim had run out or the target is gone. */
  settleTarget(target: WatchTarget, claimedUntil: number): Promise<boolean>;

  /** Keeps deliveries; a second one of an id changes nothing. */
  keepDeliveries(deliveries: readonly Delivery[]): Promise<void>;
  /** Deletes the oldest deliveries of an account that have ended, until so many bytes are free or none is left. */
  dropEnded(account: string, bytes: number): Promise<void>;
  getDelivery(deliveryId: string): Promise<Delivery | undefined>;
  /** Newest first, of a watch or of an account. */
  listDeliveries(
    of: { readonly watchId: string } | { readonly account: string },
    page: WatchPage,
  ): Promise<Delivery[]>;
  /** Accounts with deliveries of a channel that are due, in the order of their ids. The work is bounded, however many are due. */
  dueAccounts(wish: DueWish): Promise<DuePage>;
  /** Of one account: what another has waiting costs nothing. */
  claimDeliveries(claim: Claim & Pick<Delivery, 'account' | 'channel'>): Promise<Delivery[]>;
  /** Writes how a delivery stands, and ends a claim of it. */
  settleDelivery(delivery: Delivery): Promise<void>;
  /** Lets what waited for the first test of a watch be sent. */
  release(watchId: string, now: number): Promise<void>;

  /** What waits for that, the oldest first. */
  listWaiting(waitsFor: string, limit: number): Promise<Delivery[]>;

  /** Keeps a mailbox; a second one of an id changes nothing. */
  keepMailbox(mailbox: Mailbox): Promise<void>;
  getMailbox(mailboxId: string): Promise<Mailbox | undefined>;
  confirmMailbox(mailboxId: string, now: number): Promise<void>;
  /** Notes when a mailbox is looked at again, and the last mail to it where there was one now. */
  noteMailbox(
    mailboxId: string,
    note: { readonly lookAt: number; readonly mailedAt?: number },
  ): Promise<void>;
  /** Some mailboxes that are to be looked at by now, and when the last mail went to each; 0 where none did. */
  idleMailboxes(now: number, limit: number): Promise<readonly IdleMailbox[]>;
  removeMailbox(mailboxId: string): Promise<void>;
  /** By the digest of an address. */
  getStop(digest: string): Promise<Stop | undefined>;
  setStop(digest: string, stop: Stop): Promise<void>;
  /** Takes one of `most` that there are of a name until then; false where all are taken. It is kept over restarts. */
  takeOne(name: string, most: number, until: number): Promise<boolean>;

  setLinks(account: string, links: Links | undefined): Promise<void>;
  /** The account that has this key. */
  findLink(kind: LinkKind, digest: string): Promise<string | undefined>;
  /** Deletes, and gives how many watches and targets were deleted. */
  purge(wish: WatchWish): Promise<number>;
  /** Makes what its calls need, such as indexes, which its first call does else. */
  prepare?(): Promise<void>;
  close(): Promise<void>;
}
