import { afterAll, expect, test } from 'vitest';
import { makeToken } from '#shared/stores/tokens/make-token';
import { keepGolden } from '../kit/golden-report.ts';
import { openService } from './kit.ts';

const service = await openService({});
afterAll(() => service.close());
const { reportStore, tokenStore } = service.backend;

async function drawToken(scopes: readonly ('tools' | 'reports:read')[]) {
  const { text, token } = makeToken(
    { name: 'test', scopes: [...scopes], limits: {}, expiresAt: null },
    Date.now(),
  );
  await tokenStore.insert(token);
  return { authorization: `Bearer ${text}` };
}
const reader = await drawToken(['reports:read']);
const bytes = Buffer.from('%PDF-1.4 kept');

async function keepPdf(): Promise<string> {
  const { reportId } = await keepGolden(reportStore, 'dns-check');
  await reportStore.keepBlob({ reportId, kind: 'pdf' }, bytes, Date.now() + 60_000);
  return reportId;
}
const exportOf = (reportId: string) => `/api/reports/${reportId}/export?format=pdf`;

test('a PDF that is kept is sent as a file, and nothing is started', async () => {
  const reportId = await keepPdf();
  for (const [path, headers] of [
    [exportOf(reportId), reader],
    [`/r/${reportId}?format=pdf`, {}],
  ] as const) {
    const answer = await service.get(path, headers);
    expect([answer.status, answer.headers['content-type'], answer.text]).toEqual([
      200,
      'application/pdf',
      bytes.toString(),
    ]);
    expect(answer.headers['content-disposition']).toMatch(/^attachment; filename="diag-[a-z0-9.-]+\.pdf"$/);
    const again = await service.get(path, { ...headers, 'if-none-match': String(answer.headers.etag) });
    expect(again.status).toBe(304);
  }
});

test('a PDF is read by those who may read the report as HTML', async () => {
  const reportId = await keepPdf();
  const statusOf = async (format: string, headers = {}) =>
    (await service.get(`/api/reports/${reportId}/export?format=${format}`, headers)).status;
  for (const headers of [{}, await drawToken(['tools']), reader])
    expect(await statusOf('pdf', headers)).toBe(await statusOf('html', headers));
  const unknown = await service.get(`/r/${'0'.repeat(32)}?format=pdf`);
  expect(unknown.body['code']).toBe('report_not_found');
});

test('without a browser it is a 503 that says so, and the scans are given back', async () => {
  const { reportId } = await keepGolden(reportStore, 'dns-check');
  for (const [path, headers] of [
    [exportOf(reportId), reader],
    [`/r/${reportId}?format=pdf`, {}],
  ] as const) {
    const refused = await service.get(path, headers);
    expect([refused.status, refused.body['code']]).toEqual([503, 'browser_unavailable']);
    expect(refused.headers['retry-after']).toBeDefined();
    expect(refused.headers['ratelimit']).toMatch(/"scans";r=(?:60|600);/);
  }
  expect(await reportStore.getBlob({ reportId, kind: 'pdf' })).toBeUndefined();
});

test('a prefetch starts no print, and reads one that is kept', async () => {
  const { reportId } = await keepGolden(reportStore, 'dns-check');
  const prefetch = { 'sec-purpose': 'prefetch' };
  const sent = await service.get(`/r/${reportId}?format=pdf`, prefetch);
  expect([sent.status, sent.headers['location']]).toEqual([303, `/r/${reportId}`]);
  expect((await service.get(`/r/${await keepPdf()}?format=pdf`, prefetch)).status).toBe(200);
  expect((await service.get(`/r/${reportId}/export?format=pdf`, prefetch)).status).toBe(303);
  expect((await service.get(`/r/${await keepPdf()}/export?format=pdf`, prefetch)).status).toBe(200);
});

test('another format than pdf is a 400 on the page of a report', async () => {
  const { reportId } = await keepGolden(reportStore, 'dns-check');
  const refused = await service.get(`/r/${reportId}?format=csv`);
  expect([refused.status, refused.body['code']]).toEqual([400, 'unknown_format']);
});
