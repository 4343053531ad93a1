import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { type PrintSettings, printHtml, printLimits } from '../../../worker/print/print-html.ts';
import { profilePrefix } from '../../../worker/probes/browser/profiles.ts';
import { openService } from '../../api/kit.ts';
import { keepGolden } from '../../kit/golden-report.ts';
import { pdfText } from '../../kit/pdf-text.ts';

const folder = mkdtempSync(join(tmpdir(), 'diag-print-'));
const service = await openService({
  settings: { DATA_DIR: folder, WORKER_QUEUES: 'network,browser' },
});
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true, force: true });
});

const browser = { path: process.env['BROWSER_PATH'], folder: 'data' };
const settings: PrintSettings = { ...printLimits, browser, noSandbox: false };
const profiles = () =>
  [tmpdir(), '/var/tmp'].flatMap((path) =>
    readdirSync(path).filter((name) => name.startsWith(profilePrefix)),
  );

test('a report is printed once for all who ask, with every text of the target as text', async () => {
  const { reportStore } = service.backend;
  const evil = '<img src=x><script>document.title=1</script>\u202etxt.exe';
  const { reportId } = await keepGolden(reportStore, 'ssl-check', {
    target: { domain: evil },
    trust: { trusted: false, error: evil },
  });
  const path = `/r/${reportId}?format=pdf`;
  const answers = await Promise.all([1, 2, 3].map(() => service.get(path)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  const pdf = await reportStore.getBlob({ reportId, kind: 'pdf' });
  if (!pdf) throw new Error('no PDF is kept');
  expect(Buffer.from(pdf.subarray(0, 5)).toString()).toBe('%PDF-');
  const text = pdfText(pdf).replace(/\s/g, '');
  expect(text).toContain('<imgsrc=x><script>document.title=1</script>');
  // What would turn the text is shown by its code.
  expect(text).not.toContain('\u202e');
  expect(text).toMatch(/Page1of\d+/);
  const whole = Buffer.from(pdf).toString('latin1');
  expect(whole).toContain('/MarkInfo');
  expect(whole).toContain('/StructTreeRoot');
  const printed = service.log.filter(({ message }) => message === 'report printed');
  expect(printed.map(({ fields }) => fields)).toEqual([expect.objectContaining({ refused: 0 })]);
  expect((await service.get(path)).status).toBe(200);
  expect(service.log.filter(({ message }) => message === 'report printed')).toHaveLength(1);
});

/** Counts those who connect; the browser takes it for its proxy. */
async function openCounter(): Promise<{ readonly server: Server; readonly port: number; count(): number }> {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { server, port, count: () => connections };
}

test('a page that asks for everything is printed without a request, and runs nothing', async () => {
  const [proxy, site] = [await openCounter(), await openCounter()];
  const at = `http://127.0.0.1:${site.port}`;
  const html = `<!DOCTYPE html><title>t</title><meta http-equiv="refresh" content="0; url=${at}/refresh">
<link rel="stylesheet" href="${at}/a.css"><link rel="preconnect" href="${at}"><link rel="dns-prefetch" href="//a.test">
<style>@import "${at}/b.css"; @font-face{font-family:f;src:url(${at}/f.woff2)} p{font-family:f;background:url(${at}/c.png)}</style>
<script src="${at}/s.js"></script><script>document.write('it ran')</script>
<img src="${at}/i.png"><iframe src="${at}/frame"></iframe><iframe src="file:///etc/passwd"></iframe><object data="${at}/o"></object>
<video src="${at}/v" autoplay></video><p onclick="x()">it stands here</p>`;
  const paper = { html, title: '<b>title', note: 'note' };
  const printed = await printHtml(paper, { ...settings, proxyPort: proxy.port }, AbortSignal.timeout(60_000));
  if (!('pdf' in printed)) throw new Error(printed.failure);
  const text = pdfText(printed.pdf);
  expect(text).toContain('it stands here');
  expect(text).toContain('<b>title');
  expect(text).not.toMatch(/it ran|root:/);
  expect(printed.refused).toBeGreaterThan(3);
  expect([proxy.count(), site.count()]).toEqual([0, 0]);
  for (const { server } of [proxy, site]) server.close();
});

test('a PDF that is too large, or takes too long, is none, and nothing of its browser is left', async () => {
  const paper = { html: '<p>text', title: '', note: '' };
  const before = profiles();
  expect(await printHtml(paper, { ...settings, pdfBytes: 1000 }, AbortSignal.timeout(60_000))).toEqual({
    failure: 'it is larger than a PDF may be',
  });
  // By then the browser has been started, and has not printed yet.
  await expect(printHtml(paper, settings, AbortSignal.timeout(50))).rejects.toThrow('timeout');
  expect(profiles()).toEqual(before);
});

test('a browser that is not there is a failure', async () => {
  const gone = { ...settings, browser: { path: '/nowhere/chrome', folder } };
  expect(await printHtml({ html: '', title: '', note: '' }, gone, AbortSignal.timeout(60_000))).toEqual({
    failure: expect.stringContaining('BROWSER_PATH'),
  });
});
