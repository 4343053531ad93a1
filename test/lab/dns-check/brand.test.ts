import { readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { codesBroken } from '#shared/model/verdict';
import { openLab } from '../kit/lab.ts';
import { checkDomain } from './check-domain.ts';

const fixture = (name: string): Buffer =>
  readFileSync(new URL(`../../fixtures/dns-check/mail/${name}`, import.meta.url));
const logo = fixture('logo.svg');
const svg = { 'content-type': 'image/svg+xml' };

/** Files by their path; anything else is not there. */
const files =
  (known: { readonly [path: string]: RequestListener }): RequestListener =>
  (request, response) => {
    const path = request.url ?? '';
    if (Object.hasOwn(known, path)) known[path]?.(request, response);
    else response.writeHead(404).end();
  };
const give =
  (body: Buffer, headers: { readonly [name: string]: string } = svg): RequestListener =>
  (_request, response) =>
    response.writeHead(200, headers).end(body);
const move =
  (location: string): RequestListener =>
  (_request, response) =>
    response.writeHead(302, { location }).end();

// So much in one line, and without end.
const flood: RequestListener = (_request, response) => {
  const piece = Buffer.alloc(65_536, 120);
  response.writeHead(200, svg).on('drain', () => response.write(piece));
  while (response.write(piece));
};

const rows = [
  {
    domain: 'good.test',
    site: files({ '/logo.svg': give(logo), '/mark.pem': give(fixture('marks/good.pem')) }),
    tags: 'l=https://good.test/logo.svg; a=https://good.test/mark.pem',
    broken: [],
    shown: { logoFile: { title: 'Good Test', compressed: false }, certificate: { kind: 'VMC' } },
  },
  {
    domain: 'packed.test',
    site: files({ '/logo.svgz': give(gzipSync(logo)) }),
    tags: 'l=https://packed.test/logo.svgz',
    broken: ['bimi-no-certificate'],
    shown: { logoFile: { sizeBytes: logo.length, compressed: true } },
  },
  {
    domain: 'encoded.test',
    site: files({ '/logo.svg': give(gzipSync(logo), { ...svg, 'content-encoding': 'gzip' }) }),
    tags: 'l=https://encoded.test/logo.svg',
    broken: ['bimi-no-certificate'],
    shown: { logoFile: { sizeBytes: logo.length, compressed: false } },
  },
  {
    domain: 'moved.test',
    site: files({ '/logo.svg': move('https://good.test/logo.svg') }),
    tags: 'l=https://moved.test/logo.svg',
    broken: ['bimi-no-certificate'],
    shown: { logoFile: { url: 'https://good.test/logo.svg' } },
  },
  {
    domain: 'plain.test',
    site: files({ '/logo.svg': move('http://good.test/logo.svg') }),
    tags: 'l=https://plain.test/logo.svg',
    broken: ['bimi-logo-unreachable', 'bimi-no-certificate'],
    shown: { logoFile: null },
  },
  {
    domain: 'stale.test',
    site: files({ '/logo.svg': give(logo) }),
    tags: 'l=https://stale.test/logo.svg',
    broken: ['bimi-logo-unreachable', 'bimi-no-certificate'],
    shown: { logoFile: null },
  },
  {
    domain: 'flood.test',
    site: files({ '/logo.svg': flood, '/mark.pem': give(fixture('marks/other.pem')) }),
    tags: 'l=https://flood.test/logo.svg; a=https://flood.test/mark.pem',
    broken: ['bimi-certificate-other-domain', 'bimi-logo-too-large'],
    shown: { logoFile: { sizeBytes: null } },
  },
  {
    domain: 'hidden.test',
    site: files({}),
    tags: 'l=https://inside.test/logo.svg',
    broken: ['bimi-logo-unreachable', 'bimi-no-certificate'],
    shown: { logoFile: null },
  },
] as const;

const text = (value: string) => ({ TXT: [value] });
const lab = await openLab({
  sites: Object.fromEntries(rows.map(({ domain, site }) => [`https://${domain}`, site])),
  certificates: { 'stale.test': { notAfter: new Date(Date.now() - 3_600_000) } },
  zone: Object.fromEntries([
    ['inside.test', { A: ['10.0.0.1'] }],
    ...rows.flatMap(({ domain, tags }) => [
      [`_dmarc.${domain}`, text(`v=DMARC1; p=reject; rua=mailto:reports@${domain}`)],
      [`default._bimi.${domain}`, text(`v=BIMI1; ${tags}`)],
    ]),
  ]),
});
afterAll(async () => lab.close());

test.for(rows)('$domain: its logo and mark over real sockets', async ({ domain, broken, shown }) => {
  const { verdicts, fields } = await checkDomain(domain, lab.settings());
  const codes = codesBroken(verdicts).filter((code) => code.startsWith('bimi-'));
  expect(codes.toSorted()).toEqual([...broken]);
  expect(fields['bimi']).toMatchObject(shown);
  expect(JSON.stringify([fields, verdicts])).not.toContain('10.0.0.1');
});
