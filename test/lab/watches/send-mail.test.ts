import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeDeliveries } from '#shared/catalogue/watch-event';
import { openKept } from '#shared/limits/kept';
import { randomId } from '#shared/model/job';
import { digestOfAddress, type Mailbox, mailboxIdOf } from '#shared/model/mailbox';
import type { Delivery, Watch } from '#shared/model/watch';
import { dayOf, digestTime, retryAfterS } from '#shared/model/watch-times';
import type { WatchStore } from '#shared/ports/watch-store';
import { openMemoryAccountTurns } from '#shared/stores/account-turns/memory';
import { openSqliteBatches } from '#shared/stores/batches/sqlite';
import { openMongoWatchStore } from '#shared/stores/watches/mongo';
import { openSqliteWatchStore } from '#shared/stores/watches/sqlite';
import { openLogger } from '#shared/telemetry/logger';
import type { MailContext } from '../../../worker/watches/context.ts';
import { openMailer } from '../../../worker/watches/mail/mailer.ts';
import { sendMail } from '../../../worker/watches/mail/send-mail.ts';
import { targetOf, watchOf } from '../../contract/watch-store.contract.ts';
import { hasMongo, startMongo, type TestMongo, withDatabase } from '../../kit/mongo.ts';
import { type MailServerLab, openMailServer } from '../kit/mail-server.ts';

const log = { error: console.error, warn: () => undefined, info: () => undefined, debug: () => undefined };
const service = 'https://checks.test/tools';
const signal = new AbortController().signal;

