import { readDocument } from '../../../../worker/checks/security-header-check/gather/read-document.ts';
import type { HeaderLine } from '../../../../worker/web/fields.ts';
import { answer, baseline, baselineWith, chain, html, link, meta, script, see } from '../observations.ts';
import type { Row } from './row.ts';

const xcto = 'X-Content-Type-Options';
const referrer = 'Referrer-Policy';
const permissions = 'Permissions-Policy';
const digest = 'sha384-oqVuAfXRKap7fdgcCY5uykM6+R9GqQ8K/uxy9rx7HNQlGYl1kPzQho1wx4JwY8wC';
const loads = (...elements: NonNullable<Parameters<typeof see>[0]>['elements'] & object) =>
  see({ headers: baseline, elements });

export const contentRows: readonly Row[] = [
  {
    name: 'what stands behind the cut of a long page is not judged',
    evidence: see({
      headers: baseline,
      elements: [script({ src: '/own.js' }, 'body')],
      cut: 'its body was cut (limit)',
    }),
    broken: [],
    notTested: [
      'sri-missing',
      'sri-invalid',
      'sri-missing-crossorigin',
      'script-http',
      'integrity-policy-missing',
    ],
    holds: ['referrer-policy-unsafe', 'csp-missing'],
  },
  {
    name: 'nor is a long page without any script up to there',
    evidence: see({ headers: baseline, cut: 'its body was cut (limit)' }),
    broken: [],
    notTested: ['sri-missing'],
  },
  {
    name: 'what is seen before the cut counts',
    evidence: see({
      headers: baseline,
      elements: [script({ src: 'https://cdn.test/a.js' }, 'body')],
      cut: 'its body was cut (limit)',
    }),
    broken: ['sri-missing'],
    info: ['integrity-policy-missing'],
    notTested: ['sri-invalid'],
  },
  {
    name: 'a page that could not be read may set its referrer policy in a meta element',
    evidence: see({ headers: baseline, elements: null }),
    broken: [],
    holds: ['referrer-policy-missing', 'referrer-policy-invalid'],
    notTested: ['referrer-policy-unsafe', 'referrer-policy-meta-overrides'],
  },
  {
    name: 'scripts at http:// are upgraded where the policy says so',
    evidence: see({
      headers: [...baseline, ['Content-Security-Policy', 'upgrade-insecure-requests']],
      elements: [script({ src: 'http://site.test/a.js' })],
    }),
    broken: [],
    info: ['csp-multiple-policies'],
    notApplicable: ['script-http'],
  },
  {
    name: 'a Content-Type of */* says nothing (Fetch, "extract a MIME type")',
    evidence: baselineWith({ 'Content-Type': '*/*' }),
    broken: ['content-type-missing'],
  },
  { name: 'no nosniff', evidence: baselineWith({ [xcto]: null }), broken: ['xcto-missing'], score: 97.5 },
  {
    name: 'a word that is none',
    evidence: baselineWith({ [xcto]: 'sniff' }),
    broken: ['xcto-invalid'],
    holds: ['xcto-missing'],
  },
  {
    name: 'nosniff twice works',
    evidence: baselineWith({ [xcto]: ['nosniff', 'NoSniff'] }),
    broken: [],
    info: ['xcto-duplicate'],
    holds: ['xcto-invalid'],
  },
  {
    name: 'only the first value counts',
    evidence: baselineWith({ [xcto]: ['none', 'nosniff'] }),
    broken: ['xcto-invalid'],
  },
  {
    name: 'no Content-Type',
    evidence: see({ headers: baseline.slice(1) }),
    broken: ['content-type-missing'],
  },
  {
    name: 'no charset',
    evidence: see({ headers: [['Content-Type', 'text/html'], ...baseline.slice(1)] }),
    broken: [],
    info: ['content-type-no-charset'],
  },
  {
    name: 'a charset in quotes',
    evidence: see({ headers: [['Content-Type', 'Text/HTML; Charset="UTF-8"'], ...baseline.slice(1)] }),
    broken: [],
    holds: ['content-type-no-charset', 'content-type-missing'],
  },
  {
    name: 'no referrer policy',
    evidence: baselineWith({ [referrer]: null }),
    broken: [],
    info: ['referrer-policy-missing'],
    score: 100,
  },
  {
    name: 'unsafe-url',
    evidence: baselineWith({ [referrer]: 'unsafe-url' }),
    broken: ['referrer-policy-unsafe'],
    score: 97.5,
  },
  {
    name: 'the last known word counts',
    evidence: baselineWith({ [referrer]: 'unsafe-url, no-referrer, later-word' }),
    broken: [],
    holds: ['referrer-policy-unsafe', 'referrer-policy-invalid'],
  },
  {
    name: 'no word that is known',
    evidence: baselineWith({ [referrer]: 'none' }),
    broken: ['referrer-policy-invalid'],
    holds: ['referrer-policy-missing'],
  },
  {
    name: 'a meta element is read later and wins',
    evidence: see({ headers: baseline, elements: [meta({ name: 'referrer', content: 'always' })] }),
    broken: ['referrer-policy-unsafe'],
    info: ['referrer-policy-meta-overrides'],
  },
  {
    name: 'never is an old word for no-referrer',
    evidence: see({ headers: baseline, elements: [meta({ name: 'referrer', content: 'never' })] }),
    broken: [],
    holds: ['referrer-policy-unsafe', 'referrer-policy-meta-overrides'],
  },
  ...["text/html; charset='utf-8'", 'text/html; charset=utf8mb4', 'text/html; charset=iso-2022-kr'].map(
    (text): Row => ({
      name: `a charset that browsers do not know: ${text}`,
      evidence: baselineWith({ 'Content-Type': text }),
      broken: ['content-type-charset-unknown'],
      holds: ['content-type-no-charset'],
    }),
  ),
  ...[
    ['text/html; charset=koi8-r', 'text/html'],
    ['text/html', 'text/html; charset=koi8-r'],
    ['text/html; charset=koi8-r', 'bogus', '*/*'],
    ['text/html; charset="UTF8"'],
    ['text/html; charset=utf-8, text/html'],
  ].map((lines): Row => ({
    name: `the charset counts of ${JSON.stringify(lines)}`,
    evidence: baselineWith({ 'Content-Type': lines }),
    broken: [],
    holds: ['content-type-no-charset', 'content-type-charset-unknown'],
  })),
  ...[
    ['text/plain; charset=koi8-r', 'text/html'],
    ['text/html; charset = utf-8'],
    ['text/html; charset:utf-8'],
    ['text/html, charset=utf-8'],
  ].map((lines): Row => ({
    name: `no charset counts of ${JSON.stringify(lines)}`,
    evidence: baselineWith({ 'Content-Type': lines }),
    broken: [],
    info: ['content-type-no-charset'],
    notApplicable: ['content-type-charset-unknown'],
  })),
  {
    name: 'no permissions policy',
    evidence: baselineWith({ [permissions]: null }),
    broken: ['permissions-policy-missing'],
    score: 99.5,
  },
  {
    name: 'a permissions policy that does not parse',
    evidence: baselineWith({ [permissions]: 'camera=(self' }),
    broken: ['permissions-policy-invalid'],
  },
  {
    name: 'the syntax of Feature-Policy',
    evidence: baselineWith({ [permissions]: "camera 'none'; microphone 'self'" }),
    broken: ['permissions-policy-legacy-syntax'],
  },
  {
    name: 'the camera for every frame',
    evidence: baselineWith({ [permissions]: 'camera=*, fullscreen=*' }),
    broken: ['permissions-policy-wildcard'],
    holds: [
      'permissions-policy-invalid',
      'permissions-policy-legacy-syntax',
      'permissions-policy-unknown-feature',
    ],
  },
  ...[
    'camera=none;microphone=none',
    'camera=("self")',
    'camera=(self https://a.test)',
    'camera=none',
    'camera=(src)',
    'camera',
    'camera=?0',
    'camera="none"',
    'camera=("a.test")',
    'camera=("https://a.test?x")',
    'camera=("https://[::1]")',
    'camera=("null")',
    'camera=(), camera=(self)',
    'camera=(self;microphone), geolocation=()',
  ].map((text): Row => ({
    name: `a part that browsers ignore: ${text}`,
    evidence: baselineWith({ [permissions]: text }),
    broken: ['permissions-policy-ignored'],
    holds: ['permissions-policy-invalid', 'permissions-policy-wildcard'],
  })),
  ...[
    'camera=(), microphone=(self "https://a.test"), geolocation=*;report-to=x',
    'camera=("https://a.test/"), usb=("https://*.a.test" "https://a.test:8443"), midi=()',
    `camera=("'self'"), fullscreen=*`,
    'camera=self',
  ].map((text): Row => ({
    name: `nothing that browsers ignore: ${text}`,
    evidence: baselineWith({ [permissions]: text }),
    broken: text.includes('geolocation=*') ? ['permissions-policy-wildcard'] : [],
    holds: ['permissions-policy-ignored'],
  })),
  ...['camera="*"', 'camera=("https:")', 'camera=(self "https://*")'].map((text): Row => ({
    name: `the camera for every frame, as a text: ${text}`,
    evidence: baselineWith({ [permissions]: text }),
    broken: ['permissions-policy-wildcard'],
    holds: ['permissions-policy-ignored'],
  })),
  {
    name: 'a feature that is unknown',
    evidence: baselineWith({ [permissions]: 'kamera=()' }),
    broken: [],
    info: ['permissions-policy-unknown-feature'],
    holds: ['permissions-policy-wildcard'],
  },
  {
    name: 'a foreign script without integrity',
    evidence: loads(script({ src: '//cdn.other.test/a.js' })),
    broken: ['sri-missing'],
    info: ['integrity-policy-missing'],
    score: 95,
  },
  {
    name: 'a sibling of the same site needs none',
    evidence: loads(script({ src: 'https://static.site.test/a.js' })),
    broken: [],
    holds: ['script-http'],
    notApplicable: ['sri-missing'],
  },
  {
    name: 'a foreign stylesheet without integrity',
    evidence: loads(link({ rel: 'stylesheet', href: 'https://cdn.other.test/a.css' })),
    broken: ['sri-missing'],
    notApplicable: ['integrity-policy-missing'],
  },
  {
    name: 'a relative script below a foreign base is foreign',
    evidence: see({
      headers: baseline,
      base: 'https://cdn.other.test/',
      elements: [script({ src: 'a.js' })],
    }),
    broken: ['sri-missing'],
  },
  {
    name: 'md5 is no integrity',
    evidence: loads(script({ src: 'https://cdn.other.test/a.js', integrity: 'md5-abc', crossorigin: '' })),
    broken: ['sri-invalid'],
    holds: ['sri-missing'],
  },
  {
    name: 'integrity without crossorigin blocks the file',
    evidence: loads(script({ src: 'https://cdn.other.test/a.js', integrity: digest })),
    broken: ['sri-missing-crossorigin'],
    score: 95,
  },
  {
    name: 'so it does for a stylesheet',
    evidence: loads(link({ rel: 'stylesheet', href: 'https://cdn.other.test/a.css', integrity: digest })),
    broken: ['sri-missing-crossorigin'],
  },
  {
    name: 'modules are asked for by CORS anyway',
    evidence: loads(
      script({ src: 'https://cdn.other.test/a.js', integrity: digest, type: 'module' }),
      link({ rel: 'modulepreload', href: 'https://cdn.other.test/b.js', integrity: digest }),
    ),
    broken: [],
    holds: ['sri-missing-crossorigin'],
  },
  {
    name: 'integrity done well, and asked for',
    evidence: see({
      headers: [...baseline, ['Integrity-Policy', 'blocked-destinations=(script)']],
      elements: [script({ src: 'https://cdn.other.test/a.js', integrity: digest, crossorigin: 'anonymous' })],
    }),
    broken: [],
    holds: ['sri-invalid', 'sri-missing-crossorigin', 'integrity-policy-missing'],
  },
  {
    name: 'images and videos in clear text, which browsers ask for over https',
    evidence: markup(
      '<img src=http://a.test/b.png><img src=https://a.test/c.png><video src=" HTTP://a.test/d" poster=http://a.test/e></video>',
    ),
    broken: ['mixed-content-passive'],
    holds: ['mixed-content-blocked', 'form-action-http'],
    score: 99,
  },
  {
    name: 'images relative to a base in clear text',
    evidence: markup('<base href=http://a.test/><img src=b.png>'),
    broken: ['mixed-content-passive'],
  },
  {
    name: 'a frame, a srcset and an image of an address in clear text, which browsers block',
    evidence: markup(
      '<iframe src=http://a.test/></iframe><img srcset="/a 1x, http://a.test/b 2x"><img src=http://192.0.2.1/c>',
    ),
    broken: ['mixed-content-blocked'],
    holds: ['mixed-content-passive'],
    score: 95,
  },
  {
    name: 'a form that sends in clear text',
    evidence: markup('<form action=http://site.test/login method=post><input name=password></form>'),
    broken: ['form-action-http'],
    score: 95,
  },
  {
    name: 'upgrade-insecure-requests takes all of it to https',
    evidence: markup(
      '<img src=http://a.test/b><iframe src=http://a.test/></iframe><form action=http://a.test/></form>',
      ['Content-Security-Policy', 'upgrade-insecure-requests'],
    ),
    broken: [],
    notApplicable: ['mixed-content-passive', 'mixed-content-blocked', 'form-action-http'],
  },
  {
    name: 'what stays on the own machine, and links, are no mixed content',
    evidence: markup(
      '<img src=http://localhost/a><img src=http://127.0.0.1:8080/a><a href=http://a.test/>a</a><template><img src=http://a.test/></template>',
    ),
    broken: [],
    holds: ['mixed-content-passive', 'mixed-content-blocked'],
  },
  {
    name: 'a script in clear text',
    evidence: loads(script({ src: 'http://site.test/a.js' })),
    broken: ['script-http'],
    score: 92.5,
  },
  {
    name: 'an inline script loads nothing',
    evidence: see({ headers: [html, ...baseline.slice(1)], elements: [script()] }),
    broken: [],
    notApplicable: ['sri-missing'],
  },
];

/** A page of this markup with good headers. */
function markup(text: string, ...more: readonly HeaderLine[]): Row['evidence'] {
  const url = 'https://site.test/';
  return see({
    https: { ...chain([answer(url, [...baseline, ...more])]), document: readDocument(text, url) },
  });
}
