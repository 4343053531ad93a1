import { describe, expect, test } from 'vitest';
import { readBlock, seeBodySigns } from '../../../worker/web/block-page.ts';
import { blockSigns } from '../../../worker/web/block-signs.ts';
import type { HeaderLine } from '../../../worker/web/fields.ts';
import { productSigns } from '../../../worker/web/product-signs.ts';

type Answer = {
  readonly status?: number;
  readonly headers?: readonly HeaderLine[];
  readonly body?: string;
  readonly url?: string;
};

const start = 'https://a.test/';
const read = ({ status = 200, headers = [], body = '', url = start }: Answer) =>
  readBlock({ url, status, headers, bodySigns: seeBodySigns(body) }, start);
const sent = (name: string, value = 'x'): readonly HeaderLine[] => [[name, value]];

const rows: readonly (readonly [sign: string, answer: Answer])[] = [
  ['cloudflare-mitigated', { headers: sent('CF-Mitigated', 'challenge') }],
  ['cloudflare-challenge-markup', { status: 503, body: '<script>window._cf_chl_opt={cvId:"3"}' }],
  ['cloudflare-block-markup', { status: 403, body: '<title>Attention Required! | Cloudflare</title>' }],
  ['cloudflare-origin-error', { status: 522, headers: sent('Server', 'cloudflare') }],
  ['aws-waf-action', { status: 202, headers: sent('x-amzn-waf-action', 'challenge') }],
  ['aws-waf-markup', { status: 405, body: '<script>window.gokuProps = {}' }],
  ['datadome-refusal', { status: 403, headers: sent('x-dd-b', '1') }],
  ['datadome-field', { status: 401, headers: sent('x-datadome', 'protected') }],
  ['datadome-markup', { body: "<script>var dd={'rt':'c','host':'geo.captcha-delivery.com'}" }],
  ['human-markup', { body: '<div id="px-captcha"></div>' }],
  ['human-cookie', { status: 403, headers: sent('Set-Cookie', '_pxhd=[5 octets]') }],
  ['imperva-incident', { body: 'Request unsuccessful. Incapsula incident ID: 1-2' }],
  ['imperva-challenge', { body: '<html><script src="/_Incapsula_Resource?SWJIYLWA=1"></script></html>' }],
  ['imperva-refusal', { status: 403, headers: sent('X-Iinfo') }],
  ['vercel-mitigated', { status: 429, headers: sent('x-vercel-mitigated', 'challenge') }],
  ['vercel-markup', { status: 429, body: '<title>Vercel Security Checkpoint</title>' }],
  ['f5-rejection', { body: 'The requested URL was rejected. Please consult with your administrator.' }],
  ['f5-challenge', { body: '<script>window["bobcmn"] = "1"' }],
  ['f5-refusal', { status: 403, headers: sent('Set-Cookie', 'TS0121e8f2=1') }],
  ['akamai-markup', { status: 403, body: 'Reference&#32;&#35;18&#46;1' }],
  ['akamai-refusal', { status: 403, headers: sent('Server', 'AkamaiGHost') }],
  ['sucuri', { status: 403, headers: sent('X-Sucuri-Block') }],
  ['kasada', { status: 429, headers: sent('x-kpsdk-ct') }],
  ['anubis', { body: '<script id="anubis_challenge">' }],
  [
    'google-sorry',
    { status: 429, body: 'Our systems have detected unusual traffic from your computer network.' },
  ],
  ['edgio-acl', { status: 401, headers: sent('x-ec-acl', '403') }],
  ['ddos-guard', { status: 403, headers: sent('Server', 'ddos-guard') }],
  ['cloudflare-refusal', { status: 403, headers: sent('Server', 'cloudflare') }],
  ['aws-elb-refusal', { status: 403, headers: sent('Server', 'awselb/2.0') }],
  ['cloudfront-refusal', { status: 405, headers: sent('X-Cache', 'Error from cloudfront') }],
  ['fastly-refusal', { status: 403, headers: sent('X-Served-By', 'cache-iad-1') }],
  ['azure-refusal', { status: 403, headers: sent('x-azure-ref') }],
  ['asks-for-password', { status: 401, headers: sent('WWW-Authenticate', 'Basic') }],
  ['network-login', { status: 511 }],
  ['legal-refusal', { status: 451 }],
  ['too-many-requests', { status: 429 }],
  ['maintenance', { status: 503, headers: sent('Retry-After', '3600') }],
  ['unavailable', { status: 503 }],
  ['refusal', { status: 403 }],
  [
    'akamai-challenge',
    { body: `<meta http-equiv="refresh" content="5; URL='/?bm-verify=AAQAAAAI'" /><script>var i=1;` },
  ],
  ['akamai-challenge', { status: 428, body: '<div id="sec-if-cpt-container"></div>' }],
  ['aws-waf-action', { status: 405, headers: sent('x-amzn-waf-action', 'captcha') }],
  [
    'aws-gateway-refusal',
    { status: 403, headers: sent('x-amzn-errortype', 'ForbiddenException'), body: '{"message":"Forbidden"}' },
  ],
  ['datadome-server', { status: 403, headers: sent('Server', 'DataDome') }],
  ['datadome-cookie', { status: 403, headers: sent('Set-Cookie', 'datadome=[40 octets]; Max-Age=31536000') }],
  ['datadome-markup', { body: '<script>var dd={"rt":"c","cid":"x"}</script>' }],
  [
    'human-block-markup',
    { status: 403, body: '{"appId":"PXabc","jsClientSrc":"/abc/init.js","blockScript":"/abc/captcha.js"}' },
  ],
  ['human-block-markup', { status: 429, body: '<script>window._pxAppId = "PXabc";</script>' }],
  [
    'imperva-interruption',
    { headers: sent('X-CDN', 'Imperva'), body: '<title>Pardon Our Interruption</title>' },
  ],
  [
    'imperva-incident',
    {
      body: '<iframe id="main-iframe" src="/_Incapsula_Resource?SWUDNSAI=31&xinfo=1&incident_id=123-456&edet=12"></iframe>',
    },
  ],
  ['imperva-cdn', { status: 403, headers: sent('X-CDN', 'Imperva') }],
  ['imperva-cookie', { status: 403, headers: sent('Set-Cookie', 'incap_ses_1_2=[5 octets]') }],
  ['vercel-denial', { status: 403, headers: sent('x-vercel-mitigated', 'deny') }],
  [
    'f5-challenge',
    {
      body: '<noscript>Please enable JavaScript to view the page content.<br/>Your support ID is: 123.</noscript>',
    },
  ],
  [
    'cloudflare-challenge-markup',
    { status: 503, body: '<div class="cf-browser-verification cf-im-under-attack">' },
  ],
  [
    'cloudflare-challenge-markup',
    { status: 403, body: '<script src="/cdn-cgi/challenge-platform/h/g/orchestrate/chl_page/v1?ray=1">' },
  ],
  [
    'cloudflare-block-markup',
    { status: 403, body: '<title>Access denied | a.test used Cloudflare to restrict access</title>' },
  ],
  ['cloudflare-block-markup', { status: 429, body: 'error code: 1015' }],
  [
    'cloudflare-waiting-room',
    {
      headers: sent('Set-Cookie', '__cfwaitingroom=[9 octets]'),
      body: '<title>Waiting Room powered by Cloudflare</title>',
    },
  ],
  ['linkedin', { status: 999, body: '<script>location.href = "https://www.linkedin.test/authwall?trk=1"' }],
  ['linkedin-field', { status: 999, headers: sent('X-LI-Pop', 'prod') }],
  ['login-timeout', { status: 440 }],
  ['siteground-captcha', { status: 202, headers: sent('sg-captcha', 'challenge') }],
  [
    'siteground-markup',
    { status: 202, body: '<meta http-equiv="refresh" content="0;/.well-known/sgcaptcha/?r=%2F"></meta>' },
  ],
  ['sucuri-refusal', { status: 403, headers: sent('X-Sucuri-ID', '18011') }],
  ['sucuri-challenge', { body: "<script>var s={},sucuri_cloudproxy_js=''" }],
  ['wordfence', { status: 503, body: '<p>Generated by Wordfence at Sun, 22 Nov 2026' }],
  ['aliyun', { status: 405, body: '<script src="https://errors.aliyun.com/error.js">' }],
  ['amazon-captcha', { body: '<form method="get" action="/errors/validateCaptcha" name="">' }],
  [
    'azure-gateway-refusal',
    { status: 403, headers: sent('Server', 'Microsoft-Azure-Application-Gateway/v2') },
  ],
  ['maintenance-page', { body: '<!doctype html><title>Site under maintenance</title><h1>Back soon</h1>' }],
  ['maintenance-page', { body: '<title>A Shop | Down for scheduled maintenance</title>' }],
  ['browser-check', { body: '<title>Bloomberg - Are you a robot?</title>' }],
  ['browser-check', { body: '<title>Just a moment...</title>' }],
  ['captcha-page', { body: '<title>Security Check</title><div class="h-captcha">' }],
  ['browser-check-phrase', { body: '<p>Checking your browser before accessing a.test.</p>' }],
  ['refusal-page', { body: '<title>Access Denied</title><p>Your IP address is on a list.' }],
  ['refusal-page', { body: '<title>403 Forbidden</title><h1>nginx</h1>' }],
  ['region-refusal', { body: '<p>Our website is currently unavailable in most European countries.</p>' }],
  ['waiting-page', { body: '<p>Please wait…</p><script>document.cookie="a=1";location.reload()</script>' }],
  ['pause-page', { body: "<title>We'll be right back - A Shop</title>" }],
  ['login-elsewhere', { url: 'https://sso.b.test/saml2/login' }],
  ['login-elsewhere', { url: 'https://login.a.test/?returnTo=%2F' }],
  ['login-elsewhere', { url: 'https://auth.a.test/realms/x/protocol/openid-connect/auth?redirect_uri=x' }],
  ['login-elsewhere', { url: 'https://b.test/members/sign_in' }],
  ['login-elsewhere', { url: 'https://b.test/wp-login.php' }],
  ['login-elsewhere', { url: 'https://accounts.a.test/signin/identifier' }],
];

