import { request as httpRequest } from 'node:http';
import { setTimeout as after } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { makeToken } from '#shared/stores/tokens/make-token';
import { makeDeliveries } from '../../shared/catalogue/watch-event.ts';
import { openKept } from '../../shared/limits/kept.ts';
import { sweepMailboxes } from '../../worker/watches/mail/mailboxes.ts';
import { openService } from './kit.ts';

const keptBytes = 120_000;
const service = await openService({
  withWorker: false,
  keptBytes,
  settings: {
    PUBLIC_URL: 'https://diag.example',
    MAIL_URL: 'smtp://127.0.0.1:1',
    MAIL_FROM: 'diag@diag.example',
    RATE_LIMIT: 'off',
  },
});
afterAll(() => service.close());
const url = (path: string) => `http://127.0.0.1:${service.port}${path}`;

async function drawAccount() {
  const scopes = ['tools', 'reports:read', 'watch'] as const;
  const { text, token } = makeToken({ name: 'a', scopes, limits: {}, expiresAt: null }, Date.now());
  await service.backend.tokenStore.insert(token);
  const headers = { authorization: `Bearer ${text}`, 'content-type': 'application/json' };
  const ask = async (method: string, path: string, body?: object) => {
    const answer = await fetch(url(path), {
      method,
      headers,
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const told = (await answer.text()) || '{}';
    return { status: answer.status, body: JSON.parse(told) as Record<string, unknown> };
  };
  const create = async (fields: object = {}) => {
    const made = await ask('POST', '/api/watches', {
      check: 'dns-check',
      targets: ['a.test'],
      everySeconds: 86_400,
      ...fields,
    });
    expect(made.status).toBe(201);
    return String(made.body['watchId']);
  };
  return { account: token.account, headers, ask, create };
}

const hook = (path: string) => ({ notify: { webhook: { url: `https://hooks.test${path}` } } });

test('a change whose body arrives late leaves what another has changed meanwhile', async () => {
  const { ask, create, headers } = await drawAccount();
  const id = await create(hook('/old'));
  const late = httpRequest(url(`/api/watches/${id}`), { method: 'PATCH', headers });
  const answered = new Promise((resolve) => late.on('response', (response) => resolve(response.statusCode)));
  late.write('{"label":');
  await after(100);
  expect((await ask('PATCH', `/api/watches/${id}`, hook('/new'))).status).toBe(200);
  late.end('"late"}');
  expect(await answered).toBe(200);
  expect((await ask('GET', `/api/watches/${id}`)).body).toMatchObject({ label: 'late', ...hook('/new') });
});

const pairs: [string, object, object][] = [
  ['label and webhook', { label: 'x' }, hook('/x')],
  ['webhook and e-mail', hook('/x'), { notify: { email: { to: 'me@example.test' } } }],
  ['severity and days', { notify: { minSeverity: 'high' } }, { notify: { daysBefore: [3] } }],
  ['interval and label', { everySeconds: 90_000 }, { label: 'x' }],
  ['targets and label', { targets: ['b.test', 'c.test'] }, { label: 'x' }],
  ['options and webhook', { options: { dkimSelector: ['one'] } }, hook('/x')],
  ['pause and interval', { paused: true }, { everySeconds: 90_000 }],
];
test.for(pairs)('two changes at once both apply: %s', async ([, one, other]) => {
  const { ask, create } = await drawAccount();
  const id = await create();
  const both = await Promise.all([one, other].map((body) => ask('PATCH', `/api/watches/${id}`, body)));
  expect(both.map(({ status }) => status)).toEqual([200, 200]);
  const { targets: _one, ...first } = one as { targets?: unknown };
  expect((await ask('GET', `/api/watches/${id}`)).body).toMatchObject({ ...first, ...other });
});

test('targets and options that are changed at once both apply to all', async () => {
  const { ask, create } = await drawAccount();
  const id = await create();
  const targets = Array.from({ length: 40 }, (_, at) => `t${at}.test`);
  const both = await Promise.all([
    ask('PATCH', `/api/watches/${id}`, { options: { dkimSelector: ['one'] } }),
    ask('PATCH', `/api/watches/${id}`, { targets }),
    ask('PATCH', `/api/watches/${id}`, { options: { dkimSelector: ['two'] } }),
  ]);
  expect(both.map(({ status }) => status)).toEqual([200, 200, 200]);
  const { body } = await ask('GET', `/api/watches/${id}`);
  expect(body).toMatchObject({ targetCount: 40 });
  const listed = (await ask('GET', `/api/watches/${id}/targets?limit=100`)).body['targets'];
  expect((listed as { target: string }[]).map(({ target }) => target).toSorted()).toEqual(targets.toSorted());
});

test('at the bound of what it keeps an account changes nothing that keeps more, and goes on with all else', async () => {
  const { ask, create, account } = await drawAccount();
  const id = await create();
  const used = async () => {
    const { quotas } = (await ask('GET', '/api/me')).body as unknown as {
      quotas: Record<string, { used: number }>;
    };
    return quotas['kept']?.used ?? Number.NaN;
  };
  const statuses = new Map<number, number>();
  const refused: object[] = [];
  for (let at = 0; at < 300; at += 1) {
    const body =
      at % 2
        ? { notify: { email: { to: `m${at}@example.test` } } }
        : { notify: { webhook: { url: `https://h${at}.test/` } } };
    const { status, body: told } = await ask('PATCH', `/api/watches/${id}`, body);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (status === 429) refused.push(told);
  }
  expect(statuses.get(429)).toBeGreaterThan(50);
  for (const told of refused) expect(told).toMatchObject({ code: 'quota_exceeded', policy: 'kept' });
  expect(await used()).toBeLessThanOrEqual(keptBytes);
  expect((await ask('PATCH', `/api/watches/${id}`, { label: 'passes', paused: true })).status).toBe(200);
  expect((await ask('POST', `/api/watches/${id}/test`)).status).toBe(429);

  // What our own turns tell is kept: ended deliveries go for it.
  const kept = openKept(service.backend, keptBytes);
  const watch = await service.backend.watches.get(id);
  if (!watch) throw new Error('it is there');
  const [ended] = await service.backend.watches.listDeliveries({ account }, { limit: 1 });
  if (!ended) throw new Error('there are some');
  await service.backend.watches.settleDelivery({ ...ended, state: 'dead', nextAttemptAt: null });
  const own = { type: 'watch.paused', target: null, severity: 'high', summary: 'x', once: 'own' } as const;
  const events = makeDeliveries(watch, own, Date.now(), undefined);
  await kept.tell(account, events);
  expect(await service.backend.watches.getDelivery(events[0]?.deliveryId ?? '')).toBeDefined();
  expect(await service.backend.watches.getDelivery(ended.deliveryId)).toBeUndefined();

  // Mailboxes without a watch end with their questions.
  expect((await ask('DELETE', `/api/watches/${id}`)).status).toBe(204);
  expect(await used()).toBeGreaterThan(1000);
  while (await sweepMailboxes({ backend: service.backend, kept, now: () => Date.now() }));
  expect(await used()).toBe(0);
});

test('a mailbox that got mail stays for the links of it, and one that a watch names for as long as that', async () => {
  const { account, create, ask } = await drawAccount();
  const id = await create({ notify: { email: { to: 'me@example.test' } } });
  const { watches } = service.backend;
  const day = 86_400_000;
  const all = await watches.idleMailboxes(Date.now(), 1000);
  const mailboxId = all.find(({ mailbox }) => mailbox.account === account)?.mailbox.mailboxId ?? '';
  await watches.confirmMailbox(mailboxId, Date.now());
  await watches.noteMailbox(mailboxId, { lookAt: 0, mailedAt: Date.now() });
  const kept = openKept(service.backend, keptBytes);
  const sweepAt = async (ms: number) => {
    while (await sweepMailboxes({ backend: service.backend, kept, now: () => Date.now() + ms }));
    return watches.getMailbox(mailboxId);
  };
  expect(await sweepAt(40 * day)).toBeDefined();
  await ask('DELETE', `/api/watches/${id}`);
  await watches.noteMailbox(mailboxId, { lookAt: 0 });
  expect(await sweepAt(29 * day)).toBeDefined();
  expect(await sweepAt(31 * day)).toBeUndefined();
});

test.for([
  ['a CR before nested lists', `\r${'['.repeat(20_000)}`],
  ['a text that a CR breaks', `"\\\r${'['.repeat(20_000)}`],
  ['a text that a CR breaks, and objects', `"\r${'{"a":'.repeat(20_000)}`],
  ['lists that are closed', `"a.test"\r${'['.repeat(9000)}${']'.repeat(9000)}`],
])('NDJSON with %s is refused', async ([, text]) => {
  const { headers } = await drawAccount();
  const answer = await fetch(url('/api/batches?check=dns-check'), {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/x-ndjson' },
    body: text ?? '',
  });
  expect(answer.status).toBe(400);
});
