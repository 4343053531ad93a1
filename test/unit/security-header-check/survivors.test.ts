import { describe, expect, test } from 'vitest';
import { isMalformed } from '#shared/model/verdict';
import {
  isSharedCacheable,
  parseCacheControl,
} from '../../../worker/checks/security-header-check/grammar/cache-control.ts';
import { parseSecurityTxt } from '../../../worker/checks/security-header-check/grammar/security-txt.ts';
import { isSentTo, storeCookie } from '../../../worker/web/cookie-store.ts';
import { parseRobots } from '../../../worker/web/robots.ts';
import { parseSetCookie } from '../../../worker/web/set-cookie.ts';

// Rows for changes that the other tests of these files did not notice.

describe('Cache-Control', () => {
  test('a value without a name is no directive', () => {
    expect([...parseCacheControl(['=public, no-transform'])]).toEqual([['no-transform', null]]);
  });

  test.for([
    ['s-maxage=0', false],
    ['s-maxage=1', true],
    ['public', true],
    ['public, max-age=0', false],
    ['private, s-maxage=60', false],
  ] as const)('%s: shared caches may keep it: %s', ([line, expected]) => {
    expect(isSharedCacheable(parseCacheControl([line]))).toBe(expected);
  });
});

test('robots.txt: 20 sitemaps are kept whole, more are counted', () => {
  const sitemaps = Array.from({ length: 21 }, (_, index) => `https://a.test/${index}.xml`);
  const robots = parseRobots(sitemaps.map((url) => `Sitemap: ${url}`).join('\n'));
  expect(robots.sitemaps).toEqual(sitemaps.slice(0, 20));
  expect(robots.sitemapCount).toBe(21);
});

describe('security.txt', () => {
  const signed = [
    'Contact: mailto:before@a.test',
    '-----BEGIN PGP SIGNED MESSAGE-----',
    'Hash: SHA512',
    '',
    'Contact: mailto:in@a.test',
    '-----BEGIN PGP SIGNATURE-----',
    'Contact: mailto:after@a.test',
    '-----END PGP SIGNATURE-----',
  ];
  test('of a signed one only what the signature covers counts, without its armor headers', () => {
    expect(parseSecurityTxt(signed.join('\n'))).toEqual({
      fields: [{ name: 'contact', value: 'mailto:in@a.test', line: 5 }],
      faultyLines: [],
      signed: true,
    });
  });

  test('of an unsigned one every line counts, behind an empty one too', () => {
    const text = ['', 'Contact: mailto:a@a.test', '', 'Policy: https://a.test/'].join('\n');
    expect(parseSecurityTxt(text).fields.map(({ line }) => line)).toEqual([2, 4]);
  });
});

describe('where a cookie goes', () => {
  test.for([
    ['/a', '/a', true],
    ['/a', '/a/b', true],
    ['/a', '/ab', false],
    ['/a/', '/a/b', true],
    ['/a/', '/c/', false],
    ['/a', '/c/', false],
  ] as const)('the path %s, an address at %s: %s', ([path, pathname, expected]) => {
    const place = { hostOnly: true, domain: 'a.test', path };
    expect(isSentTo(place, new URL(`https://a.test${pathname}`))).toBe(expected);
  });

  const placeOf = (line: string, url: string) => {
    const cookie = parseSetCookie(line);
    return isMalformed(cookie) ? cookie : storeCookie(cookie, new URL(url), 0);
  };
  test.for([
    ['a public suffix', 'co.uk', true],
    ['an address', '192.0.2.1', true],
    ['a host of its own', 'a.example', false],
  ] as const)('Domain is the host itself, %s', ([, host, hostOnly]) => {
    expect(placeOf(`a=b; Domain=${host}`, `https://${host}/`)).toMatchObject({ stored: true, hostOnly });
  });
});
