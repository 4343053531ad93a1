import type { IncomingHttpHeaders } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { version } from '#shared/model/version';
import { openService, type Service } from './kit.ts';

let service: Service | undefined;
afterEach(() => service?.close());

const contact = 'mailto:abuse@checks.example';
const publicUrl = 'https://checks.example/(tools)';

test('the User-Agent leads to a page that says what is sent and how to be left alone', async () => {
  const asked: IncomingHttpHeaders[] = [];
  service = await openService({
    sites: {
      'http://a.test': ({ headers }, response) => {
        asked.push(headers);
        response.end('page');
      },
    },
    settings: { PUBLIC_URL: publicUrl, CONTACT_URL: contact, HOST_CONCURRENCY: '3', ACCESS_DAYS: '7' },
  });
  expect((await service.get('/api/tools/redirect-check?url=http://a.test/')).status).toBe(200);
  expect(asked[0]?.['user-agent']).toBe(
    `Mozilla/5.0 (compatible; DiagnosticTools/${version}; +https://checks.example/%28tools%29/owners; ${contact})`,
  );
  const { status, text } = await service.send('GET', '/owners');
  expect(status).toBe(200);
  expect(text).toContain(`<a href="${contact}">abuse@checks.example</a>`);
  expect(text).toContain('At most 3 checks of one domain');
  expect(text).toContain('For 7 days');
});

test.for([
  { settings: {}, word: 'names no address' },
  {
    settings: { CONTACT_URL: 'https://us.example/"x"' },
    word: '<a href="https://us.example/&quot;x&quot;">',
  },
  { settings: { ACCESS_DAYS: '0' }, word: 'keeps no record' },
])('without a token, whatever is set: $word', async ({ settings, word }) => {
  service = await openService({ withWorker: false, settings: { AUTH_MODE: 'token', ...settings } });
  const { status, text, headers } = await service.send('GET', '/owners');
  expect(status).toBe(200);
  expect(text).toContain(word);
  expect(headers['content-security-policy']).toContain("default-src 'none'");
});
