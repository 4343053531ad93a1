import type { RequestListener } from 'node:http';
import { afterAll, expect, test } from 'vitest';
import type { Sites } from '../kit/web-servers.ts';
import { type Apex, zoneOf, webAddress } from './domains.ts';
import { openHealthLab } from './kit.ts';
import { sendTo } from './sites.ts';
import type { Records } from './zone-data.ts';

// Each fix is tried: a domain with the fault, and one that differs from it only by what the finding says to do.

type Headers = { readonly [name: string]: string | readonly string[] };
type SiteSettings = {
  readonly headers?: Headers;
  readonly apex?: Apex;
  readonly dmarc?: string | null;
  readonly tlsReports?: string | null;
  readonly staysOnHttp?: boolean;
};
type Row = { readonly code: string; readonly broken: SiteSettings; readonly fixed?: SiteSettings };

const usual: Headers = {
  'content-type': 'text/html; charset=utf-8',
  'strict-transport-security': 'max-age=63072000; includeSubDomains',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'permissions-policy': 'camera=()',
};
const without = (name: string): SiteSettings => ({
  headers: Object.fromEntries(Object.entries(usual).filter(([one]) => one !== name)),
});
const withHeader = (name: string, value: string): SiteSettings => ({ headers: { ...usual, [name]: value } });
const spf = (text: string): SiteSettings => ({ apex: { TXT: [text] } });
const cookie = (attributes: string) =>
  withHeader('set-cookie', `sessionid=0123456789abcdef0123${attributes}`);

const rows: readonly Row[] = [
  { code: 'xcto-missing', broken: without('x-content-type-options') },
  { code: 'permissions-policy-missing', broken: without('permissions-policy') },
  { code: 'referrer-policy-unsafe', broken: withHeader('referrer-policy', 'unsafe-url') },
  {
    code: 'hsts-missing',
    broken: without('strict-transport-security'),
    fixed: withHeader('strict-transport-security', 'max-age=31536000'),
  },
  { code: 'hsts-short', broken: withHeader('strict-transport-security', 'max-age=600; includeSubDomains') },
  {
    code: 'hsts-no-subdomains',
    broken: withHeader('strict-transport-security', 'max-age=63072000'),
  },
  {
    code: 'cookie-session-no-secure',
    broken: cookie('; HttpOnly; SameSite=Lax'),
    fixed: cookie('; HttpOnly; SameSite=Lax; Secure'),
  },
  {
    code: 'cookie-session-no-httponly',
    broken: cookie('; Secure; SameSite=Lax'),
    fixed: cookie('; Secure; SameSite=Lax; HttpOnly'),
  },
  { code: 'http-not-upgraded', broken: { staysOnHttp: true } },
  { code: 'spf-all-pass', broken: spf('v=spf1 mx +all') },
  { code: 'spf-all-neutral', broken: spf('v=spf1 mx ?all') },
  { code: 'spf-ptr', broken: spf('v=spf1 mx ptr -all') },
  { code: 'dmarc-policy-none', broken: { dmarc: 'v=DMARC1; p=none; rua=mailto:reports@{domain}' } },
  {
    code: 'dmarc-missing',
    broken: { dmarc: null },
    fixed: { dmarc: 'v=DMARC1; p=none; rua=mailto:reports@{domain}' },
  },
  { code: 'dmarc-rua-missing', broken: { dmarc: 'v=DMARC1; p=reject' } },
  { code: 'tls-rpt-missing', broken: { tlsReports: null } },
];

const nameOf = (code: string, state: 'broken' | 'fixed') => `${code}-${state}.test`;
const looks = rows.flatMap(({ code, broken, fixed = {} }) => [
  { domain: nameOf(code, 'broken'), look: broken },
  { domain: nameOf(code, 'fixed'), look: fixed },
]);

function siteOf(domain: string, { headers = usual, staysOnHttp = false }: SiteSettings): Sites {
  const page: RequestListener = (_request, response) =>
    void response
      .writeHead(
        200,
        Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat()])),
      )
      .end('<!doctype html><title>a page</title><h1>Here</h1>');
  return {
    [`http://${domain}`]: staysOnHttp ? page : sendTo(`https://${domain}`),
    [`https://${domain}`]: page,
    [`http://www.${domain}`]: sendTo(`https://www.${domain}`),
    [`https://www.${domain}`]: sendTo(`https://${domain}`),
  };
}

const reports = 'v=TLSRPTv1; rua=mailto:reports@{domain}';
const policy = 'v=DMARC1; p=reject; rua=mailto:reports@{domain}';

function zonesOf(domain: string, { apex = {}, dmarc = policy, tlsReports = reports }: SiteSettings) {
  const text = (words: string | null): Records[string] =>
    words === null ? {} : { TXT: [words.replace('{domain}', domain)] };
  return zoneOf(
    domain,
    {
      A: [webAddress],
      MX: [{ preference: 10, exchange: `mail.${domain}` }],
      TXT: ['v=spf1 mx -all'],
      CAA: [{ flags: 0, tag: 'issue', value: 'ca.example' }],
      ...apex,
    },
    {
      [`www.${domain}`]: { CNAME: [domain] },
      [`mail.${domain}`]: { A: [webAddress] },
      ...(dmarc === null ? {} : { [`_dmarc.${domain}`]: text(dmarc) }),
      ...(tlsReports === null ? {} : { [`_smtp._tls.${domain}`]: text(tlsReports) }),
    },
  );
}

const lab = await openHealthLab({
  hasPages: true,
  sites: Object.assign({}, ...looks.map(({ domain, look }) => siteOf(domain, look))),
  zones: Object.assign({}, ...looks.map(({ domain, look }) => zonesOf(domain, look))),
});
afterAll(() => lab.close());

test.for(rows)(
  '$code: what is promised is what is measured after the fix',
  { timeout: 120_000 },
  async ({ code }) => {
    const broken = await lab.health(nameOf(code, 'broken'));
    const fixed = await lab.health(nameOf(code, 'fixed'));
    const entry = broken.raise?.find(({ findings }) => findings.some((one) => one.code === code));
    // What does not move the whole points of the domain is no entry, and then nothing is measured either.
    const promised = entry ? [entry.scoreAfter, entry.gradeAfter] : [broken.score, broken.grade];
    expect([code, ...promised]).toEqual([code, fixed.score, fixed.grade]);
    expect(entry?.points ?? 0).toBe((fixed.score ?? 0) - (broken.score ?? 0));
    expect(broken.partFindings?.some((finding) => finding.code === code)).toBe(true);
  },
);
