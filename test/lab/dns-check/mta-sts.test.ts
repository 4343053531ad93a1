import type { RequestListener } from 'node:http';
import { afterAll, expect, test } from 'vitest';
import { codesBroken } from '#shared/model/verdict';
import { openLab } from '../kit/lab.ts';
import { checkDomain } from './check-domain.ts';

const path = '/.well-known/mta-sts.txt';
const plain = { 'content-type': 'text/plain' };
const policyOf = (mode: string, mx: string) => `version: STSv1\nmode: ${mode}\nmx: ${mx}\nmax_age: 604800\n`;

/** A server that has nothing but the policy file. */
const serve =
  (body: string | Buffer, headers: { readonly [name: string]: string } = plain): RequestListener =>
  ({ url }, response) => {
    if (url === path) response.writeHead(200, headers).end(body);
    else response.writeHead(404).end();
  };

const rows: readonly { domain: string; site: RequestListener; broken: readonly string[] }[] = [
  { domain: 'good.test', site: serve(policyOf('enforce', '*.good.test')), broken: [] },
  { domain: 'other.test', site: serve(policyOf('enforce', 'mx.good.test')), broken: ['mta-sts-mx-mismatch'] },
  {
    domain: 'trial.test',
    site: serve(policyOf('testing', 'mx.good.test')),
    broken: ['mta-sts-mx-mismatch-testing', 'mta-sts-testing'],
  },
  { domain: 'stale.test', site: serve(policyOf('enforce', '*.stale.test')), broken: ['mta-sts-certificate'] },
  {
    domain: 'moved.test',
    site: (_request, response) =>
      response.writeHead(301, { location: `https://mta-sts.good.test${path}` }).end(),
    broken: ['mta-sts-redirect'],
  },
  {
    domain: 'page.test',
    site: serve(policyOf('enforce', '*.page.test'), { 'content-type': 'text/html' }),
    broken: ['mta-sts-content-type'],
  },
  {
    domain: 'empty.test',
    site: (_request, response) => response.writeHead(404).end(),
    broken: ['mta-sts-policy-unreachable'],
  },
  {
    domain: 'marked.test',
    site: serve(`\ufeff${policyOf('enforce', '*.marked.test')}`),
    broken: ['mta-sts-policy-invalid'],
  },
  {
    domain: 'wide.test',
    site: serve(Buffer.from(`\ufeff${policyOf('enforce', 'mx.good.test')}`, 'utf16le')),
    broken: ['mta-sts-policy-invalid'],
  },
  {
    domain: 'wide-bare.test',
    site: serve(Buffer.from(policyOf('enforce', 'mx.good.test'), 'utf16le'), {
      'content-type': 'text/plain; charset=utf-16le',
    }),
    broken: ['mta-sts-policy-invalid'],
  },
  {
    domain: 'latin.test',
    site: serve(policyOf('enforce', '*.latin.test'), { 'content-type': 'text/plain; charset=utf-16' }),
    broken: [],
  },
  { domain: 'long.test', site: serve(`#${'x'.repeat(1_000_000)}`), broken: ['mta-sts-policy-invalid'] },
];

const lab = await openLab({
  sites: Object.fromEntries(rows.map(({ domain, site }) => [`https://mta-sts.${domain}`, site])),
  certificates: { 'mta-sts.stale.test': { notAfter: new Date(Date.now() - 3_600_000) } },
  zone: Object.fromEntries(
    rows.flatMap(({ domain }): [string, { readonly [type: string]: readonly unknown[] }][] => [
      [domain, { A: ['127.0.0.1'], MX: [{ preference: 10, exchange: `mx.${domain}` }] }],
      [`mx.${domain}`, { A: ['127.0.0.1'] }],
      [`_mta-sts.${domain}`, { TXT: ['v=STSv1; id=1'] }],
    ]),
  ),
});
afterAll(async () => lab.close());

test.for(rows)('$domain: its policy over real sockets', async ({ domain, broken }) => {
  const { verdicts } = await checkDomain(domain, lab.settings());
  const codes = codesBroken(verdicts).filter((code) => code.startsWith('mta-sts-'));
  expect(codes.toSorted()).toEqual([...broken]);
});

test('the report tells until when the certificate of the policy host is valid', async () => {
  const { fields } = await checkDomain('good.test', lab.settings());
  const { certificate } = fields['mtaSts'] as { certificate?: { notAfter: string } };
  expect(Date.parse(certificate?.notAfter ?? '')).toBeGreaterThan(Date.now());
});
