import type { HeaderLine } from '../../worker/web/fields.ts';
import type { RecordedChain } from './corpus.ts';

type Answer = readonly [url: string, status: number, headers?: readonly HeaderLine[]];

/** A chain of our own making. @param name becomes its host, under `.test` */
function chain(name: string, ...answers: readonly Answer[]): RecordedChain {
  return {
    host: `${name}.test`,
    hops: answers.map(([url, status, headers = []]) => ({
      url,
      status,
      headers: status < 300 ? [['Content-Type', 'text/html; charset=utf-8'], ...headers] : headers,
    })),
  };
}

const to = (location: string): readonly HeaderLine[] => [['Location', location]];
const hsts: HeaderLine = ['Strict-Transport-Security', 'max-age=31536000; includeSubDomains'];

/** Kinds of chains that real sites have: each is walked alike by every check. */
export const ownChains: readonly RecordedChain[] = [
  chain('plain', ['http://plain.test/', 200]),
  chain(
    'upgraded',
    ['http://upgraded.test/', 301, to('https://upgraded.test/')],
    ['https://upgraded.test/', 200, [hsts]],
  ),
  chain(
    'www',
    ['http://www-after.test/', 301, to('https://www-after.test/')],
    ['https://www-after.test/', 301, [...to('https://www.www-after.test/'), hsts]],
    ['https://www.www-after.test/', 200, [hsts]],
  ),
  chain(
    'www-first',
    ['http://www-first.test/', 301, to('http://www.www-first.test/')],
    ['http://www.www-first.test/', 302, to('https://www.www-first.test/')],
    ['https://www.www-first.test/', 200],
  ),
  chain(
    'language',
    ['http://language.test/', 308, to('https://language.test/')],
    ['https://language.test/', 302, [...to('/en/'), ['Vary', 'Accept-Language']]],
    ['https://language.test/en/', 200],
  ),
  chain(
    'relative',
    ['http://relative.test/', 302, to('home?from=root#top')],
    ['http://relative.test/home?from=root', 200],
  ),
  chain(
    'no-scheme',
    ['http://no-scheme.test/', 301, to('//www.no-scheme.test/')],
    ['http://www.no-scheme.test/', 200],
  ),
  chain(
    'downgraded',
    ['http://downgraded.test/', 301, to('https://downgraded.test/')],
    ['https://downgraded.test/', 302, to('http://downgraded.test/home')],
    ['http://downgraded.test/home', 200],
  ),
  chain(
    'loop',
    ['http://loop.test/', 302, to('http://loop.test/again')],
    ['http://loop.test/again', 302, to('http://loop.test/')],
  ),
  chain('itself', ['http://itself.test/', 301, to('http://itself.test/')]),
  chain(
    'cookie-wall',
    [
      'http://cookie-wall.test/',
      302,
      [...to('http://cookie-wall.test/?c=1'), ['Set-Cookie', 'seen=1; Path=/']],
    ],
    ['http://cookie-wall.test/?c=1', 302, to('http://cookie-wall.test/')],
  ),
  chain(
    'two-locations',
    [
      'http://two-locations.test/',
      301,
      [...to('https://two-locations.test/a'), ...to('https://two-locations.test/b')],
    ],
    ['https://two-locations.test/a', 200],
  ),
  chain(
    'same-location-twice',
    ['http://twice.test/', 301, [...to('https://twice.test/'), ...to('https://twice.test/')]],
    ['https://twice.test/', 200],
  ),
  chain('no-location', ['http://no-location.test/', 301]),
  chain('empty-location', ['http://empty-location.test/', 301, to('')]),
  chain('bad-location', ['http://bad-location.test/', 301, to('http://[broken/')]),
  chain(
    'spaces',
    ['http://spaces.test/', 302, to('/a b/ü?q=ä')],
    ['http://spaces.test/a%20b/%C3%BC?q=%C3%A4', 200],
  ),
  chain('app', ['http://app.test/', 302, to('intent://app.test/#Intent;scheme=https;end')]),
  chain('ftp', ['http://ftp.test/', 302, to('ftp://ftp.test/file')]),
  chain(
    'other-port',
    ['http://other-port.test/', 302, to('http://other-port.test:8080/')],
    ['http://other-port.test:8080/', 200],
  ),
  chain(
    'refresh',
    ['http://refresh.test/', 200, [['Refresh', '0; url=https://refresh.test/']]],
    ['https://refresh.test/', 200],
  ),
  chain('late-refresh', ['http://late-refresh.test/', 200, [['Refresh', '300; url=/again']]]),
  chain('not-modified', ['http://not-modified.test/', 304, to('https://not-modified.test/')]),
  chain('see-other', ['http://see-other.test/', 303, to('/home')], ['http://see-other.test/home', 200]),
  chain('error', ['http://error.test/', 301, to('https://error.test/')], ['https://error.test/', 503]),
  chain(
    'user-info',
    ['http://user-info.test/', 302, to('https://user:secret@user-info.test/')],
    ['https://user-info.test/', 200],
  ),
  chain(
    'upper-case',
    ['http://upper-case.test/', 301, to('HTTPS://UPPER-CASE.test/Home')],
    ['https://upper-case.test/Home', 200],
  ),
  chain(
    'long',
    ...Array.from({ length: 12 }, (_, at): Answer => [`http://long.test/${at}`, 302, to(`/${at + 1}`)]),
    ['http://long.test/12', 200],
  ),
];
