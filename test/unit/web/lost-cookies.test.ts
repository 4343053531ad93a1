import { expect, test } from 'vitest';
import { assessRedirects } from '../../../worker/checks/redirect-check/assess.ts';
import { gatherRedirects, walkLimits } from '../../../worker/checks/redirect-check/gather.ts';
import { assessHeaders } from '../../../worker/checks/security-header-check/assess.ts';
import { gatherHeaders } from '../../../worker/checks/security-header-check/gather.ts';
import type { HttpAnswer, HttpRequest } from '../../../worker/probes/http/port.ts';
import type { Probes } from '../../../worker/probes/port.ts';
import { openWork } from '../../../worker/probes/work.ts';

type Told = { readonly to?: string; readonly set?: string; readonly status?: number };
type Site = (url: URL, cookie: string) => Told;

const timings = { wait: 0, dns: 0, tcp: 0, tls: 0, ttfb: 0, download: 0, total: 0, reused: false };

function open(site: Site) {
  const asked: string[] = [];
  const ask = ({ url, headers = {} }: HttpRequest): Promise<HttpAnswer> => {
    asked.push(url);
    const { to, set, status = to === undefined ? 200 : 302 } = site(new URL(url), headers['cookie'] ?? '');
    return Promise.resolve({
      kind: 'response',
      url,
      status,
      statusText: '',
      httpVersion: '1.1',
      headers: [
        ['Content-Type', 'text/html'],
        ...(to === undefined ? [] : [['Location', to] as const]),
        ...(set === undefined ? [] : [['Set-Cookie', set] as const]),
      ],
      body: { text: '<p>hello', wireBytes: 8, decodedBytes: 8 },
      address: '192.0.2.1',
      tls: url.startsWith('https:') ? { protocol: 'TLSv1.3', trusted: true, error: null } : null,
      timings,
    });
  };
  return { asked, probes: { http: { ask }, work: openWork() } as unknown as Probes };
}

const context = (probes: Probes, target: string) => ({
  target,
  options: {},
  probes,
  progress: () => undefined,
});

/** What both checks say of a site, and how many requests redirect-check sent. */
async function judge(site: Site, target = 'https://www.site.test/app') {
  const { probes, asked } = open(site);
  const evidence = await gatherRedirects(context(probes, target), walkLimits);
  const ofRedirects = assessRedirects(evidence).verdicts['redirect-loop'];
  const headers = await gatherHeaders(context(open(site).probes, target));
  const ofHeaders = assessHeaders(headers).verdicts['redirect-no-page'];
  return { evidence, asked, told: JSON.stringify([ofRedirects, ofHeaders]), ofRedirects };
}

/** Every page wants a cookie, and sets it where it is missing. */
const gate =
  (set: string, name = set.split('=', 1)[0] ?? ''): Site =>
  ({ protocol, host, pathname }, cookie) => {
    if (protocol === 'http:') return { to: `https://${host}${pathname}` };
    return cookie.includes(`${name}=`) ? {} : { to: pathname, set };
  };

test.for([
  ['__Host-seen=1; Secure; Path=/; Domain=site.test', '__Host-seen', 'forbids Domain'],
  ['seen=1; Domain=other.test', 'seen', 'does not cover www.site.test'],
  ['seen=1; SameSite=None', 'seen', 'SameSite=None needs Secure'],
  ['seen=1; Path=/elsewhere', 'seen', 'Path=/elsewhere'],
  ['seen=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT', 'seen', 'expired'],
  ['__Secure-seen=1', '__Secure-seen', 'needs Secure'],
] as const)('a loop that ends with the cookie: %s', async ([set, name, reason]) => {
  const { told, evidence, asked } = await judge(gate(set));
  expect(evidence.stop).toMatchObject({ kind: 'loop', lost: [{ cookie: name }] });
  const [redirects, headers] = JSON.parse(told) as { broken: { reason: string; advice?: string }[] }[];
  expect(redirects?.broken[0]?.reason).toContain(reason);
  expect(redirects?.broken[0]?.advice).toBe(`set ${name} so that browsers keep it`);
  expect(headers?.broken[0]?.reason).toContain(reason);
  expect(asked.length).toBe(2);
});

test('a cookie of the directory that sets it, which the page above it wants', async () => {
  const site: Site = ({ protocol, host, pathname }, cookie) => {
    if (protocol === 'http:') return { to: `https://${host}${pathname}` };
    if (pathname === '/gate/in') return { to: '/', set: 'seen=1' };
    return cookie === '' ? { to: '/gate/in' } : {};
  };
  const { evidence } = await judge(site, 'https://www.site.test/');
  const reason = 'it has no Path, so browsers send it to /gate and below only';
  expect(evidence.stop).toMatchObject({ kind: 'loop', lost: [{ cookie: 'seen', reason }] });
});

test.for<readonly [name: string, site: Site]>([
  [
    'goes on with the cookie too',
    ({ pathname }) => ({ to: pathname === '/a' ? '/b' : '/a', set: 'a=1; Domain=other.test' }),
  ],
  [
    'ends in an error',
    (_, cookie) => (cookie === '' ? { to: '/app', set: 'a=1; Domain=other.test' } : { status: 503 }),
  ],
  [
    'goes from https to http and back, where the cookie is Secure',
    ({ protocol, host }, cookie) => {
      if (protocol === 'http:' && cookie.includes('seen')) return {};
      return protocol === 'https:'
        ? { to: `http://${host}/app`, set: 'seen=1; Secure; Path=/' }
        : { to: `https://${host}/app`, set: 'seen=2; Secure' };
    },
  ],
  ['sets a cookie that is kept', ({ pathname }) => ({ to: pathname === '/a' ? '/b' : '/a', set: 'a=1' })],
  ['takes a cookie away', ({ pathname }) => ({ to: pathname === '/a' ? '/b' : '/a', set: 'a=; Max-Age=0' })],
])('a loop that %s is one of two rules', async ([, site]) => {
  const { told, evidence } = await judge(site);
  expect(evidence.stop).toEqual({ kind: 'loop', to: expect.any(String) });
  expect(told).toContain('find the two rules');
  expect(told).not.toContain('is not kept');
});

test('a circle that leads out is not followed to a third host', async () => {
  const site: Site = ({ protocol, host }, cookie) => {
    if (protocol === 'http:') return { to: `https://${host}/app` };
    return cookie === '' ? { to: '/app', set: 'a=1; Domain=other.test' } : { to: 'https://third.test/' };
  };
  const { evidence, asked } = await judge(site);
  expect(evidence.stop).toMatchObject({ kind: 'loop', lost: [{ cookie: 'a' }] });
  expect(asked.map((url) => new URL(url).host)).not.toContain('third.test');
});

test('once more is inside of the 20 redirects', async () => {
  const site: Site = ({ pathname }) => {
    const at = Number(pathname.slice(1)) || 0;
    return { to: `/${(at + 1) % 15}`, set: `c${at}=1; Domain=other.test` };
  };
  const { asked } = await judge(site, 'https://www.site.test/0');
  expect(asked.length).toBeLessThanOrEqual(21);
});
