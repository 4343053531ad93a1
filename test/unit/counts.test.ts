import { expect, test } from 'vitest';
import { countOf, spanWords, waitWords } from '#shared/model/counts';
import { fillDetail, keysOf, templateOf } from '#shared/model/finding';

const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000];

test.for<[string, number, string]>([
  ['nothing', 0, '0 seconds'],
  ['less than a second', 999, '0 seconds'],
  ['a second', second, '1 second'],
  ['almost a minute', 59 * second, '59 seconds'],
  ['a minute', 60 * second, '1 minute'],
  ['a minute and a half', 90 * second, '90 seconds'],
  ['almost two minutes', 2 * minute - 1, '119 seconds'],
  ['two minutes and a half', 150 * second, '2 minutes'],
  ['an hour', hour, '1 hour'],
  ['an hour and a half', 90 * minute, '90 minutes'],
  ['almost a day', 23 * hour + 59 * minute, '23 hours'],
  ['a day', 24 * hour, '1 day'],
  ['a day and a minute', 24 * hour + minute, '1 day'],
  ['a day and an hour', 25 * hour, '25 hours'],
  ['almost two days', 47 * hour + 59 * minute, '47 hours'],
  ['two days', 48 * hour, '2 days'],
  ['almost three days', 3 * day - 1, '2 days'],
  ['thirty days', 30 * day, '30 days'],
  ['a year', 365 * day, '365 days'],
  ['less than nothing', -day, '0 seconds'],
])('%s is never overstated', ([, ms, words]) => {
  expect(spanWords(ms)).toBe(words);
});

test('one thing is told in the singular', () => {
  expect([0, 1, 2].map((count) => countOf(count, 'request'))).toEqual([
    '0 requests',
    '1 request',
    '2 requests',
  ]);
  expect([1, 3].map((count) => countOf(count, 'address', 'addresses'))).toEqual(['1 address', '3 addresses']);
});

test('a sentence of a rule agrees with its number', () => {
  const detail = '{count|font hides|fonts hide} text on {url}.';
  const url = 'https://a.test/';
  expect([1, 2].map((count) => fillDetail(detail, { count, url }))).toEqual([
    '1 font hides text on https://a.test/.',
    '2 fonts hide text on https://a.test/.',
  ]);
  expect(fillDetail(detail, { url })).toBe('{count|font hides|fonts hide} text on https://a.test/.');
  expect(keysOf(detail)).toEqual(['count', 'url']);
  expect(templateOf(detail)).toBe('{count} fonts hide text on {url}.');
});

test.for([
  { seconds: 1, words: '1 second' },
  { seconds: 22, words: '22 seconds' },
  { seconds: 119.2, words: '2 minutes' },
  { seconds: 150, words: '3 minutes' },
  { seconds: 7201, words: '3 hours' },
])('a wait of $seconds s is told as $words', ({ seconds, words }) => {
  expect(waitWords(seconds)).toBe(words);
});
