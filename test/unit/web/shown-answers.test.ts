import { expect, test } from 'vitest';
import { openWork } from '../../../worker/probes/work.ts';
import { readLead } from '../../../worker/web/page-refresh.ts';
import type { HttpResponse } from '../../../worker/web/walk.ts';

const url = 'https://a.test/';

function answer(status: number, headers: HttpResponse['headers'], text: string): HttpResponse {
  const timings = { dns: 0, tcp: 0, tls: 0, ttfb: 0, download: 0, total: 0, reused: false };
  const body = { text, wireBytes: text.length, decodedBytes: text.length };
  return {
    kind: 'response',
    url,
    status,
    headers,
    body,
    address: '192.0.2.1',
    timings,
    tls: null,
  } as HttpResponse;
}

const html: HttpResponse['headers'][number] = ['Content-Type', 'text/html'];
const disposition = (value: string): HttpResponse['headers'][number] => ['Content-Disposition', value];
const type = (value: string): HttpResponse['headers'][number] => ['Content-Type', value];

// Whether Chromium 153 obeys a Refresh of the answer.
test.for([
  [true, 200, [html]],
  [true, 200, []],
  [true, 404, [html]],
  [true, 301, [html]],
  [true, 200, [html, disposition('inline')]],
  [true, 200, [html, disposition('filename=a.html')]],
  [true, 200, [html, disposition('"attachment"')]],
  [true, 200, [type('text/plain')]],
  [true, 200, [type('application/json')]],
  [true, 200, [type('image/png')]],
  [true, 200, [type('application/xhtml+xml')]],
  [true, 200, [type('video/mp4')]],
  [false, 204, []],
  [false, 205, [html]],
  [false, 200, [html, disposition('attachment')]],
  [false, 200, [html, disposition('Attachment; filename="a.html"')]],
  [false, 200, [html, disposition('form-data')]],
  [false, 200, [type('application/octet-stream')]],
  [false, 200, [type('application/zip')]],
  [false, 200, [type('application/pdf')]],
  [false, 200, [type('multipart/mixed; boundary=x')]],
] as const)('%s: status %i with %j', async ([isObeyed, status, headers]) => {
  const lead = await readLead(
    answer(status, [...headers, ['Refresh', '0; url=/there']], '<p>x'),
    url,
    openWork(),
  );
  expect(lead?.url.href).toBe(isObeyed ? 'https://a.test/there' : undefined);
});

test('a page that is saved as a file sends nobody on', async () => {
  const body = '<meta http-equiv=refresh content="0;url=/there">';
  expect(await readLead(answer(200, [html], body), url, openWork())).not.toBeNull();
  const saved = answer(200, [html, disposition('attachment')], body);
  expect(await readLead(saved, url, openWork())).toBeNull();
});
