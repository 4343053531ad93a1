import { createServer, type Socket } from 'node:net';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { goodZone, muteAddress } from './domains.ts';
import { codesIn, openHealthLab, standing } from './kit.ts';
import { goodSite } from './sites.ts';

// The limits of the probes are a tenth of production's: DNS gives up after 0.45 s, an answer's header section after 0.8 s.

const lab = await openHealthLab({
  isQuick: true,
  hasPages: true,
  sites: {
    ...goodSite('headless.test', () => undefined),
    ...goodSite('endless.test', (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).write('<title>on and on');
    }),
    ...goodSite('half.test'),
    ...goodSite('page.test'),
  },
  zones: {
    ...goodZone('headless.test'),
    ...goodZone('endless.test'),
    ...goodZone('page.test'),
    ...goodZone('mute.test', { A: [muteAddress] }),
    ...goodZone('half.test', {}, 'halfSilent'),
    ...goodZone('silent.test', {}, 'silent'),
    ...goodZone('failing.test', {}, 'failing'),
  },
});
for (const server of ['127.0.5.1', '127.0.6.1']) lab.names.behave(server, 'silent');
for (const server of ['127.0.7.1', '127.0.8.1']) lab.names.behave(server, 'servfail');
const sockets = new Set<Socket>();
let isMute = true;
const mute = createServer((socket) => {
  socket.on('error', () => undefined);
  if (isMute) sockets.add(socket);
  else socket.destroy();
});
const speak = () => {
  isMute = false;
  for (const socket of sockets) socket.destroy();
};
await new Promise<void>((resolve) => mute.listen(lab.lab.web.httpsPort, muteAddress, resolve));
afterAll(async () => {
  speak();
  mute.close();
  await lab.close();
});
afterEach(() => {
  vi.useRealTimers();
});

test('a site that never answers its headers costs the parts that need them, and no other', async () => {
  const report = await lab.health('headless.test');
  expect(report.state).toBe('partial');
  expect(standing(report)).toEqual({
    dns: 'ok',
    ssl: 'ok',
    headers: 'unavailable',
    performance: 'ok',
    mail: 'ok',
  });
  expect(report.entryPoints.map(({ state }) => state)).toEqual(Array(4).fill('unknown'));
  expect(codesIn(report)).toEqual(['category-poor', 'coverage-incomplete', 'mail-lost']);
  expect(report.coverage).toBe(0.8);
  expect(report.durationMs).toBeLessThan(10_000);
});

test('a page without an end is looked at by its headers', async () => {
  const report = await lab.health('endless.test');
  expect(report.categories.headers).toMatchObject({ state: expect.stringMatching(/^(ok|partial)$/) });
  expect(report.durationMs).toBeLessThan(10_000);
});

test('a visit that is late gives what it has stored, and who asks again joins it', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
  const first = await lab.health('mute.test');
  expect(standing(first)).toMatchObject({ dns: 'ok', ssl: 'unavailable', headers: 'unavailable' });
  expect(first.categories.ssl.reason).toBe('it did not end in time');
  expect(first.categories.headers.reason).toContain('gave no answer');
  expect([first.state, first.score]).toEqual(['partial', null]);
  // That nobody answered us in time is no missing https.
  expect(codesIn(first)).toEqual(['category-poor', 'coverage-incomplete', 'mail-lost', 'page-not-seen']);
  vi.setSystemTime(Date.now() + 61_000);
  const second = lab.health('mute.test');
  await expect.poll(() => lab.backend.jobQueue.stats()).toMatchObject({ composite: { running: 1 } });
  expect(await lab.backend.jobQueue.stats()).toMatchObject({
    network: { running: 1, waiting: 0, parked: 0 },
  });
  speak();
  const { ssl, dns } = (await second).categories;
  expect(ssl.report.checkedAt).toBeDefined();
  expect(dns.report.reportId).toBe(first.categories.dns.report.reportId);
});

test('one name server of two that answers is named; the rest of the domain is judged', async () => {
  const report = await lab.health('half.test');
  expect(report.state).toBe('complete');
  expect(codesIn(report)).toContain('name-server-alone');
  expect(report.caps).toContainEqual(expect.objectContaining({ code: 'name-server-alone', limit: 'C' }));
});

test.for([
  ['say nothing', 'silent.test'],
  ['say SERVFAIL', 'failing.test'],
] as const)(
  'of a domain whose name servers %s only that is known, and nothing is missing',
  async ([, domain]) => {
    const report = await lab.health(domain);
    expect([report.state, report.score, report.grade, report.coverage]).toEqual([
      'unreachable',
      null,
      null,
      0,
    ]);
    expect(Object.values(standing(report))).toEqual(Array(5).fill('unavailable'));
    expect(report.entryPoints.map(({ state }) => state)).toEqual(Array(4).fill('unknown'));
    expect(codesIn(report)).toEqual(['coverage-incomplete', 'page-not-seen']);
    expect(report.durationMs).toBeLessThan(10_000);
  },
);

// The resolvers are the operator's own; a report says nothing of them.
test('a resolver that is silent is not named', async () => {
  const report = await lab.health('silent.test');
  expect(JSON.stringify(report)).not.toContain('127.0.0.1');
});

test('a page load that is late is unavailable, asked for once, and in the next report', async () => {
  const release = lab.pages?.hold();
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
  const first = await lab.health('page.test');
  expect(first.categories.performance).toMatchObject({
    state: 'unavailable',
    reason: 'it did not end in time',
  });
  expect(first.state).toBe('partial');
  expect(Date.parse(first.freshUntil) - Date.parse(first.checkedAt)).toBe(60_000);
  vi.setSystemTime(Date.now() + 61_000);
  const second = lab.health('page.test');
  await expect.poll(() => lab.backend.jobQueue.stats()).toMatchObject({ composite: { running: 1 } });
  release?.();
  expect((await second).categories.performance).toMatchObject({ state: 'ok', score: 95 });
  expect(lab.pages?.asked.filter((url) => url.includes('page.test'))).toHaveLength(1);
});
