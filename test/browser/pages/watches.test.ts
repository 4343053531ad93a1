import { afterAll, expect, test, vi } from 'vitest';
import { randomId } from '#shared/model/job';
import { digestOfAddress, mailboxIdOf } from '#shared/model/mailbox';
import type { Scope } from '#shared/ports/token-store';
import { makeToken } from '#shared/stores/tokens/make-token';
import { openService } from '../../api/kit.ts';
import { deliveryOf, targetOf, watchOf } from '../../contract/watch-store.contract.ts';
import { openTestBrowser } from './kit.ts';
import { expectReadable, listen, openWithAxe } from './looks.ts';

const browser = await openTestBrowser();
const service = await openService({ withWorker: false, settings: { AUTH_MODE: 'token', RATE_LIMIT: 'off' } });
afterAll(async () => {
  await browser.close();
  await service.close();
});
const { watches, tokenStore } = service.backend;
const addressOf = (path: string) => `http://127.0.0.1:${service.port}${path}`;

/** A token, and the cookie of its session. */
async function draw(scopes: readonly Scope[] = ['tools', 'reports:read', 'watch']) {
  const account = randomId();
  const { text, token } = makeToken(
    { name: 'test', scopes, limits: {}, expiresAt: null, account },
    Date.now(),
  );
  await tokenStore.insert(token);
  const answer = await fetch(addressOf('/session'), {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ token: text }),
  });
  const cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? '';
  return { account, text, cookie };
}

/** A watch with a webhook, two targets, and deliveries of every state. */
async function seed(account: string) {
  const watch = watchOf({
    account,
    label: 'Shops <b>of ours</b> \u202e',
    targetCount: 2,
    createdAt: Date.now(),
    secret: 'whsec_b2xk',
    isConfirmed: true,
    notify: { ...watchOf().notify, webhook: { url: 'https://hooks.example.com/in/hidden?key=hidden' } },
  });
  const long = `${'long-label-'.repeat(5)}.example.com`;
  await watches.create(watch, [
    {
      ...targetOf(watch, 'a.example.com', Date.now() + 9e6),
      state: 'ok',
      score: 91,
      grade: 'A',
      checkedAt: 1e12,
    },
    { ...targetOf(watch, long, Date.now() + 9e6), state: 'unchecked', problem: 'overloaded' },
  ]);
  const now = Date.now();
  const sent = deliveryOf(watch, { state: 'delivered', attempts: 1, createdAt: now });
  await watches.keepDeliveries([
    sent,
    deliveryOf(watch, {
      state: 'dead',
      attempts: 8,
      failure: 'it answered 500',
      createdAt: now - 1,
      type: 'watch.expiring',
    }),
    deliveryOf(watch, {
      channel: 'feed',
      state: 'delivered',
      target: null,
      type: 'watch.paused',
      createdAt: now - 2,
    }),
  ]);
  return { watch, sent };
}

test('the pages of watches: no axe violation, nothing beyond the edge', { timeout: 240_000 }, async () => {
  const { account, cookie } = await draw();
  const empty = await draw();
  const { watch } = await seed(account);
  for (const [path, sent] of [
    ['/watches', cookie],
    [`/watches/${watch.watchId}`, cookie],
    ['/watches', empty.cookie],
  ] as const) {
    const page = await openWithAxe(browser);
    const complaints = listen(page);
    await page.setExtraHTTPHeaders({ cookie: sent });
    await page.goto(addressOf(path), { waitUntil: 'load' });
    expect(await page.$('h1')).not.toBeNull();
    await expectReadable(page);
    expect(complaints).toEqual([]);
    await page.browserContext().close();
  }
});

