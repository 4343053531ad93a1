import { expect, test } from 'vitest';
import type { HttpAnswer } from '../../../worker/probes/http/port.ts';
import { openSecondTries } from '../../../worker/probes/http/second-try.ts';

const failed = (parserCode?: string): HttpAnswer => ({
  kind: 'failure',
  url: 'https://a.test/',
  code: 'malformed-response',
  reason: 'the answer breaks the grammar of HTTP',
  address: '192.0.2.1',
  ...(parserCode === undefined ? {} : { parserCode }),
});
const answered = (value = '/b'): HttpAnswer => ({
  kind: 'response',
  url: 'https://a.test/',
  status: 302,
  statusText: 'Found',
  httpVersion: '1.1',
  headers: [['Location', value]],
  body: { text: '', wireBytes: 0, decodedBytes: 0 },
  address: '192.0.2.1',
  tls: null,
  timings: { wait: 0, dns: 0, tcp: 0, tls: 0, ttfb: 0, download: 0, total: 0, reused: false },
});

/** What was sent strictly and leniently, and what came of it. */
async function ask(strict: HttpAnswer, lenient: HttpAnswer, tries = openSecondTries()) {
  const sent: boolean[] = [];
  const answer = await tries.ask((isLenient) => {
    sent.push(isLenient);
    return Promise.resolve(isLenient ? lenient : strict);
  });
  return { sent, answer };
}

test('an answer in good order is asked for once', async () => {
  expect(await ask(answered(), failed())).toEqual({ sent: [false], answer: answered() });
});

test('one that browsers accept is asked for again, and says what is wrong with it', async () => {
  const { sent, answer } = await ask(failed('HPE_CR_EXPECTED'), answered());
  expect(sent).toEqual([false, true]);
  expect(answer).toMatchObject({ kind: 'response', malformed: 'a line ends with LF alone' });
});

test.for(['HPE_INVALID_EOF_STATE', 'HPE_HEADER_OVERFLOW', undefined])(
  'one that they refuse is not: %s',
  async (code) => {
    expect(await ask(failed(code), answered())).toEqual({ sent: [false], answer: failed(code) });
  },
);

test('where the second try fails as well, the first is told', async () => {
  const first = failed('HPE_INVALID_HEADER_TOKEN');
  expect((await ask(first, failed())).answer).toEqual(first);
});

test('NUL in a field, which browsers refuse, is refused', async () => {
  const first = failed('HPE_INVALID_HEADER_TOKEN');
  expect((await ask(first, answered('/b\0'))).answer).toEqual(first);
});

test('a run has so many second tries, and no more', async () => {
  const tries = openSecondTries();
  const sent: number[] = [];
  for (let count = 0; count < 12; count += 1)
    sent.push((await ask(failed('HPE_CR_EXPECTED'), answered(), tries)).sent.length);
  expect(sent).toEqual([2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1]);
});
