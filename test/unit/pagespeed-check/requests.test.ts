import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readLog } from '../../../worker/probes/browser/child/requests.ts';
import { cleanAddress, cleanText, cleanTexts } from '../../../worker/probes/browser/clean-address.ts';

const addresses = [
  {
    name: 'of the own site a query stays',
    given: 'https://www.a.test/?q=1#top',
    clean: 'https://www.a.test/?q=1',
  },
  {
    name: 'of another site its names',
    given: 'https://b.test/x?key=SECRET&b=SECRET',
    clean: 'https://b.test/x?key=&b=',
  },
  { name: 'a value without a name goes', given: 'https://b.test/?SECRET&=SECRET', clean: 'https://b.test/' },
  { name: 'user information goes', given: 'https://me:SECRET@a.test/', clean: 'https://a.test/' },
  {
    name: 'of data: kind and length',
    given: 'data:image/png;base64,SECRET',
    clean: 'data:image/png;length=28',
  },
  { name: 'of data: without a kind the length', given: 'data:,SECRET', clean: 'data:;length=12' },
  { name: 'of blob: the length', given: 'blob:https://a.test/SECRET', clean: 'blob:length=26' },
  { name: 'what is no address loses its query', given: '//?SECRET', clean: '//' },
];
test.for(addresses)('$name', ({ given, clean }) => {
  expect(cleanAddress(given, 'a.test')).toBe(clean);
});

test('an address has at most 2,048 characters', () => {
  expect(cleanAddress(`https://a.test/${'x'.repeat(5000)}`, 'a.test')).toHaveLength(2048);
});

const texts = [
  { given: 'see https://b.test/?k=SECRET, then go', clean: 'see https://b.test/?k= then go' },
  { given: '<img src="https://b.test/?k=SECRET">', clean: '<img src="https://b.test/?k=">' },
  { given: 'url(data:font/woff2;base64,SECRET)', clean: 'url(data:font/woff2)' },
  { given: 'wss://b.test/?token=SECRET', clean: 'wss://b.test/?token=' },
  { given: 'no address, 5 > 3 & data: none', clean: 'no address, 5 > 3 & data: none' },
];
test.for(texts)('in the text "$given"', ({ given, clean }) => {
  expect(cleanText(given, 'a.test')).toBe(clean);
});

test('no value of a foreign query stays in any text of JSON', () => {
  const query = fc.array(fc.tuple(fc.stringMatching(/^[a-z]{1,5}$/), fc.constant('S3CRET')), {
    maxLength: 5,
  });
  fc.assert(
    fc.property(query, fc.constantFrom(' ', '"', '<', "'", '(', ''), (pairs, before) => {
      const text = `${before}https://b.test/p?${pairs.map((pair) => pair.join('=')).join('&')}`;
      expect(JSON.stringify(cleanTexts({ items: [{ url: text }, [text]] }, 'a.test'))).not.toContain(
        'S3CRET',
      );
    }),
  );
});

type Message = { readonly method: string; readonly params: object };
type Made = { readonly url: string; readonly ms: number; readonly more?: object; readonly response?: object };

/** What DevTools tells of a request that was answered. */
const made = (id: number, { url, ms, more = {}, response = {} }: Made): readonly Message[] => {
  const about = { requestId: String(id), loaderId: 'l', frameId: 'f', type: 'Script' };
  const timestamp = 1000 + ms / 1000;
  const initiator = { type: 'script', url: 'https://tags.test/t.js?k=SECRET' };
  const request = { url, method: 'GET', headers: {}, initialPriority: 'High' };
  const answer = {
    url,
    status: 200,
    headers: { 'set-cookie': 'sid=SECRET' },
    mimeType: 'text/javascript',
    protocol: 'h2',
    fromDiskCache: false,
    encodedDataLength: 100,
    ...response,
  };
  return [
    {
      method: 'Network.requestWillBeSent',
      params: { ...about, documentURL: 'https://a.test/', request, timestamp, initiator, ...more },
    },
    {
      method: 'Network.responseReceived',
      params: { ...about, response: answer, timestamp: timestamp + 0.01 },
    },
    {
      method: 'Network.loadingFinished',
      params: { requestId: String(id), timestamp: timestamp + 0.02, encodedDataLength: 500 },
    },
  ];
};
const readAll = (requests: readonly Made[]) =>
  readLog(requests.flatMap((one, id) => made(id, one)) as unknown as Parameters<typeof readLog>[0], {
    asked: 'https://a.test/',
    final: 'https://a.test/',
  });