test.for([true, false])(
  'with scripts or without (%s) every button works',
  { timeout: 180_000 },
  async (script) => {
    const { account, text } = await draw();
    const { watch, sent } = await seed(account);
    const page = await browser.open({ script });
    await page.goto(addressOf(`/watches/${watch.watchId}`));
    await page.type('#token-text', text);
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
    const wordsOf = async () => String(await page.evaluate('document.querySelector("main").innerText'));
    const press = async (act: string) => {
      await Promise.all([page.waitForNavigation(), page.click(`form:has([value="${act}"]) button`)]);
      return wordsOf();
    };
    expect(await wordsOf()).toContain('Active');
    // The origin of the webhook alone, and the caller's text as text.
    const html = await page.content();
    expect(html).not.toMatch(/hidden\b.*hooks|key=hidden|in\/hidden|<b>of ours/);
    expect(await wordsOf()).toContain('Shops <b>of ours</b> ⟨U+202E⟩');
    expect(await press('pause')).toContain('Paused');
    expect((await watches.get(watch.watchId))?.pausedReason).toBe('owner');
    expect(await watches.dueOf(watch.watchId, 0)).toMatchObject({ nextAt: null });
    expect(await press('resume')).toContain('Active');
    expect((await watches.dueOf(watch.watchId, 0)).nextAt).not.toBeNull();
    await press('test');
    await vi.waitFor(async () =>
      expect(await watches.listDeliveries({ watchId: watch.watchId }, { limit: 9 })).toHaveLength(4),
    );
    await press(sent.deliveryId);
    expect(await watches.getDelivery(sent.deliveryId)).toMatchObject({
      state: 'pending',
      attempts: 0,
      isExtra: true,
    });
    const shown = await press('secret');
    const { secret, oldSecret } = (await watches.get(watch.watchId)) ?? {};
    expect(oldSecret?.text).toBe('whsec_b2xk');
    expect(shown).toContain(String(secret));
    // Shown by the POST alone.
    await page.goto(addressOf(`/watches/${watch.watchId}`));
    expect(await page.content()).not.toContain('whsec_');
    expect(page.url()).not.toMatch(/whsec|dtk_/);
    await page.browserContext().close();
  },
);

test('a watch is its account’s alone, and no page of another site changes it', async () => {
  const [owner, other, unscoped] = [await draw(), await draw(), await draw(['tools', 'reports:read'])];
  const { watch } = await seed(owner.account);
  const path = addressOf(`/watches/${watch.watchId}`);
  const post = (headers: Record<string, string>, act = 'pause') =>
    fetch(path, { method: 'POST', redirect: 'manual', headers, body: new URLSearchParams({ act }) });
  const statusOf = async (cookie: string) => (await fetch(path, { headers: { cookie } })).status;
  expect(await statusOf(other.cookie)).toBe(404);
  expect(await statusOf(unscoped.cookie)).toBe(403);
  expect(await statusOf('')).toBe(401);
  expect((await post({ cookie: other.cookie })).status).toBe(404);
  expect((await post({ cookie: owner.cookie, 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  expect((await post({ cookie: owner.cookie, origin: 'https://evil.test' })).status).toBe(403);
  expect((await post({ cookie: owner.cookie }, 'toString')).status).toBe(400);
  expect((await watches.get(watch.watchId))?.pausedReason).toBeNull();
  const answer = await fetch(path, { headers: { cookie: owner.cookie } });
  expect(answer.headers.get('cache-control')).toBe('private, no-store');
  expect((await post({ cookie: owner.cookie })).status).toBe(303);
});

test(
  'the pages of mail: readable, and their buttons work without scripts',
  { timeout: 240_000 },
  async () => {
    const to = 'me@example.test';
    const { account } = await draw();
    const mailboxId = mailboxIdOf(account, to);
    const [confirmKey, stopKey] = ['c'.repeat(22), 's'.repeat(22)];
    await watches.keepMailbox({
      mailboxId,
      account,
      to,
      confirmKey,
      stopKey,
      createdAt: 1,
      confirmedAt: null,
    });
    const waiting = Array.from({ length: 130 }, (_, at) =>
      deliveryOf(watchOf({ account }), { channel: 'email', waitsFor: mailboxId, createdAt: at }),
    );
    await watches.keepDeliveries(waiting);
    const confirm = addressOf(`/mail/confirm?key=${mailboxId}-${confirmKey}`);
    const stop = addressOf(`/mail/stop?key=${mailboxId}-${stopKey}`);
    for (const address of [confirm, stop]) {
      const page = await openWithAxe(browser);
      await page.goto(address, { waitUntil: 'load' });
      await expectReadable(page);
      await page.browserContext().close();
    }
    expect((await watches.getMailbox(mailboxId))?.confirmedAt).toBeNull();
    const page = await browser.open({ script: false });
    const press = async () => {
      await Promise.all([page.waitForNavigation(), page.click('main form button')]);
      return String(await page.evaluate('document.querySelector("h1").innerText'));
    };
    await page.goto(confirm);
    expect(await press()).toBe('Your address is confirmed');
    expect(await watches.listWaiting(mailboxId, 9)).toEqual([]);
    expect(await watches.getDelivery(waiting[129]?.deliveryId ?? '')).toMatchObject({ waitsFor: null });
    await page.goto(stop);
    expect(await press()).toBe('Mail is stopped');
    expect(await watches.getStop(digestOfAddress(to))).toMatchObject({ isOn: true });
    await page.goto(confirm);
    expect(await page.$('main form')).toBeNull();
    await page.goto(stop);
    expect(await press()).toBe('Stop all mail');
    expect(await watches.getStop(digestOfAddress(to))).toMatchObject({ isOn: false });
    await page.browserContext().close();
  },
);
