import { expect, test } from 'vitest';
import { catalogue } from '#shared/catalogue/registry';
import { labelOf, partLabelOf, unicodeOf } from '#shared/render/labels';
import { spanWords, tookWords } from '#shared/render/report-words';

test.for([
  ['recordsUnknown', 'Records unknown'],
  ['rttMs', 'RTT (ms)'],
  ['url', 'URL'],
  ['notAfter', 'Not after'],
  // A name that a target chose.
  ['toString', 'toString'],
  ['X-Frame-Options', 'X-Frame-Options'],
])('a reader calls %s %s', ([name, label]) => {
  expect(labelOf(name ?? '')).toBe(label);
});

test.for([
  ['xn--bcher-kva.test', 'bücher.test'],
  ['https://xn--bcher-kva.test:8443/x', 'https://bücher.test:8443/x'],
  ['a.test', undefined],
  ['https://a.test/xn--bcher-kva.test', undefined],
  ['xn--99999999.test', undefined],
])('%s is shown as %s', ([name, shown]) => {
  expect(unicodeOf(name ?? '')).toBe(shown);
});

test('times are told in units that a reader knows', () => {
  expect([412, 16_700].map(tookWords)).toEqual(['412 ms', '16.7 s']);
  expect([600_000, 31_536_000_000, 1000, 90_000].map(spanWords)).toEqual([
    '10 minutes',
    '365 days',
    '1 second',
    '90 seconds',
  ]);
});

test('no part of any rule is shown as a field name', () => {
  const parts = catalogue.flatMap(({ rules }) => Object.values(rules).flatMap(({ part }) => part ?? []));
  const shown = [...new Set(parts)].map(partLabelOf);
  expect(shown.filter((label) => /[a-z][A-Z]/.test(label))).toEqual([]);
  expect(['mtaSts', 'entryPoints', 'spf', 'certificate'].map(partLabelOf)).toEqual([
    'MTA-STS',
    'entry points',
    'SPF',
    'certificate',
  ]);
});
