import type { ServerResponse } from 'node:http';
import { afterAll, expect, test, vi } from 'vitest';
import { makeToken } from '#shared/stores/tokens/make-token';
import { openService, redirectPath } from './kit.ts';

const answer = (_request: unknown, response: ServerResponse) => response.writeHead(204).end();
const service = await openService({
  sites: { 'http://known.test': answer, 'http://new.test': answer },
});
afterAll(() => service.close());

const soon = { timeout: 15_000, interval: 100 };
const wish = {
  name: 'test',
  scopes: ['tools', 'reports:read', 'watch'],
  limits: {},
  expiresAt: null,
} as const;
const { text, token } = makeToken(wish, Date.now());
await service.backend.tokenStore.insert(token);
const as = { authorization: `Bearer ${text}` };

type Watch = { readonly watchId: string; readonly nextAt: string };

async function create(targets: readonly string[]): Promise<Watch> {
  const made = await fetch(`http://127.0.0.1:${service.port}/api/watches`, {
    method: 'POST',
    headers: { ...as, 'content-type': 'application/json' },
    body: JSON.stringify({ check: 'redirect-check', targets, everySeconds: 86_400 }),
  });
  expect(made.status).toBe(201);
  return (await made.json()) as Watch;
}

async function targetOf({ watchId }: Watch): Promise<Record<string, unknown> | undefined> {
  const { body } = await service.get(`/api/watches/${watchId}/targets`, as);
  return (body as { targets?: Record<string, unknown>[] }).targets?.[0];
}

/** Scans that were taken from the account, which pays for its watches, and runs that ended. */
const take = vi.spyOn(service.backend.rateLimiter, 'take');
function spent(): { readonly scans: number; readonly runs: number } {
  const scans = take.mock.calls.flatMap(([{ policy }, id, points]) =>
    policy === 'scans' && id === `account:${token.account}` ? [points] : [],
  );
  const runs = service.log.filter(({ message }) => message === 'job done').length;
  return { scans: scans.reduce((sum, points) => sum + points, 0), runs };
}

test(
  'a new watch takes the report that is fresh at once, and pays nothing',
  { timeout: 60_000 },
  async () => {
    const { reportId } = (await service.get(redirectPath('http://known.test/'), as)).body;
    const before = spent();
    const startedAt = Date.now();
    const watch = await create(['http://known.test/']);
    expect(Date.parse(watch.nextAt)).toBeGreaterThanOrEqual(startedAt);
    expect(Date.parse(watch.nextAt)).toBeLessThanOrEqual(Date.now());
    await vi.waitFor(
      async () => expect(await targetOf(watch)).toMatchObject({ state: 'ok', reportId }),
      soon,
    );
    expect(spent()).toEqual(before);
    const { nextAt } = (await targetOf(watch)) ?? {};
    expect(Date.parse(String(nextAt))).toBeGreaterThan(startedAt);
  },
);

test('where no report is fresh it runs at once, for a scan', { timeout: 60_000 }, async () => {
  const before = spent();
  const watch = await create(['http://new.test/']);
  await vi.waitFor(async () => expect(await targetOf(watch)).toMatchObject({ state: 'ok' }), soon);
  expect(spent()).toEqual({ scans: before.scans + 1, runs: before.runs + 1 });
});

test('targets of one watch begin one after the other', async () => {
  const paths = Array.from({ length: 41 }, (_, index) => `http://new.test/${String(index).padStart(2, '0')}`);
  const watch = await create(paths);
  const [first, last] = (await service.backend.watches.listTargets(watch.watchId, { limit: 41 }))
    .map(({ dueAt }) => dueAt)
    .toSorted((a, b) => a - b)
    .filter((_, index) => index % 40 === 0);
  expect((last ?? 0) - (first ?? 0)).toBe(2000);
});

test('where nobody signs in, the page of watches says what they need', async () => {
  const open = async (accept: string, headers = {}) => {
    const got = await fetch(`http://127.0.0.1:${service.port}/watches`, { headers: { accept, ...headers } });
    return { status: got.status, text: await got.text(), challenge: got.headers.get('www-authenticate') };
  };
  const asVisitor = await open('text/html');
  expect([asVisitor.status, asVisitor.challenge]).toEqual([401, expect.stringContaining('scope="watch"')]);
  expect(asVisitor.text).toContain('<h1>Watches need a token</h1>');
  expect(asVisitor.text).toContain('diag token create --name watches --scopes tools,reports:read,watch');
  expect(asVisitor.text).not.toMatch(/sign in with|action="[^"]*session/i);
  const asProgram = await open('application/json');
  expect([asProgram.status, JSON.parse(asProgram.text)]).toMatchObject([401, { code: 'token_required' }]);
  const own = await open('text/html', as);
  expect([own.status, own.text.includes('<h1>Your watches</h1>')]).toEqual([200, true]);
});
