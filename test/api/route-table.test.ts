import { afterAll, expect, test } from 'vitest';
import { makeToken } from '#shared/stores/tokens/make-token';
import { type RouteRule, routeTable } from '../../api/listener/route-table.ts';
import { openService, type Service } from './kit.ts';

const id = '0'.repeat(32);
/** An address of a route. What it names is not there, so that nothing runs. */
const addressOf = ({ pattern }: RouteRule) => {
  const path = pattern
    .replace(':domain', 'a.test')
    .replace(':check', pattern.startsWith('/u/') ? 'redirect-check' : 'dns-check')
    .replace(':code', 'not_found')
    .replace(':name', 'page.css')
    .replace(':file', 'a.test.svg')
    .replace(/:(?:id|a|b|batchId|delivery)\b/g, id);
  return /^\/u\/|-check$/.test(pattern) ? `${path}?url=http%3A%2F%2Fa.test%2F` : path;
};

const modes = [
  { AUTH_MODE: 'open', REPORT_IDS: 'on' },
  { AUTH_MODE: 'open', REPORT_IDS: 'off' },
  { AUTH_MODE: 'token', REPORT_IDS: 'on' },
  { AUTH_MODE: 'token', REPORT_IDS: 'off' },
] as const;
type Mode = (typeof modes)[number];
type Who = 'nobody' | 'tools' | 'reports:read' | 'watch';
const ofIds: readonly RouteRule['access'][] = ['reports:read', 'own', 'history', 'shared', 'watch', 'key'];

/** What a caller is told who may not; undefined where it may. */
function refusalOf({ access }: RouteRule, mode: Mode, who: Who): number | undefined {
  const hasNoIds = mode.REPORT_IDS === 'off' && ofIds.includes(access);
  if (hasNoIds) return 404;
  if (access === 'open' || (access === 'history' && mode.AUTH_MODE === 'open')) return undefined;
  const isReading =
    ['reports:read', 'history'].includes(access) || (access === 'shared' && mode.AUTH_MODE === 'token');
  const isWatching = access === 'watch' || access === 'key';
  const need = isWatching ? 'watch' : isReading ? 'reports:read' : 'tools';
  const isOpen = access !== 'own' && mode.AUTH_MODE === 'open';
  if (who === need || (who === 'nobody' && need === 'tools' && isOpen)) return undefined;
  return who === 'nobody' ? 401 : 403;
}

const services: Service[] = [];
afterAll(() => Promise.all(services.map((service) => service.close())));

test.for(modes)('every route is as it is declared, with $AUTH_MODE and ids $REPORT_IDS', async (mode) => {
  const service = await openService({ settings: { ...mode, RATE_LIMIT: 'off' } });
  services.push(service);
  const draw = async (scope: Exclude<Who, 'nobody'>) => {
    const wish = { name: 'test', scopes: [scope], limits: {}, expiresAt: null };
    const { text, token } = makeToken(wish, Date.now());
    await service.backend.tokenStore.insert(token);
    return { authorization: `Bearer ${text}` };
  };
  const callers = {
    nobody: {},
    tools: await draw('tools'),
    'reports:read': await draw('reports:read'),
    watch: await draw('watch'),
  };
  const cached = { 'cache-control': 'only-if-cached' };
  const wrong: string[] = [];
  for (const rule of routeTable.filter(({ method }) => method === 'GET'))
    for (const who of Object.keys(callers) as Who[]) {
      const { status } = await service.send('HEAD', addressOf(rule), { ...cached, ...callers[who] });
      const refusal = refusalOf(rule, mode, who);
      const isAsDeclared = refusal === undefined ? ![401, 403, 405].includes(status) : status === refusal;
      if (!isAsDeclared) wrong.push(`${rule.pattern} to ${who}: ${status}, declared ${refusal ?? 'let in'}`);
    }
  expect(wrong).toEqual([]);
});

test('nothing that a page of another site sends starts work, and other methods are refused', async () => {
  const service = await openService({
    settings: {
      RATE_LIMIT: 'off',
      PROBE_SMTP: 'on',
      SMTP_HELO: 'probe.test',
      CONTACT_URL: 'mailto:owner@probe.test',
    },
  });
  services.push(service);
  const foreign = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', accept: '*/*' };
  const forms = new Set(routeTable.filter(({ method }) => method === 'POST').map(({ pattern }) => pattern));
  for (const rule of routeTable.filter(({ method }) => method === 'GET')) {
    const { status } = await service.send('HEAD', addressOf(rule), foreign);
    const isRunner = rule.crossSite === 'stored' && rule.pattern.startsWith('/api/tools/');
    expect([rule.pattern, status, status === 403]).toEqual([rule.pattern, status, isRunner]);
    const refused = forms.has(rule.pattern) ? 403 : 405;
    expect((await service.send('POST', addressOf(rule), foreign)).status).toBe(refused);
  }
  const started = service.log.filter(({ message }) => message.startsWith('job'));
  expect(started).toEqual([]);
});

test('every request that changes something costs what the table says, and nothing else does', async () => {
  const service = await openService({ settings: { AUTH_MODE: 'token', MCP: 'on' } });
  services.push(service);
  const scopes = ['tools', 'reports:read', 'watch'] as const;
  const { text, token } = makeToken({ name: 'all', scopes, limits: {}, expiresAt: null }, Date.now());
  await service.backend.tokenStore.insert(token);
  const headers = { authorization: `Bearer ${text}`, 'content-length': '0' };
  let left = 120;
  for (const rule of routeTable) {
    const method = rule.method === 'GET' ? 'HEAD' : rule.method;
    const answer = await service.send(method, addressOf(rule), headers);
    const [, now] = /"writes";r=(\d+)/.exec(String(answer.headers['ratelimit'])) ?? [];
    const points = rule.writes?.points ?? 0;
    left -= points;
    expect([rule.method, rule.pattern, now]).toEqual([
      rule.method,
      rule.pattern,
      points > 0 ? String(left) : undefined,
    ]);
    expect(String(answer.headers['ratelimit-policy']).includes('"writes";q=120;w=60')).toBe(points > 0);
  }
  const me = await service.get('/api/me', headers);
  expect(me.body).toMatchObject({
    limits: { writes: { limit: 120, remaining: left } },
    quotas: { kept: { used: 0 } },
  });
  for (; left > 0; left -= 1) await service.send('DELETE', `/api/batches/${id}`, headers);
  const refused = await service.send('POST', '/api/watches/links', headers);
  expect(refused.body).toMatchObject({ code: 'rate_limited', policy: 'writes' });
  expect(refused.status).toBe(429);
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  // What is read goes on.
  expect((await service.get('/api/batches', headers)).status).toBe(200);
});
