import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeToken } from '#shared/stores/tokens/make-token';
import { type Answer, openService, redirectPath, type Service } from './kit.ts';

let loads = 0;
const held: (() => void)[] = [];
type Response = { writeHead(status: number): { end(text?: string): void } };
const sites = {
  'http://a.test': (_request: unknown, response: Response) => {
    loads += 1;
    response.writeHead(200).end('<p>hello');
  },
  'http://held.test': (_request: unknown, response: Response) =>
    void held.push(() => response.writeHead(204).end()),
};
const settings = { AUTH_MODE: 'token', ACCOUNT_CACHE: 'own', RATE_LIMIT: 'off', HOST_CONCURRENCY: '8' };

/** An account of its own, and how it asks. */
async function drawAccount(service: Service, account?: string) {
  const wish = { name: 'test', scopes: ['tools', 'reports:read'] as const, limits: {}, expiresAt: null };
  const { text, token } = makeToken({ ...wish, ...(account === undefined ? {} : { account }) }, Date.now());
  await service.backend.tokenStore.insert(token);
  const as = { authorization: `Bearer ${text}` };
  return {
    account: token.account,
    get: (path: string, more: Record<string, string> = {}) => service.get(path, { ...as, ...more }),
  };
}

const idOf = ({ body }: Answer) => String(body['reportId']);
const viaOf = ({ headers }: Answer) => String(headers['cache-status']).replace(/ttl=\d+/, 'ttl');

type Started = { readonly settings: Record<string, string>; stop(): Promise<unknown> };

