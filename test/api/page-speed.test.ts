import { afterAll, expect, test } from 'vitest';
import { pagespeedCheck } from '#shared/catalogue/pagespeed-check/spec';
import type { Job } from '#shared/model/job';
import { openJobKeys } from '#shared/queue/job-keys';
import { keepGolden } from '../kit/golden-report.ts';
import { openService } from './kit.ts';

const service = await openService({
  sites: { 'http://a.test': (_request, response) => response.end('x') },
});
afterAll(() => service.close());

const target = 'http://a.test/';
const path = `/api/tools/pagespeed-check?url=${encodeURIComponent(target)}`;

/** The stored report of a load with these options. */
async function keepLoad(given: object) {
  const options = pagespeedCheck.options.parse(given) as Job['options'];
  const jobKey = openJobKeys(service.lab.config({}))(pagespeedCheck, target, options, undefined);
  return keepGolden(service.backend.reportStore, 'pagespeed-check', { target: { url: target } }, jobKey);
}

async function scansLeft(): Promise<number | undefined> {
  const { limits } = (await service.get('/api/me')).body as { limits?: { scans?: { remaining?: number } } };
  return limits?.scans?.remaining;
}

test('a budget is judged from a stored load, without a run and at no cost', async () => {
  const source = await keepLoad({});
  await service.backend.reportStore.keepBlob(
    { reportId: source.reportId, kind: 'screenshot' },
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    source.expiresAt,
  );
  const before = await scansLeft();
  const answer = await service.get(`${path}&budget=lcp:1,requests:100000`);
  expect(answer).toMatchObject({
    status: 200,
    body: {
      budget: {
        kept: false,
        entries: [
          { metric: 'lcp', limit: 1, kept: false },
          { metric: 'requests', kept: true },
        ],
      },
    },
  });
  const { reportId, findings } = answer.body as unknown as {
    readonly reportId: string;
    readonly findings: readonly { readonly code: string }[];
  };
  expect(findings.map(({ code }) => code)).toContain('budget-exceeded');
  expect(reportId).not.toBe(source.reportId);
  // It is a report like any other: stored, with a picture of its own, and the answer to the same question.
  expect((await service.get(`/api/reports/${reportId}/screenshot`)).status).toBe(401);
  expect(await service.backend.reportStore.getBlob({ reportId, kind: 'screenshot' })).toBeDefined();
  // A history tells what was asked.
  expect((await service.backend.reportStore.get(reportId))?.options).toBe(
    '{"budget":"lcp:1,requests:100000"}',
  );
  const again = await service.get(`${path}&budget=requests:100000.0,lcp:1`);
  expect(again.body['reportId']).toBe(reportId);
  expect(await scansLeft()).toBe(before);
});

test('of other options nothing is judged: that takes a load, which nobody here can make', async () => {
  expect((await service.get(`${path}&budget=lcp:1&strategy=desktop`)).body['code']).toBe(
    'browser_unavailable',
  );
});

test('a load with other categories answers a budget with the same ones', async () => {
  await keepLoad({ category: ['seo', 'performance'] });
  expect((await service.get(`${path}&category=seo&category=performance&budget=lcp:1`)).status).toBe(200);
  expect((await service.get(`${path}&category=performance,seo&budget=cls:9`)).status).toBe(200);
});

test('each fault of a budget and of categories is named at once', async () => {
  const refused = await service.get(`${path}&budget=lcp,inp:1&category=seo,pwa`);
  expect(refused.status).toBe(400);
  const errors = refused.body['errors'] as unknown as readonly { readonly name: string }[];
  expect(errors.map(({ name }) => name).toSorted()).toEqual(['budget', 'budget', 'category']);
});