test.for(rows)('%s: %j', ([sign, answer]) => {
  expect(read(answer)?.sign).toBe(sign);
});

test('every sign has a row', () => {
  // Those of products have rows beside near misses in a file of their own.
  const own = blockSigns.filter((sign) => !productSigns.includes(sign));
  const without = own.filter(({ id }) => !rows.some(([sign]) => sign === id));
  expect(without.map(({ id }) => id)).toEqual([]);
});

describe('the site itself is not taken for a block page', () => {
  test.for<readonly [name: string, answer: Answer]>([
    ['a page', { body: '<title>hello</title>' }],
    ['a form with a CAPTCHA', { body: '<title>Contact us</title><div class="g-recaptcha">' }],
    [
      'a maker of CAPTCHAs',
      { body: '<title>Verify you are human without puzzles</title><div class="h-captcha">' },
    ],
    [
      'a security check that is sold',
      { body: '<title>Security check for your website</title><div class="h-captcha">' },
    ],
    [
      'an article about a status',
      { body: '<title>403 Forbidden - Docs</title><article>It means…</article>' },
    ],
    [
      'an app for some countries',
      { body: '<title>App</title><nav></nav><p>This service is not available in your country yet?' },
    ],
    [
      'the texts of an app',
      {
        body: '<title>App</title><script>t = {"geo": "This site is not available in your country."}</script>',
      },
    ],
    ['a film', { body: '<title>Be Right Back (film)</title>' }],
    [
      'a page behind Cloudflare',
      { headers: sent('Server', 'cloudflare'), body: '/cdn-cgi/challenge-platform/scripts/jsd/main.js' },
    ],
    [
      'a page behind DataDome',
      { headers: sent('x-datadome', 'protected'), body: 'https://js.datadome.co/tags.js' },
    ],
    [
      'a long page behind Imperva',
      {
        headers: sent('X-Iinfo'),
        body: `${'<p>hello</p>'.repeat(300)}<script src="/_Incapsula_Resource?SWJIYLWA=1">`,
      },
    ],
    ['a page behind HUMAN', { body: '<script>window._pxAppId = "PXabc";</script><p>hello</p>' }],
    ['a page behind Sucuri', { headers: sent('X-Sucuri-ID', '18011') }],
    ['a page behind Imperva', { headers: sent('X-CDN', 'Imperva') }],
    [
      'a document about maintenance',
      { body: `<title>Scheduled maintenance windows | Docs</title>${'x'.repeat(30_000)}` },
    ],
    ['a page that a waiting room let through', { headers: sent('Set-Cookie', '__cfwaitingroom=[9 octets]') }],
    ['a host for accounts without a login', { url: 'https://accounts.a.test/overview' }],
    ['a page that was not found', { status: 404, headers: sent('Server', 'cloudflare') }],
    ['an error of its own', { status: 500 }],
    ['a login of its own', { url: 'https://www.a.test/login' }],
    ['another site without a login', { url: 'https://b.test/blog/login-pages-explained' }],
  ])('%s', ([, answer]) => {
    expect(read(answer)).toBeUndefined();
  });
});

test('half a megabyte of any body is looked through quickly', () => {
  const before = process.threadCpuUsage();
  for (const text of ['_Incapsula_Resource?', 'var dd={', 'a', '<title>', 'id=px-captch'])
    seeBodySigns(text.repeat(524_288 / text.length));
  expect(process.threadCpuUsage(before).user / 1000).toBeLessThan(300);
});
