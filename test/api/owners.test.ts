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

test.for([
  ['https://operator.example.com/contact', 200],
  ['mailto:abuse@example.com', 200],
  ['http://operator.example.com/', 404],
  ['', 404],
] as const)('CONTACT_URL=%s: security.txt is %i', async ([contact, status]) => {
  service = await openService({ settings: { CONTACT_URL: contact, PUBLIC_URL: 'https://checks.example/' } });
  const answer = await service.get('/.well-known/security.txt');
  expect(answer.status).toBe(status);
  if (status !== 200) return;
  const [, expires = ''] = /^Expires: (.*)$/m.exec(answer.text) ?? [];
  expect(answer.text).toContain(`Contact: ${contact}\n`);
  expect(answer.text).toContain('Canonical: https://checks.example/.well-known/security.txt\n');
  expect((Date.parse(expires) - Date.now()) / 86_400_000).toBeCloseTo(30, 1);
});
