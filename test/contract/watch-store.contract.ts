import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeDeliveries } from '#shared/catalogue/watch-event';
import { randomId } from '#shared/model/job';
import type { Delivery, Watch, WatchTarget } from '#shared/model/watch';
import type { WatchStore } from '#shared/ports/watch-store';

const hour = 3_600_000;

/** A watch that differs from others only where it is said. */
export function watchOf(more: Partial<Watch> = {}): Watch {
  return {
    watchId: randomId(),
    account: randomId(),
    label: null,
    check: 'dns-check',
    options: {},
    everySeconds: 3600,
    targetCount: 1,
    pausedReason: null,
    notify: { webhook: null, email: null, minSeverity: 'medium', daysBefore: [30, 7, 1] },
    secret: null,
    oldSecret: null,
    isConfirmed: false,
    createdAt: 1_800_000_000_000,
    isWhole: true,
    ...more,
  };
}

export function targetOf(watch: Watch, target: string, dueAt: number): WatchTarget {
  return {
    watchId: watch.watchId,
    account: watch.account,
    target,
    host: target.split('.').slice(-2).join('.'),
    dueAt,
    isActive: true,
    state: 'new',
    reportId: null,
    checkedAt: null,
    score: null,
    grade: null,
    problem: null,
    missed: 0,
    paidFor: null,
    pending: [],
    second: null,
    base: null,
    memory: {},
    expiries: {},
  };
}

export function deliveryOf(watch: Watch, more: Partial<Delivery> = {}): Delivery {
  return {
    deliveryId: randomId(),
    watchId: watch.watchId,
    account: watch.account,
    channel: 'webhook',
    type: 'watch.changed',
    target: 'a.test',
    createdAt: 1_800_000_000_000,
    state: 'pending',
    attempts: 0,
    nextAttemptAt: null,
    httpStatus: null,
    failure: null,
    waitsFor: null,
    isExtra: false,
    expiresAt: Date.now() + hour,
    body: '{"type":"watch.changed"}',
    ...more,
  };
}