/** What every store of watches makes possible. */
function mailTests(open: () => WatchStore): void {
  let watches: WatchStore;
  let server: MailServerLab;
  let now: number;
  let context: MailContext;
  beforeAll(async () => {
    watches = open();
    server = await openMailServer();
    const mail = { server: { host: '127.0.0.1', port: server.port, isSecure: false, login: undefined } };
    context = {
      backend: { watches },
      kept: openKept({
        accountTurns: openMemoryAccountTurns(),
        batches: openSqliteBatches(':memory:', openLogger('silent')),
        watches,
      }),
      config: { RATE_LIMIT: false },
      now: () => now,
      mailer: openMailer({ ...mail, wholeMs: 20_000 }),
      from: 'watches@checks.test',
      service,
    } as unknown as MailContext;
  });
  afterAll(async () => {
    await server.close();
    await watches.close();
  });

  /** A watch that tells an address, confirmed or not. */
  async function watching(to: string, more: Partial<Watch> = {}, confirmedAt: number | null = null) {
    now = Date.now();
    const watch = watchOf({ notify: { ...watchOf().notify, email: { to } }, ...more });
    const mailbox: Mailbox = {
      mailboxId: mailboxIdOf(watch.account, to),
      account: watch.account,
      to,
      confirmKey: 'c'.repeat(22),
      stopKey: 's'.repeat(22),
      createdAt: now,
      confirmedAt,
    };
    await watches.create(watch, [targetOf(watch, 'a.test', 1)]);
    await watches.keepMailbox(mailbox);
    return { watch, mailbox };
  }

  /** An event of a watch, told by e-mail: as it stands afterwards. */
  async function tell(watch: Watch, type: Delivery['type'] = 'watch.changed', target = 'a.test') {
    const wish = { type, target, severity: 'high', summary: `${target}: something.` } as const;
    const made = makeDeliveries(watch, wish, now, service).filter(({ channel }) => channel === 'email');
    await watches.keepDeliveries(made);
    return send(String(made[0]?.deliveryId));
  }

  async function send(deliveryId: string): Promise<Delivery> {
    const delivery = await watches.getDelivery(deliveryId);
    if (!delivery) throw new Error('it is kept');
    await sendMail(context, delivery, signal);
    return (await watches.getDelivery(deliveryId)) ?? delivery;
  }

  const mailsTo = (to: string) => server.taken.filter((one) => one.to.includes(to));

  test('an address is asked, and nothing else is sent there before it is confirmed', async () => {
    const to = `${randomId()}@example.test`;
    const { watch, mailbox } = await watching(to, { label: 'CALLER TEXT' });
    expect(await tell(watch)).toMatchObject({ state: 'pending', nextAttemptAt: null, attempts: 0 });
    expect(mailsTo(to)).toEqual([]);
    expect(await tell(watch, 'watch.test')).toMatchObject({ state: 'delivered', attempts: 1 });
    const [question] = mailsTo(to);
    expect(question?.headers.get('subject')).toBe('[Diagnostic Tools] Confirm your e-mail address');
    expect(question?.text).toContain(`${service}/mail/confirm?key=${mailbox.mailboxId}-${'c'.repeat(22)}`);
    // It says nothing that the account has written.
    expect(question?.raw).not.toMatch(/CALLER|a\.test/);
    expect(await watches.listWaiting(mailbox.mailboxId, 9)).toHaveLength(1);
    await watches.confirmMailbox(mailbox.mailboxId, now + 1);
    expect(await tell(watch)).toMatchObject({ state: 'delivered' });
    const [, told] = mailsTo(to);
    expect(told?.headers.get('subject')).toBe('[Diagnostic Tools] Something got worse: a.test');
    expect(told?.headers.get('list-unsubscribe')).toBe(
      `<${service}/mail/stop?key=${mailbox.mailboxId}-${'s'.repeat(22)}>`,
    );
    expect(told?.headers.get('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click');
    expect(told?.headers.get('auto-submitted')).toBe('auto-generated');
    // Its mailbox is kept for the links of it.
    const idle = await watches.idleMailboxes(now + 86_400_000, 1000);
    const own = idle.find((one) => one.mailbox.mailboxId === mailbox.mailboxId);
    expect(own?.mailedAt).toBe(now);
  });

  test('an address gets three questions a day, whoever asks and however it is written', async () => {
    const name = randomId();
    const states: string[] = [];
    for (const to of [
      `${name}@example.test`,
      `${name}+a@example.test`,
      `${name.toUpperCase()}@example.test`,
    ]) {
      const { watch } = await watching(to);
      states.push((await tell(watch, 'watch.test')).state, (await tell(watch, 'watch.test')).state);
    }
    expect(states).toEqual(['delivered', 'delivered', 'delivered', 'dead', 'dead', 'dead']);
    now += 86_400_000;
    const { watch } = await watching(`${name}@example.test`);
    now += 86_400_000;
    expect((await tell(watch, 'watch.test')).state).toBe('delivered');
  });

  test('an account has twenty questions a day sent, to whatever addresses', async () => {
    const account = randomId();
    const states: string[] = [];
    for (let at = 0; at < 22; at += 1) {
      const { watch } = await watching(`${randomId()}@example.test`, { account });
      states.push((await tell(watch, 'watch.test')).state);
    }
    expect(states.filter((state) => state === 'delivered')).toHaveLength(20);
  });

  test(
    'an address gets twenty messages a day, and the rest as one digest',
    { timeout: 120_000 },
    async () => {
      const to = `${randomId()}@example.test`;
      const { watch, mailbox } = await watching(to, {}, Date.now() - 1);
      const other = await watching(to, {}, Date.now() - 1);
      const told: Delivery[] = [];
      for (let at = 0; at < 30; at += 1)
        told.push(await tell(at % 2 === 0 ? watch : other.watch, 'watch.changed', `t${at}.test`));
      expect(told.filter(({ state }) => state === 'delivered')).toHaveLength(20);
      expect(mailsTo(to)).toHaveLength(20);
      const held = told.filter(({ waitsFor }) => waitsFor !== null);
      expect(held).toHaveLength(10);
      const digests = [...new Set(held.map(({ waitsFor }) => String(waitsFor)))];
      expect(digests).toHaveLength(2); // each account has one of its own
      const due = await watches.getDelivery(digests[0] ?? '');
      expect(due?.nextAttemptAt).toBe(digestTime(mailbox.mailboxId, now));
      expect(due?.nextAttemptAt).toBeGreaterThanOrEqual(dayOf(now).end);
      now = dayOf(now).end + 3_600_000;
      for (const digest of digests) expect((await send(digest)).state).toBe('delivered');
      expect(mailsTo(to)).toHaveLength(22);
      const last = mailsTo(to).at(-2);
      expect(last?.headers.get('subject')).toBe('[Diagnostic Tools] Events of your watches');
      expect(last?.text.match(/t\d+\.test: something/g)).toHaveLength(5);
      for (const { deliveryId } of held)
        expect(await watches.getDelivery(deliveryId)).toMatchObject({
          state: 'delivered',
          waitsFor: null,
          nextAttemptAt: null,
        });
    },
  );

  test('who wants no mail gets none, of whatever account, and has to confirm anew after that', async () => {
    const to = `${randomId()}@example.test`;
    const first = await watching(to, {}, Date.now() - 1);
    const second = await watching(to, {}, Date.now() - 1);
    await watches.setStop(digestOfAddress(to.toUpperCase()), { at: now, isOn: true });
    for (const { watch } of [first, second]) {
      expect(await tell(watch)).toMatchObject({ state: 'dead', failure: 'the address wants no mail' });
      expect(await tell(watch, 'watch.test')).toMatchObject({ state: 'dead' });
    }
    await watches.setStop(digestOfAddress(to), { at: now, isOn: false });
    expect(await tell(second.watch)).toMatchObject({ state: 'pending', nextAttemptAt: null });
    expect(mailsTo(to)).toEqual([]);
  });

  test('a refusal is tried again as often as with webhooks, counted once, and then dead', async () => {
    const to = `${randomId()}@example.test`;
    const { watch } = await watching(to, {}, Date.now() - 1);
    server.refuse('data', 451);
    let one = await tell(watch);
    const waits: number[] = [];
    while (one.state === 'retrying') {
      waits.push((Number(one.nextAttemptAt) - now) / 1000);
      one = await send(one.deliveryId);
    }
    expect(waits).toEqual([...retryAfterS]);
    expect(one).toMatchObject({ state: 'dead', attempts: 8, failure: 'the mail server answered 451' });
    server.refuse('rcpt', 550);
    expect(await tell(watch)).toMatchObject({ state: 'dead', attempts: 1 });
    server.refuse('none');
    // Two of the twenty are gone, not nine.
    for (let at = 0; at < 18; at += 1) expect((await tell(watch)).state).toBe('delivered');
    expect((await tell(watch)).waitsFor).not.toBeNull();
  });

  test('nothing that a target or a caller says makes a field, a line or hidden text', async () => {
    const to = `${randomId()}@example.test`;
    const evil = 'x\r\nBcc: evil@example.test\r\n\r\n\u0000\u0100\u202e<b>';
    const { watch } = await watching(to, { label: evil }, Date.now() - 1);
    const news = [
      {
        kind: 'finding-added',
        code: 'a',
        category: null,
        severity: 'high',
        title: evil,
        fix: evil,
        text: evil,
      } as const,
    ];
    const wish = { type: 'watch.changed', target: evil, severity: 'high', summary: evil, news } as const;
    const [, made] = makeDeliveries(watch, wish, now, service);
    await watches.keepDeliveries(made ? [made] : []);
    expect(await send(String(made?.deliveryId))).toMatchObject({ state: 'delivered' });
    const [taken] = mailsTo(to);
    expect(taken?.to).toEqual([to]);
    expect(taken?.headers.has('bcc')).toBe(false);
    expect(taken?.headers.get('subject')).toBe('[Diagnostic Tools] Something got worse');
    expect(taken?.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(taken?.text).not.toMatch(/^Bcc/m);
    expect(taken?.text).toContain('x␍␊Bcc: evil@example.test␍␊␍␊␀Ā⟨U+202E⟩<b>');
  });
}

describe('with sqlite', () => {
  mailTests(() => openSqliteWatchStore(':memory:', log));
});

describe.skipIf(!hasMongo)('with mongo', () => {
  let mongo: TestMongo;
  beforeAll(async () => {
    mongo = await startMongo();
  });
  afterAll(() => mongo.stop());
  mailTests(() => openMongoWatchStore(withDatabase(mongo.url, `m${randomId().slice(0, 12)}`), log));
});
