import type { RequestListener } from 'node:http';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { redirectPath } from '../../api/kit.ts';
import { goodZone } from './domains.ts';
import { type HealthReport, healthPath, openHealthLab } from './kit.ts';
import { goodPage, goodSite } from './sites.ts';

afterEach(() => {
  vi.useRealTimers();
});

describe('a run', async () => {
  const later =
    (listener: RequestListener, delayMs: number): RequestListener =>
    (request, response) =>
      void setTimeout(() => listener(request, response), delayMs);
  const lab = await openHealthLab({
    delayMs: 100,
    hasPages: true,
    sites: {
      ...goodSite('slow.test', later(goodPage, 1500)),
      ...goodSite('both.test', later(goodPage, 2500)),
    },
    zones: { ...goodZone('slow.test'), ...goodZone('both.test') },
  });
  afterAll(() => lab.close());

  type Progress = {
    readonly done: number;
    readonly total: number;
    readonly current: string;
    readonly parts?: readonly { readonly name: string; readonly state: string }[];
  };

  async function follow(location: string): Promise<Progress[]> {
    const seen: Progress[] = [];
    for (;;) {
      const { status, body } = await lab.get(location);
      if (status === 303) return seen;
      const progress = body['progress'] as unknown as Progress | undefined;
      if (progress) seen.push(progress);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  test('that takes longer than the caller waits is a job that says how far it is', async () => {
    const answer = await lab.get(healthPath('slow.test', '?wait=0'));
    expect(answer).toMatchObject({
      status: 202,
      body: { state: expect.stringMatching(/^(running|waiting)$/) },
    });
    const seen = await follow(String(answer.headers.location));
    const [first, last] = [seen[0], seen.at(-1)];
    expect(last?.done).toBeGreaterThan(first?.done ?? 0);
    expect(last?.done).toBeGreaterThan(0);
    for (const { done, total } of seen) expect(done).toBeLessThanOrEqual(total);
    expect((await lab.get(healthPath('slow.test'))).headers['cache-status']).toMatch(/^diag; hit/);
  });

  test('names its five parts, and never says that it or one of them is less far than it was', async () => {
    const { headers } = await lab.get(healthPath('both.test', '?wait=0'));
    const seen = await follow(String(headers.location));
    const shares = seen.map(({ done, total }) => done / total);
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
    const running = seen.filter(({ parts }) => parts !== undefined);
    expect(running.length).toBeGreaterThan(0);
    for (const { parts = [] } of running)
      expect(parts.map(({ name }) => name)).toEqual(['dns', 'ssl', 'headers', 'performance', 'mail']);
    const order = ['waiting', 'running', 'done'];
    for (const index of [0, 1, 2, 3, 4]) {
      const states = running.map(({ parts = [] }) => order.indexOf(parts[index]?.state ?? ''));
      expect(states).not.toContain(-1);
      expect(states).toEqual(states.toSorted((a, b) => a - b));
    }
    // While a slow page keeps one part, others are judged already.
    expect(running.some(({ parts = [] }) => new Set(parts.map(({ state }) => state)).size > 1)).toBe(true);
  });
});

describe('a trend', async () => {
  let isMended = false;
  const page: RequestListener = (request, response) => {
    if (isMended) goodPage(request, response);
    else response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('<title>bare</title>');
  };
  const options = { sites: goodSite('moves.test', page), zones: goodZone('moves.test'), hasPages: true };

  test('is there from the second run on, and names what was mended', async () => {
    isMended = false;
    const lab = await openHealthLab({ ...options, settings: { FRESH_SECONDS: '0' } });
    const first = await lab.health('moves.test');
    isMended = true;
    const second = await lab.health('moves.test');
    const third = await lab.health('moves.test');
    await lab.close();
    expect(first.trend).toBeUndefined();
    expect(second.trend).toMatchObject({
      previousReportId: first.reportId,
      previousAt: first.checkedAt,
      scoreDelta: (second.score ?? 0) - (first.score ?? 0),
      fixedFindings: expect.arrayContaining([
        { category: 'headers', code: 'xcto-missing' },
        { category: 'headers', code: 'csp-missing' },
      ]),
    });
    expect(second.trend?.scoreDelta).toBeGreaterThan(0);
    expect(third.trend).toMatchObject({
      previousReportId: second.reportId,
      scoreDelta: 0,
      fixedFindings: [],
    });
  });

  test('is not taken of a run that saw less', async () => {
    const lab = await openHealthLab(options);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
    const first = await lab.health('moves.test');
    await lab.pages?.close(0);
    vi.setSystemTime(Date.now() + 3_700_000);
    const second = await lab.health('moves.test');
    await lab.close();
    expect([first.coverage, second.coverage]).toEqual([1, 0.85]);
    expect(second.trend).toBeUndefined();
  });

  test('and every id are missing where ids are off', async () => {
    const lab = await openHealthLab({ ...options, settings: { REPORT_IDS: 'off' } });
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
    const reports: HealthReport[] = [];
    for (let round = 0; round < 2; round += 1) {
      const { text, headers } = await lab.get(healthPath('moves.test'));
      expect(text).not.toMatch(/[0-9a-f]{32}|reportId/i);
      expect(JSON.stringify([headers.etag, headers['link']])).not.toMatch(/[0-9a-f]{32}|api\/reports/);
      reports.push(JSON.parse(text) as HealthReport);
      vi.setSystemTime(Date.now() + 301_000);
    }
    await lab.close();
    expect(reports[1]?.checkedAt).not.toBe(reports[0]?.checkedAt);
    for (const report of reports) {
      expect(report).not.toHaveProperty('trend');
      expect(report.state).toBe('complete');
    }
  });
});

// The report is gone from the store before anybody can read it.
test('a GET is answered where ids are off and nothing stays fresh', async () => {
  const lab = await openHealthLab({
    sites: goodSite('gone.test'),
    zones: goodZone('gone.test'),
    settings: { FRESH_SECONDS: '0', REPORT_IDS: 'off' },
  });
  const { status } = await lab.get(redirectPath('http://gone.test/', '&wait=3'));
  await lab.close();
  expect(status).toBe(200);
});
