import type { RequestListener } from 'node:http';
import { afterAll, expect, test } from 'vitest';
import { securityHeaderCheck } from '../../../worker/checks/security-header-check/index.ts';
import { prepareProbesOf } from '../../../worker/start/probe-settings.ts';
import { openLab } from '../kit/lab.ts';

const html = { 'content-type': 'text/html; charset=utf-8' };
const policy =
  "default-src 'none'; script-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const doubled = [
  ['Content-Type', 'text/html; charset=utf-8'],
  ['X-Frame-Options', 'DENY'],
  ['X-Frame-Options', 'DENY'],
  ['Set-Cookie', '__proto__=1; Secure'],
  ['constructor', 'x'],
  ...Array.from({ length: 3000 }, (_, at) => [`X-Filler-${at}`, '1']),
  ['Strict-Transport-Security', 'max-age=31536000'],
].flat();
const toHttps: RequestListener = ({ headers: { host }, url }, response) =>
  response.writeHead(301, { location: `https://${(host ?? '').replace(/:\d+$/, '')}${url}` }).end();

const lab = await openLab({
  sites: {
    'http://good.test': toHttps,
    'https://good.test': (_request, response) =>
      response
        .writeHead(200, {
          ...html,
          'strict-transport-security': 'max-age=31536000; includeSubDomains',
          'content-security-policy': policy,
          'x-content-type-options': 'nosniff',
          'referrer-policy': 'no-referrer',
          'permissions-policy': 'camera=()',
        })
        .end('<!doctype html><title>good</title><script src=/a.js></script>'),
    'http://open.test': (_request, response) => response.writeHead(200, html).end('<p>open'),
    'https://open.test': ({ headers: { origin } }, response) =>
      response
        .writeHead(200, {
          ...html,
          ...(origin === undefined
            ? {}
            : { 'access-control-allow-origin': origin, 'access-control-allow-credentials': 'true' }),
        })
        .end('<p>open'),
    'http://meta.test': toHttps,
    'https://meta.test': (_request, response) =>
      response
        .writeHead(200, html)
        .end(`<body><p>x<meta http-equiv=Content-Security-Policy content="${policy}">`),
    'http://doubled.test': toHttps,
    'https://doubled.test': (_request, response) => response.writeHead(200, doubled).end('<p>doubled'),
    'http://big.test': toHttps,
    'https://big.test': (_request, response) =>
      response
        .writeHead(200, { ...html, 'content-security-policy': `script-src ${"'self' ".repeat(12_000)}` })
        .end('<p>big'),
    'http://files.test': toHttps,
    'https://files.test': ({ url }, response) => {
      if (url === '/.well-known/security.txt') response.writeHead(301, { location: '/security.txt' }).end();
      else if (url === '/security.txt')
        response
          .writeHead(200, { 'content-type': 'text/plain' })
          .end('Contact: mailto:a@files.test\nExpires: 2020-01-01T00:00:00Z\n');
      else if (url === '/robots.txt')
        response
          .writeHead(200, { 'content-type': 'text/plain' })
          .write(`User-agent: *\nDisallow: /\n${'#'.repeat(600_000)}`);
      else response.writeHead(200, html).end('<p>files');
    },
    'http://loop.test': toHttps,
    'https://loop.test': (_request, response) => response.writeHead(302, { location: '/' }).end(),
  },
});
const probes = prepareProbesOf(lab.config());
afterAll(async () => {
  probes.close();
  await lab.close();
});

async function check(target: string) {
  const opened = probes.open(new AbortController().signal);
  const evidence = await securityHeaderCheck.gather({
    target,
    options: {},
    probes: opened,
    progress: () => undefined,
  });
  opened.close();
  return securityHeaderCheck.assess(evidence);
}

test('a good site is told from what its sockets gave', async () => {
  const { state, score, fields, verdicts } = await check('https://good.test/');
  expect([state, score]).toEqual(['complete', 100]);
  expect(fields).toMatchObject({
    judgedUrl: 'https://good.test/',
    effective: {
      hsts: { applied: true },
      framing: { allowed: 'none' },
      script: { level: 'hosts' },
      cors: { access: 'none' },
    },
    observatory: { algorithm: 6, score: 120, grade: 'A+' },
  });
  expect(verdicts).toMatchObject({
    'certificate-not-trusted': 'holds',
    'http-not-upgraded': 'holds',
    'sri-missing': 'not-applicable',
  });
});

test('an open site is told to be open', async () => {
  const { fields, verdicts } = await check('https://open.test/');
  expect(fields).toMatchObject({
    effective: { cors: { access: 'any-origin-with-credentials', nullOrigin: true } },
  });
  expect(verdicts).toMatchObject({
    'cors-reflects-origin-credentials': { broken: expect.any(Array) },
    'cors-null-credentials': { broken: expect.any(Array) },
    'http-not-upgraded': { broken: expect.any(Array) },
  });
});

test('a policy in the body of a page is none', async () => {
  const { verdicts } = await check('https://meta.test/');
  expect(verdicts).toMatchObject({
    'csp-missing': { broken: expect.any(Array) },
    'csp-meta-not-in-head': { broken: [expect.objectContaining({ place: 'p' })] },
  });
});

test('doubled headers, and one behind three thousand others, are seen as sent', async () => {
  const { fields, verdicts } = await check('https://doubled.test/');
  expect(verdicts).toMatchObject({ 'xfo-duplicate': { broken: expect.any(Array) }, 'hsts-missing': 'holds' });
  expect(fields['cookies']).toEqual([expect.objectContaining({ name: '__proto__', stored: true })]);
});

test('a header section above 64 KiB is named as not judged', async () => {
  const { state, score, verdicts } = await check('https://big.test/');
  expect([state, score]).toEqual(['partial', null]);
  expect(verdicts).toMatchObject({ 'csp-missing': { notTested: expect.stringContaining('64 KiB') } });
});

test('security.txt and robots.txt are read within their bounds', async () => {
  const { state, fields, verdicts } = await check('https://files.test/');
  expect(state).toBe('complete');
  expect(fields).toMatchObject({
    securityTxt: { state: 'found', url: expect.stringMatching(/\/security\.txt$/), signed: false },
    robots: { state: 'found', disallowsAll: true, whole: false },
  });
  // The piece in which the limit is reached counts whole.
  expect((fields['robots'] as { sizeBytes: number }).sizeBytes).toBeLessThan(600_000);
  expect(verdicts).toMatchObject({
    'security-txt-expired': { broken: [expect.objectContaining({ expires: '2020-01-01T00:00:00Z' })] },
    'robots-disallows-all': { broken: expect.any(Array) },
  });
});

test('an endless redirect has no score', async () => {
  const { state, score, verdicts } = await check('https://loop.test/');
  expect([state, score]).toEqual(['partial', null]);
  expect(verdicts).toMatchObject({ 'redirect-no-page': { broken: expect.any(Array) } });
});

test('a name without address is unreachable', async () => {
  const { state, score } = await check('https://nowhere.test/');
  expect([state, score]).toEqual(['unreachable', null]);
  await expect.poll(() => lab.web.openSockets()).toBe(0);
});
