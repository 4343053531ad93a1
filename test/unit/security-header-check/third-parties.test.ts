import { expect, test } from 'vitest';
import { assessHeaders } from '../../../worker/checks/security-header-check/assess.ts';
import { readThirdParties } from '../../../worker/checks/security-header-check/facts/third-parties.ts';
import { readDocument } from '../../../worker/checks/security-header-check/gather/read-document.ts';
import { see } from './observations.ts';

const url = 'https://www.site.test/';
const read = (html: string) => readThirdParties({ url: new URL(url), document: readDocument(html, url) });

test.for<readonly [name: string, html: string, found: readonly unknown[]]>([
  [
    'a page of its own',
    '<script src=/a.js></script><img src=https://img.site.test/a><a href=//b.test/>b</a>',
    [],
  ],
  [
    'a script twice, once with integrity',
    '<script src=//cdn.a.test/1.js integrity=sha384-x></script><script src="https://cdn.a.test/2.js"></script>',
    [{ origin: 'https://cdn.a.test', site: 'a.test', kinds: { script: 2 }, integrity: 'some' }],
  ],
  [
    'styles, fonts and frames',
    '<link rel=stylesheet href=//a.test/a.css><link rel=preload as=font href=//a.test/f.woff2><iframe src=//b.test/></iframe>',
    [
      { origin: 'https://a.test', site: 'a.test', kinds: { style: 1, font: 1 }, integrity: 'none' },
      { origin: 'https://b.test', site: 'b.test', kinds: { frame: 1 }, integrity: null },
    ],
  ],
  [
    'images by srcset and poster, media, and where forms lead',
    '<img srcset="//a.test/1 1x,//a.test/2 2x"><video poster=//a.test/3><source src=//a.test/4></video><form action=//b.test/><button formaction=//c.test/>',
    [
      { origin: 'https://a.test', site: 'a.test', kinds: { image: 3, media: 1 }, integrity: null },
      { origin: 'https://b.test', site: 'b.test', kinds: { form: 1 }, integrity: null },
      { origin: 'https://c.test', site: 'c.test', kinds: { form: 1 }, integrity: null },
    ],
  ],
  [
    'a foreign base makes paths foreign',
    '<base href=//a.test/><script src=/a.js></script>',
    [{ origin: 'https://a.test', site: 'a.test', kinds: { script: 1 }, integrity: 'none' }],
  ],
  [
    'customers of one service are sites of their own',
    '<script src=https://one.github.io/a.js integrity=sha384-x></script>',
    [{ origin: 'https://one.github.io', site: 'one.github.io', kinds: { script: 1 }, integrity: 'all' }],
  ],
])('%s', ([, html, found]) => {
  expect(read(html)).toEqual(found);
});

test('of thousands of origins the first 300 are kept, and 100 are shown', () => {
  const html = Array.from({ length: 3000 }, (_, at) => `<img src=//a${at}.test/>`).join('');
  expect(read(html)).toHaveLength(300);
  const document = readDocument(html, url);
  const https = { ...see().https, document };
  expect(assessHeaders(see({ https })).fields['thirdParties']).toMatchObject({ count: 300, whole: true });
});