/** What every store of watches promises. @param many more rows than one step takes; the server of the tests scans where a real one has an index */
export function watchStoreContract(open: () => Promise<WatchStore>, many = 423): void {
  let store: WatchStore;
  beforeEach(async () => {
    store = await open();
  });
  afterEach(() => store.close());

  test('watches come back newest first, in pages, to their account alone, and go with all that is theirs', async () => {
    const account = randomId();
    const watches = [3, 2, 1].map((at) => watchOf({ account, createdAt: 1_800_000_000_000 + at }));
    for (const watch of watches) await store.create(watch, [targetOf(watch, 'a.test', 1)]);
    await store.create(watchOf(), []);
    const [first] = watches;
    if (!first) throw new Error('there are three');
    expect(await store.get(first.watchId)).toEqual(first);
    const page = await store.list(account, { limit: 2 });
    expect(page).toEqual(watches.slice(0, 2));
    const before = { createdAt: page[1]?.createdAt ?? 0, id: page[1]?.watchId ?? '' };
    expect(await store.list(account, { limit: 2, before })).toEqual(watches.slice(2));
    await store.keepDeliveries([deliveryOf(first)]);
    await store.remove(first.watchId);
    expect(await store.get(first.watchId)).toBeUndefined();
    expect(await store.listTargets(first.watchId, { limit: 9 })).toEqual([]);
    expect(await store.listDeliveries({ watchId: first.watchId }, { limit: 9 })).toEqual([]);
  });

  test('changes of one watch by several at once are all kept', async () => {
    const watch = watchOf({ targetCount: 0 });
    await store.create(watch, []);
    const add = () => store.change(watch.watchId, (now) => ({ ...now, targetCount: now.targetCount + 1 }));
    await Promise.all(Array.from({ length: 5 }, add));
    expect((await store.get(watch.watchId))?.targetCount).toBe(5);
    expect(await store.change(randomId(), (now) => now)).toBeUndefined();
  });

  test('what is due is claimed once, by whoever is first, and again only when the claim has run out', async () => {
    const watch = watchOf();
    const names = Array.from({ length: 12 }, (_, at) => `t${at}.test`);
    await store.create(watch, [
      ...names.map((name, at) => targetOf(watch, name, 100 + at)),
      targetOf(watch, 'later.test', 5000),
    ]);
    const claim = { now: 1000, until: 2000, limit: 5 };
    const taken = (await Promise.all([1, 2, 3].map(() => store.claimTargets(claim)))).flat();
    expect(taken.map(({ target }) => target).toSorted()).toEqual(names.toSorted());
    expect(await store.claimTargets(claim)).toEqual([]);
    const [one, two] = taken;
    if (!one || !two) throw new Error('there are twelve');
    // What the turn leaves to a second look is there for whoever takes that.
    const open = { pending: ['grade'], second: { check: 'ssl-check', target: one.target, dueAt: 9000 } };
    const done: WatchTarget = { ...one, ...open, dueAt: 9000, state: 'ok', reportId: randomId(), base: 'x' };
    expect(await store.settleTarget(done, 1999)).toBe(false);
    expect(await store.settleTarget(done, 2000)).toBe(true);
    const kept = await store.listTargets(watch.watchId, { limit: 20 });
    expect(kept.find(({ target }) => target === one.target)).toMatchObject(open);
    const later = await store.claimTargets({ now: 2001, until: 3000, limit: 50 });
    expect(later.map(({ target }) => target)).not.toContain(one.target);
    expect(later).toHaveLength(11);
    // Whose claim has run out may not write over the next one.
    expect(await store.settleTarget({ ...two, dueAt: 1 }, 2000)).toBe(false);
    const known = await store.listTargets(watch.watchId, { limit: 50 });
    expect(known.find(({ target }) => target === one.target)).toEqual(done);
    expect(known.map(({ target }) => target)).toEqual([...names, 'later.test'].toSorted());
  });

  test('a paused watch has no turns, other times move them, and targets that stay keep what is known', async () => {
    const watch = watchOf();
    await store.create(watch, [targetOf(watch, 'a.test', 10), targetOf(watch, 'b.test', 20)]);
    expect(await store.dueOf(watch.watchId, 15)).toEqual({ late: 1, nextAt: 10 });
    expect(await store.activeAccounts()).toContain(watch.account);
    await store.schedule(watch.watchId, false);
    expect(await store.claimTargets({ now: 1000, until: 2000, limit: 5 })).toEqual([]);
    expect(await store.dueOf(watch.watchId, 15)).toEqual({ late: 0, nextAt: null });
    await store.schedule(watch.watchId, true, () => 500);
    const [a] = await store.claimTargets({ now: 500, until: 600, limit: 1 });
    if (!a) throw new Error('one is due');
    await store.settleTarget({ ...a, dueAt: 900, state: 'ok', missed: 2 }, 600);
    await store.setTargets(watch.watchId, [targetOf(watch, a.target, 1), targetOf(watch, 'c.test', 700)]);
    const known = await store.listTargets(watch.watchId, { limit: 5 });
    expect(known.map(({ target, missed, dueAt }) => [target, missed, dueAt])).toEqual([
      [a.target, 2, 900],
      ['c.test', 0, 700],
    ]);
    const other = watchOf({ account: watch.account });
    await store.create(other, [targetOf(other, 'x.c.test', 1)]);
    expect(await store.sumOf(watch.account)).toEqual({ total: 3, mostOfHost: 2 });
    expect(await store.sumOf(randomId())).toEqual({ total: 0, mostOfHost: 0 });
    expect(await store.countTargets(watch.account, { hosts: ['c.test', 'z.test'] })).toEqual({
      total: 3,
      hosts: new Map([['c.test', 2]]),
    });
    const except = other.watchId;
    expect(await store.countTargets(watch.account, { hosts: ['c.test', a.target], except })).toEqual({
      total: 2,
      hosts: new Map([
        [a.target, 1],
        ['c.test', 1],
      ]),
    });
    expect(await store.countTargets(randomId(), { hosts: ['c.test'], except })).toEqual({
      total: 0,
      hosts: new Map(),
    });
  });

  test('watches of one check, options and interval are summed up, without those that are paused', async () => {
    const account = randomId();
    const rate = { check: 'dns-check', options: { selectors: ['a'] }, everySeconds: 3600 };
    const [first, second, paused, other] = [
      watchOf({ account, ...rate, targetCount: 3 }),
      watchOf({ account, ...rate, targetCount: 4 }),
      watchOf({ account, ...rate, targetCount: 5, pausedReason: 'owner' }),
      watchOf({ account, ...rate, everySeconds: 60, targetCount: 6 }),
    ];
    for (const watch of [first, second, paused, other, watchOf()]) if (watch) await store.create(watch, []);
    const sums = async (except?: string) =>
      (await store.ratesOf(account, { except, after: '', limit: 9 })).rates.toSorted(
        (a, b) => b.everySeconds - a.everySeconds,
      );
    const page = await store.ratesOf(account, { after: '', limit: 1 });
    const rest = await store.ratesOf(account, { after: page.next, limit: 9 });
    expect([page.rates.length, rest.rates.length, rest.next]).toEqual([1, 1, '']);
    const sixty = { ...rate, everySeconds: 60, targetCount: 6 };
    expect(await sums()).toEqual([{ ...rate, targetCount: 7 }, sixty]);
    expect(await sums(second?.watchId)).toEqual([{ ...rate, targetCount: 3 }, sixty]);
    await store.change(String(first?.watchId), (now) => ({ ...now, targetCount: 10, everySeconds: 60 }));
    expect(await sums()).toEqual([
      { ...rate, targetCount: 4 },
      { ...sixty, targetCount: 16 },
    ]);
  });

  test('hundreds of targets and events of a watch are kept, moved, released and deleted, and what they take is counted', async () => {
    const watch = watchOf();
    const { watchId, account } = watch;
    const names = Array.from({ length: many }, (_, at) => `t${String(at).padStart(4, '0')}.a.test`);
    const targets = names.map((name) => targetOf(watch, name, 10));
    await store.create(watch, targets);
    expect(await store.sumOf(account)).toEqual({ total: many, mostOfHost: many });
    await store.schedule(watchId, true, () => 20);
    expect(await store.dueOf(watchId, 21)).toEqual({ late: many, nextAt: 20 });
    await store.setTargets(watchId, targets.slice(20));
    expect(await store.sumOf(account)).toMatchObject({ total: many - 20 });
    const bytes = await store.bytesOf(account);
    expect(bytes).toBeGreaterThan((many - 20) * JSON.stringify(targets[0]).length);
    const events = Array.from({ length: many }, (_, at) => deliveryOf(watch, { createdAt: 1000 + at }));
    await store.keepDeliveries(events);
    expect(await store.bytesOf(account)).toBeGreaterThan(bytes + many * JSON.stringify(events[0]).length);
    await store.release(watchId, 50);
    const due = await store.claimDeliveries({ channel: 'webhook', account, now: 60, until: 70, limit: 1000 });
    expect(due).toHaveLength(many);
    await store.remove(watchId);
    expect(await store.get(watchId)).toBeUndefined();
    expect(await store.listTargets(watchId, { limit: 1 })).toEqual([]);
    expect(await store.listDeliveries({ watchId }, { limit: 1 })).toEqual([]);
    expect(await store.bytesOf(account)).toBe(0);
    expect(await store.sweep(Date.now())).toBe(false);
  });

  test('a mailbox is kept once and confirmed, and who wants no mail is known by a digest', async () => {
    const mailboxId = randomId();
    const mailbox = {
      mailboxId,
      account: randomId(),
      to: 'me@example.test',
      confirmKey: 'a',
      stopKey: 'b',
      createdAt: 1,
      confirmedAt: null,
    };
    await store.confirmMailbox(mailboxId, 5);
    expect(await store.getMailbox(mailboxId)).toBeUndefined();
    await store.keepMailbox(mailbox);
    await store.keepMailbox({ ...mailbox, confirmKey: 'c' });
    expect(await store.getMailbox(mailboxId)).toEqual(mailbox);
    await store.confirmMailbox(mailboxId, 5);
    expect(await store.getMailbox(mailboxId)).toEqual({ ...mailbox, confirmedAt: 5 });
    expect(await store.getStop('digest')).toBeUndefined();
    await store.setStop('digest', { at: 1, isOn: true });
    await store.setStop('digest', { at: 2, isOn: false });
    expect(await store.getStop('digest')).toEqual({ at: 2, isOn: false });
    await store.purge({ account: mailbox.account });
    expect(await store.getMailbox(mailboxId)).toBeUndefined();
    expect(await store.getStop('digest')).toEqual({ at: 2, isOn: false });
  });

  test('a mailbox is counted until it is gone, and looked at when it is time', async () => {
    const [mailboxId, account] = [randomId(), randomId()];
    const drawn = { to: 'me@example.test', confirmKey: 'a', stopKey: 'b', createdAt: 1, confirmedAt: null };
    await store.keepMailbox({ mailboxId, account, ...drawn });
    expect(await store.bytesOf(account)).toBeGreaterThan(100);
    const idleAt = async (now: number) =>
      (await store.idleMailboxes(now, 1000)).find(({ mailbox }) => mailbox.mailboxId === mailboxId);
    expect((await idleAt(0))?.mailedAt).toBe(0);
    await store.noteMailbox(mailboxId, { lookAt: 500, mailedAt: 400 });
    expect(await idleAt(499)).toBeUndefined();
    await store.noteMailbox(mailboxId, { lookAt: 600 });
    await store.confirmMailbox(mailboxId, 5);
    expect(await idleAt(600)).toMatchObject({ mailedAt: 400, mailbox: { account, confirmedAt: 5 } });
    await store.removeMailbox(mailboxId);
    expect(await store.getMailbox(mailboxId)).toBeUndefined();
    expect(await store.bytesOf(account)).toBe(0);
  });

  test('targets that are set anew lose what is known of them, each in one step', async () => {
    const watch = watchOf();
    await store.create(watch, [targetOf(watch, 'a.test', 10), targetOf(watch, 'b.test', 20)]);
    await store.schedule(watch.watchId, true, () => 77);
    const wanted = [targetOf(watch, 'a.test', 1), targetOf(watch, 'c.test', 2)];
    await store.setTargets(watch.watchId, wanted, true);
    const known = await store.listTargets(watch.watchId, { limit: 5 });
    expect(known.map(({ target, dueAt }) => [target, dueAt])).toEqual([
      ['a.test', 1],
      ['c.test', 2],
    ]);
  });

  test('the oldest deliveries that have ended go for room, and none that is still to be sent', async () => {
    const watch = watchOf();
    const wish = { type: 'watch.changed', target: 'a.test', severity: 'high', summary: 'x' } as const;
    const make = (once: string, at: number) =>
      makeDeliveries(watch, { ...wish, once }, at, undefined).slice(0, 1);
    const now = Date.now();
    const all = [...make('old', now - 3000), ...make('young', now - 1000), ...make('sent', now - 5000)];
    const [old, young, waiting] = all.map((one) => ({
      ...one,
      nextAttemptAt: null,
      state: 'delivered' as const,
    }));
    if (!old || !young || !waiting) throw new Error('there are three');
    await store.keepDeliveries([old, young, { ...waiting, state: 'pending', nextAttemptAt: now }]);
    const before = await store.bytesOf(watch.account);
    await store.dropEnded(watch.account, 1);
    expect(await store.getDelivery(old.deliveryId)).toBeUndefined();
    expect(await store.getDelivery(young.deliveryId)).toBeDefined();
    expect(await store.bytesOf(watch.account)).toBeLessThan(before);
    await store.dropEnded(watch.account, 1_000_000);
    expect(await store.getDelivery(young.deliveryId)).toBeUndefined();
    expect(await store.getDelivery(waiting.deliveryId)).toBeDefined();
  });

  test('of a name only so many are taken, by however many at once', async () => {
    const until = Date.now() + hour;
    const [name, other] = [randomId(), randomId()];
    const taken = await Promise.all(Array.from({ length: 8 }, () => store.takeOne(name, 3, until)));
    expect(taken.filter(Boolean)).toHaveLength(3);
    expect(await store.takeOne(other, 1, until)).toBe(true);
  });

  test('what waits for something is found by that, the oldest first', async () => {
    const watch = watchOf();
    const [second, first] = [2, 1].map((createdAt) => deliveryOf(watch, { createdAt, waitsFor: 'a box' }));
    if (!first || !second) throw new Error('there are two');
    await store.keepDeliveries([second, first, deliveryOf(watch, { waitsFor: 'another' })]);
    expect(await store.listWaiting('a box', 9)).toEqual([first, second]);
    expect(await store.listWaiting('a box', 1)).toEqual([first]);
    await store.settleDelivery({ ...first, waitsFor: null, nextAttemptAt: 5 });
    expect(await store.listWaiting('a box', 9)).toEqual([second]);
  });

  test('a delivery is claimed once, waits for the first test where it has to, and is kept once', async () => {
    const watch = watchOf();
    const mine = { account: watch.account, channel: 'webhook' } as const;
    const sent = deliveryOf(watch, { nextAttemptAt: 100, createdAt: 2 });
    const waiting = deliveryOf(watch, { createdAt: 1 });
    const told = deliveryOf(watch, { channel: 'feed', state: 'delivered', createdAt: 3 });
    await store.keepDeliveries([sent, waiting, told]);
    await store.keepDeliveries([{ ...sent, attempts: 9 }]);
    const claims = await Promise.all(
      [1, 2].map(() => store.claimDeliveries({ ...mine, now: 100, until: 200, limit: 5 })),
    );
    expect(claims.flat()).toEqual([sent]);
    const after = { ...sent, state: 'retrying', attempts: 1, nextAttemptAt: 5000, httpStatus: 500 } as const;
    await store.settleDelivery(after);
    expect(await store.getDelivery(sent.deliveryId)).toEqual(after);
    await store.release(watch.watchId, 150);
    const released = { ...waiting, nextAttemptAt: 150 };
    expect(await store.claimDeliveries({ ...mine, now: 150, until: 300, limit: 5 })).toEqual([released]);
    expect(await store.listDeliveries({ watchId: watch.watchId }, { limit: 2 })).toEqual([told, after]);
    const before = { createdAt: 2, id: sent.deliveryId };
    expect(await store.listDeliveries({ account: watch.account }, { limit: 2, before })).toEqual([released]);
    await store.keepDeliveries([deliveryOf(watch, { createdAt: 9, expiresAt: Date.now() - 1 })]);
    expect(await store.listDeliveries({ account: watch.account }, { limit: 9 })).toHaveLength(3);
  });

  test('the accounts that have something to send are found one after the other, and each is claimed alone', async () => {
    const watches = Array.from({ length: 3 }, () => watchOf()).toSorted((a, b) =>
      a.account < b.account ? -1 : 1,
    );
    const [first, second, third] = watches.map(({ account }) => account);
    const [due, ...more] = watches.map((watch) => deliveryOf(watch, { nextAttemptAt: 10 }));
    const later = deliveryOf(watches[2] ?? watchOf(), { nextAttemptAt: 50 });
    await store.keepDeliveries([...(due ? [due] : []), ...more.slice(0, 1), later]);
    const wish = { channel: 'webhook', now: 30, after: '' } as const;
    expect(await store.dueAccounts(wish)).toEqual({ accounts: [first, second], next: '' });
    expect(await store.dueAccounts({ ...wish, after: String(first) })).toEqual({
      accounts: [second],
      next: '',
    });
    expect(await store.dueAccounts({ ...wish, now: 50, after: String(second) })).toMatchObject({
      accounts: [third],
    });
    const claim = { channel: 'webhook', now: 30, until: 40, limit: 5 } as const;
    expect(await store.claimDeliveries({ ...claim, account: String(first) })).toEqual([due]);
    expect(await store.claimDeliveries({ ...claim, account: String(third) })).toEqual([]);
  });

  test(
    'an account with very many deliveries costs a claim of another nothing',
    { timeout: 120_000 },
    async () => {
      const [first, one] = [watchOf({ account: '0'.repeat(32) }), watchOf({ account: 'f'.repeat(32) })];
      const rows = Math.min(3000, 20 * many);
      const backlog = Array.from({ length: rows }, (_, at) => deliveryOf(first, { nextAttemptAt: 1 + at }));
      await store.keepDeliveries(backlog);
      const mine = deliveryOf(one, { nextAttemptAt: 9000 });
      await store.keepDeliveries([mine]);
      const due = await store.dueAccounts({ channel: 'webhook', now: 10_000, after: '' });
      expect(due.accounts).toEqual([first.account, one.account]);
      const claim = { channel: 'webhook', now: 10_000, until: 20_000, limit: 5 } as const;
      expect(await store.claimDeliveries({ ...claim, account: one.account })).toEqual([mine]);
      expect(await store.claimDeliveries({ ...claim, account: first.account })).toEqual(backlog.slice(0, 5));
    },
  );

  test('keys of a feed find their account until they are drawn anew', async () => {
    const account = randomId();
    const [feed, calendar] = [randomId(), randomId()];
    await store.setLinks(account, { feed, calendar });
    expect(await store.activeAccounts()).toContain(account);
    expect([await store.findLink('feed', feed), await store.findLink('calendar', feed)]).toEqual([
      account,
      undefined,
    ]);
    await store.setLinks(account, { feed: randomId(), calendar });
    expect(await store.findLink('feed', feed)).toBeUndefined();
    await store.setLinks(account, undefined);
    expect(await store.findLink('calendar', calendar)).toBeUndefined();
  });

  test('a purge takes all of an account, or a target out of the watches of all', async () => {
    const [mine, other] = [watchOf(), watchOf()];
    await store.create(mine, [targetOf(mine, 'a.test', 1), targetOf(mine, 'b.test', 1)]);
    await store.create(other, [targetOf(other, 'a.test', 1)]);
    await store.keepDeliveries([
      deliveryOf(mine, { target: 'a.test' }),
      deliveryOf(mine, { target: 'b.test' }),
    ]);
    // A watch without targets goes as well.
    expect(await store.purge({ isMeant: (target) => target === 'a.test' })).toBe(3);
    expect(await store.get(other.watchId)).toBeUndefined();
    expect((await store.listTargets(mine.watchId, { limit: 9 })).map(({ target }) => target)).toEqual([
      'b.test',
    ]);
    expect(await store.listDeliveries({ account: mine.account }, { limit: 9 })).toHaveLength(1);
    expect(await store.purge({ account: mine.account })).toBe(2);
    expect(await store.get(mine.watchId)).toBeUndefined();
    expect(await store.listDeliveries({ account: mine.account }, { limit: 9 })).toEqual([]);
  });
}