/** What ACCOUNT_CACHE=own promises. @param start opens what the service is over */
export function ownCacheContract(start: () => Promise<Started>): void {
  describe('with ACCOUNT_CACHE=own', { timeout: 60_000 }, () => {
    let service: Service;
    let started: Started;
    beforeAll(async () => {
      started = await start();
      service = await openService({ sites, settings: { ...settings, ...started.settings } });
    });
    afterAll(async () => {
      await service.close();
      await started.stop();
    });

    test('a report answers its account, with a report id of its own, and no other', async () => {
      const [mine, other] = [await drawAccount(service), await drawAccount(service)];
      const path = redirectPath('http://a.test/fresh');
      const before = loads;
      const first = await mine.get(path);
      expect(viaOf(await mine.get(path))).toBe('diag; hit; ttl');
      const cached = await other.get(path, { 'cache-control': 'only-if-cached' });
      expect([cached.status, cached.body['code']]).toEqual([504, 'not_cached']);
      const second = await other.get(path);
      expect([viaOf(second), loads - before]).toEqual(['diag; fwd=uri-miss; stored', 2]);
      expect(idOf(second)).not.toBe(idOf(first));
      expect((await other.get(`/api/reports/${idOf(first)}`)).status).toBe(404);
      expect((await mine.get(`/api/reports/${idOf(second)}`)).status).toBe(404);
      // Both are in memory by now, and each repeat finds its own.
      expect([idOf(await mine.get(path)), idOf(await other.get(path))]).toEqual([idOf(first), idOf(second)]);
    });

    test('another token of the account is answered with it', async () => {
      const mine = await drawAccount(service);
      const also = await drawAccount(service, mine.account);
      const path = redirectPath('http://a.test/tokens');
      expect(idOf(await also.get(path))).toBe(idOf(await mine.get(path)));
    });

    test('the floor under fresh runs is each account’s own', async () => {
      const [mine, other] = [await drawAccount(service), await drawAccount(service)];
      const path = redirectPath('http://a.test/floor', '&fresh=1');
      const first = await mine.get(path);
      expect(idOf(await mine.get(path))).toBe(idOf(first));
      expect(idOf(await other.get(path))).not.toBe(idOf(first));
    });

    test('running work is not joined, and its job is 404 for others', async () => {
      const [mine, other] = [await drawAccount(service), await drawAccount(service)];
      const path = redirectPath(`http://held.test/${Math.random()}`, '&wait=0');
      const first = await mine.get(path);
      const second = await other.get(path);
      expect([first.status, second.status]).toEqual([202, 202]);
      const [mineJob, otherJob] = [String(first.headers['location']), String(second.headers['location'])];
      expect(otherJob).not.toBe(mineJob);
      const foreign = await other.get(mineJob);
      expect([foreign.status, foreign.body['code']]).toEqual([404, 'job_not_found']);
      expect((await other.get(`${mineJob}?wait=5`)).status).toBe(404);
      expect((await mine.get(mineJob)).status).toBe(200);
      await expect.poll(() => held.length, { timeout: 15_000 }).toBeGreaterThanOrEqual(2);
      for (const answer of held.splice(0)) answer();
    });

    test('the page of a domain shows the account’s own report, and its job to nobody else', async () => {
      const [mine, other] = [await drawAccount(service), await drawAccount(service)];
      const tool = '/api/tools/dns-check/a.test';
      const report = await mine.get(tool);
      expect(report.status).toBe(200);
      const html = { accept: 'text/html' };
      const [own, foreign] = [
        await mine.get('/d/a.test/dns-check', html),
        await other.get('/d/a.test/dns-check', html),
      ];
      expect(own.text).toContain('Check again');
      expect(foreign.text).toContain('Check now');
      const history = async ({ get }: typeof mine) =>
        ((await get('/api/reports?check=dns-check')).body['reports'] as unknown as unknown[]).length;
      expect([await history(mine), await history(other)]).toEqual([1, 0]);
    });

    test('the parts of a domain-health are each account’s own, and there is no trend of another’s', async () => {
      const [mine, other] = [await drawAccount(service), await drawAccount(service)];
      const path = '/api/tools/domain-health/a.test?wait=55';
      const reports = [await mine.get(path), await other.get(path)];
      expect(reports.map(({ status }) => status)).toEqual([200, 200]);
      const [first = [], second = []] = reports.map(partIds);
      expect(first.length).toBeGreaterThanOrEqual(2);
      expect(first.filter((id) => second.includes(id))).toEqual([]);
      expect(reports[1]?.body).not.toHaveProperty('trend');
      const part = `/api/reports/${first[0]}`;
      expect([(await mine.get(part)).status, (await other.get(part)).status]).toEqual([200, 404]);
      // The tool of a part is answered from the account's own visit.
      expect(idOf(await mine.get('/api/tools/dns-check/a.test'))).toSatisfy((id: string) =>
        first.includes(id),
      );
      expect((await service.get('/api/badge/a.test.svg')).text).not.toMatch(/>[A-F]\+?</);
    });
  });

  test('shared is the default: another account is answered with the report, by the same id', async () => {
    const service = await openService({ sites, settings: { ...settings, ACCOUNT_CACHE: 'shared' } });
    const [mine, other] = [await drawAccount(service), await drawAccount(service)];
    const path = redirectPath('http://a.test/shared');
    expect(idOf(await mine.get(path))).toBe(idOf(await other.get(path)));
    await service.close();
  });

  test('without ids too, an account is answered with its own reports alone', async () => {
    const service = await openService({ sites, settings: { ...settings, REPORT_IDS: 'off' } });
    const [mine, other] = [await drawAccount(service), await drawAccount(service)];
    const path = redirectPath('http://a.test/no-ids');
    const before = loads;
    await mine.get(path);
    expect(viaOf(await other.get(path))).toBe('diag; fwd=uri-miss; stored');
    expect(loads - before).toBe(2);
    await service.close();
  });
}

function partIds({ body }: Answer): string[] {
  const categories = body['categories'] as unknown as Record<
    string,
    { report?: { reportId?: string } | null }
  >;
  return Object.values(categories).flatMap(({ report }) => report?.reportId ?? []);
}