test('a log gives each request with initiator, owner, priority, sizes and cache, in order, without secrets', () => {
  const seen = readAll([
    { url: 'https://www.google-analytics.com/g/collect?tid=SECRET', ms: 40 },
    { url: 'https://a.test/', ms: 0, response: { fromDiskCache: true } },
    { url: 'data:text/css,SECRET', ms: 20 },
  ]);
  expect(JSON.stringify(seen)).not.toContain('SECRET');
  expect(seen).toMatchObject({ total: 3, overNetwork: 2, bytes: 1000, thirdPartyBytes: 500 });
  expect(seen.entries).toMatchObject([
    { url: 'https://a.test/', fromCache: true, isThirdParty: false, owner: null, startMs: 0, endMs: 20 },
    { url: 'data:text/css;length=20', isThirdParty: false },
    {
      url: 'https://www.google-analytics.com/g/collect?tid=',
      isThirdParty: true,
      owner: 'Google Analytics',
      priority: 'High',
      protocol: 'h2',
      initiator: { type: 'script', url: 'https://tags.test/t.js?k=' },
      bytes: 500,
    },
  ]);
});

test('the script that asked is found below timers and promises, and code without an address is passed over', () => {
  const frame = (url: string) => ({ functionName: '', scriptId: '1', url, lineNumber: 0, columnNumber: 0 });
  const initiator = {
    type: 'script',
    stack: {
      callFrames: [frame('')],
      parent: { callFrames: [], parent: { callFrames: [frame('https://tags.test/chain.js?k=SECRET')] } },
    },
  };
  const { entries } = readAll([{ url: 'https://b.test/pixel', ms: 0, more: { initiator } }]);
  expect(entries[0]?.initiator).toEqual({ type: 'script', url: 'https://tags.test/chain.js?k=' });
});

test('a redirect says where it leads', () => {
  const [first, ...others] = made(1, { url: 'https://b.test/to?k=SECRET', ms: 20 });
  const [before] = made(1, { url: 'https://b.test/from', ms: 0 });
  const redirectResponse = {
    url: 'https://b.test/from',
    status: 302,
    headers: {},
    mimeType: '',
    protocol: 'h2',
    encodedDataLength: 50,
  };
  const moved = { ...first, params: { ...first?.params, redirectResponse } };
  const log = [before, moved, ...others] as unknown as Parameters<typeof readLog>[0];
  const { entries } = readLog(log, { asked: 'https://a.test/', final: 'https://a.test/' });
  expect(entries.map(({ url, status, redirectsTo }) => [url, status, redirectsTo])).toEqual([
    ['https://b.test/from', 302, 'https://b.test/to?k='],
    ['https://b.test/to?k=', 200, null],
  ]);
});

test('of a hundred thousand requests 500 are kept and all are counted', () => {
  const url = `https://a.test/${'x'.repeat(100)}`;
  const seen = readAll(Array.from({ length: 100_000 }, (_, ms) => ({ url: url + ms, ms })));
  expect([seen.total, seen.entries.length, seen.bytes]).toEqual([100_000, 500, 50_000_000]);
});

test('addresses without end are kept while there is room for them', () => {
  const seen = readAll(
    Array.from({ length: 500 }, (_, ms) => ({ url: `https://a.test/${ms}/${'x'.repeat(100_000)}`, ms })),
  );
  expect(seen.total).toBe(500);
  expect(JSON.stringify(seen.entries).length).toBeLessThan(600_000);
});

test('an empty log is no requests', () => {
  expect(readAll([])).toMatchObject({ total: 0, bytes: 0, entries: [] });
});
