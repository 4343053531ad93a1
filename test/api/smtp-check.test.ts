import { afterAll, describe, expect, test } from 'vitest';
import { openService } from './kit.ts';

const zone = { 'a.test': { MX: [{ preference: 0, exchange: '.' }] } };
const off = await openService({ zone, settings: { RATE_LIMIT: 'off' } });
const on = await openService({
  zone,
  settings: {
    RATE_LIMIT: 'off',
    PROBE_SMTP: 'on',
    SMTP_HELO: 'probe.example.com',
    CONTACT_URL: 'https://probe.example.com/',
    TARGET_PORTS: '1-65535',
  },
});
afterAll(() => Promise.all([off.close(), on.close()]));

const path = '/api/tools/smtp-check/a.test';

describe('where the operator has not switched it on', () => {
  test.for([
    path,
    `${path}?fresh=1`,
    '/api/tools/smtp-check/not..a..name',
    '/probe?module=smtp-check&target=a.test',
  ])('%s is 404 tool_disabled, and nothing is asked', async (url) => {
    const before = off.lab.dns.questions.length;
    const { status, body } = await off.get(url);
    expect(status).toBe(404);
    expect(body).toMatchObject({ code: 'tool_disabled', detail: expect.stringContaining('PROBE_SMTP') });
    expect(off.lab.dns.questions.length).toBe(before);
  });

  test('the page and the list for language models do not offer it', async () => {
    expect((await off.get('/', { accept: 'text/html' })).text).not.toContain('value="smtp-check"');
    expect((await off.get('/llms.txt', { accept: '*/*' })).text).not.toContain('smtp-check');
  });
});

describe('where it is switched on', () => {
  test('it answers with its report, for two scans', async () => {
    const { status, body } = await on.get(path);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      check: 'smtp-check',
      state: 'complete',
      score: null,
      nullMx: true,
      hosts: [],
    });
    expect((await on.get('/api/me')).body).toMatchObject({ costs: { 'smtp-check': 2 } });
  });

  test('the page offers it', async () => {
    expect((await on.get('/', { accept: 'text/html' })).text).toContain('value="smtp-check"');
  });

  test.for([
    '/api/tools/ssl-check/a.test?port=25',
    '/api/tools/redirect-check?url=http://a.test:25/',
    '/api/tools/security-header-check?url=https://a.test:25/',
  ])('no other check may name port 25, whatever TARGET_PORTS says: %s', async (url) => {
    const { status, body } = await on.get(url);
    expect(status).toBe(422);
    expect(body['code']).toBe('target_not_allowed');
  });
});
