import { expect, test } from 'vitest';
import { openHstsStore } from '../../../worker/web/hsts-store.ts';
import { builtInPreloadList, makePreloadList } from '../../../worker/web/preload-list.ts';

const trusted = { protocol: 'TLSv1.3', trusted: true, error: null };
const distrusted = { protocol: 'TLSv1.3', trusted: false, error: 'CERT_HAS_EXPIRED' };
type Sent = readonly [
  url: string,
  field: string | undefined,
  tls?: typeof trusted | typeof distrusted | null,
];

const year = 'max-age=31536000';
const below = `${year}; includeSubDomains`;

const cases: readonly (readonly [
  name: string,
  sent: readonly Sent[],
  asked: string,
  to: string | undefined,
])[] = [
  [
    'a host that sent nothing is asked over http',
    [['https://a.test/', undefined]],
    'http://a.test/',
    undefined,
  ],
  [
    'a host that sent it is asked over https',
    [['https://a.test/', year]],
    'http://a.test/x',
    'https://a.test/x',
  ],
  ['https stays as it is', [['https://a.test/', year]], 'https://a.test/', undefined],
  ['hosts below are not held by it', [['https://a.test/', year]], 'http://www.a.test/', undefined],
  ['unless it says so', [['https://a.test/', below]], 'http://b.www.a.test/', 'https://b.www.a.test/'],
  ['hosts above never are', [['https://www.a.test/', below]], 'http://a.test/', undefined],
  ['nor is a host that only ends alike', [['https://a.test/', below]], 'http://ba.test/', undefined],
  ['port 80 becomes 443', [['https://a.test/', year]], 'http://a.test:80/', 'https://a.test/'],
  ['another port stays', [['https://a.test/', year]], 'http://a.test:8080/', 'https://a.test:8080/'],
  ['a field over http counts for nothing', [['http://a.test/', year, null]], 'http://a.test/', undefined],
  ['nor behind a bad certificate', [['https://a.test/', year, distrusted]], 'http://a.test/', undefined],
  ['nor one that is malformed', [['https://a.test/', 'max-age=soon']], 'http://a.test/', undefined],
  ['nor for an address', [['https://192.0.2.1/', year]], 'http://192.0.2.1/', undefined],
  [
    'max-age=0 takes it back',
    [
      ['https://a.test/', year],
      ['https://a.test/', 'max-age=0'],
    ],
    'http://a.test/',
    undefined,
  ],
  [
    'but not that of the host above',
    [
      ['https://a.test/', below],
      ['https://www.a.test/', 'max-age=0'],
    ],
    'http://www.a.test/',
    'https://www.a.test/',
  ],
  [
    'the dot of the root makes no other host',
    [['https://a.test./', year]],
    'http://a.test/',
    'https://a.test/',
  ],
  ['a preloaded top-level domain needs no field', [], 'http://a.dev/', 'https://a.dev/'],
];

test.for(cases)('%s', ([, sent, asked, to]) => {
  const store = openHstsStore(builtInPreloadList);
  for (const [url, field, tls = trusted] of sent) store.keep(tls, field, new URL(url));
  expect(store.upgrade(new URL(asked))?.to.href).toBe(to);
});

test('an upgrade says from where, and who asked for it', () => {
  const store = openHstsStore(makePreloadList(new Map([['listed.test', true]])));
  store.keep(trusted, below, new URL('https://a.test/'));
  expect(store.upgrade(new URL('http://www.a.test/x'))?.seen).toEqual({
    from: 'http://www.a.test/x',
    by: 'header',
    host: 'a.test',
  });
  expect(store.upgrade(new URL('http://www.listed.test/'))?.seen).toMatchObject({ by: 'preload-list' });
});
