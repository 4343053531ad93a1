import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openHeads } from '../../../worker/probes/http/rewrite-answer.ts';
import { rewriteHead } from '../../../worker/probes/http/rewrite-head.ts';
import { runsOf } from '../../kit/property-runs.ts';

const fields = (...lines: readonly string[]) =>
  rewriteHead(`HTTP/1.1 200 OK\r\n${lines.join('\r\n')}\r\n\r\n`)
    ?.split('\r\n')
    .slice(1, -2);

// What Chromium does with each is measured by `node test/lab/redirect-check/against-chromium.ts`.
test.for([
  ['a field in good order stays', ['A: b'], ['A: b']],
  ['a space before the colon goes', ['A : b', 'C\t:d'], ['A: b', 'C:d']],
  ['a line without colon goes', ['A: b', 'nothing', ': x'], ['A: b']],
  ['a name that is no token goes', ['A b: c', '(a): b', 'L\u00f6: x'], []],
  ['a CR ends a line', ['A: b\rC: d'], ['A: b', 'C: d']],
  [
    'of the ends of a value only spaces go',
    ['A: nosniff\f', 'B:\v1\xa0', 'C\f: d'],
    ['A: nosniff\f', 'B:\v1\xa0'],
  ],
  ['a length with more than spaces around it goes', ['Content-Length: 3\f'], []],
  ['a folded line goes on', ['A: b', ' c', '\td', 'E: f'], ['A: b c d', 'E: f']],
  ['a folded line behind none goes', [' A: b', 'nothing', ' C: d'], []],
  [
    'the same length twice is one',
    ['Content-Length: 3', 'A: b', 'content-length: 3 '],
    ['Content-Length: 3', 'A: b'],
  ],
  ['a list of the same length is one', ['Content-Length: 3, 3'], ['Content-Length: 3']],
  [
    'lengths that differ stay',
    ['Content-Length: 3', 'Content-Length: 4'],
    ['Content-Length: 3', 'Content-Length: 4'],
  ],
  ['a length that is no number goes', ['Content-Length: +3'], []],
  [
    'no length stands beside chunks',
    ['Content-Length: 3', 'Transfer-Encoding: chunked'],
    ['Transfer-Encoding: chunked'],
  ],
] as const)('%s', ([, lines, expected]) => {
  expect(fields(...lines)).toEqual(expected);
});

test.for([
  ['HTTP/1.1 302 Found', 'HTTP/1.1 302 Found'],
  ['http/1.1  302', 'HTTP/1.1 302 '],
  ['HTTP/1 404 No', 'HTTP/1.0 404 No'],
  ['HTTP/2.0 200', 'HTTP/1.1 200 '],
  ['HTTP/1.1 Found', 'HTTP/1.1 200 Found'],
  ['HTTP/1.1 3020', undefined],
  ['HTTP/1.1 099', undefined],
  ['ICY 200 OK', undefined],
  ['HTTP/1.1 200 a\0', undefined],
] as const)('the status line "%s"', ([line, expected]) => {
  expect(rewriteHead(`${line}\r\n\r\n`)?.split('\r\n')[0]).toBe(expected);
});

const early = 'HTTP/1.1 103 Early Hints\r\nLink : </x>\r\n\r\n';
const read = (pieces: readonly string[], limit = 200) => {
  const heads = openHeads(limit);
  const read = pieces.map((piece) => heads.add(Buffer.from(piece, 'latin1')));
  return Buffer.concat([...read, heads.end()]).toString('latin1');
};

test.for([
  [
    'a body stays as it is',
    'http/1.1 200 OK\nA : b\n\nC : d\n\n',
    'HTTP/1.1 200 OK\r\nA: b\r\n\r\nC : d\n\n',
  ],
  [
    'bytes before an answer go',
    '\ufeff\r\nHTTP/1.1 200 OK\r\n\r\n'.replace('\ufeff', 'x'),
    'HTTP/1.1 200 OK\r\n\r\n',
  ],
  [
    'an interim answer has a head of its own',
    `${early}http/1.1 200\n\nx`,
    'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 200 \r\n\r\nx',
  ],
  ['a head that does not end stays', 'HTTP/1.1 200 OK\r\nA : b\r\n', 'HTTP/1.1 200 OK\r\nA : b\r\n'],
  [
    'one that is too long stays',
    `HTTP/1.1 200 OK\r\nA : ${'b'.repeat(200)}\r\n\r\n`,
    `HTTP/1.1 200 OK\r\nA : ${'b'.repeat(200)}\r\n\r\n`,
  ],
  ['another protocol stays', 'SSH-2.0-x\r\n\r\nhello', 'SSH-2.0-x\r\n\r\nhello'],
] as const)('%s', ([, sent, expected]) => {
  expect(read([sent])).toBe(expected);
  expect(read(sent.split(''))).toBe(expected);
});

test('however an answer is cut into pieces, it is read the same, and once written it stays', () => {
  const text = fc.string({
    unit: fc.constantFrom('\r', '\n', ' ', ':', 'a', 'A: b\r\n', 'HTTP/1.1 ', '103', '200'),
    maxLength: 60,
  });
  fc.assert(
    fc.property(text, fc.array(fc.nat(60), { maxLength: 6 }), (rest, cuts) => {
      const sent = `HTTP/1.1 ${rest}`;
      const at = [0, ...cuts.toSorted((one, other) => one - other), sent.length];
      const whole = read([sent]);
      expect(read(at.slice(1).map((end, index) => sent.slice(at[index], end)))).toBe(whole);
      const head = rewriteHead(sent);
      expect(head === undefined ? head : rewriteHead(head)).toBe(head);
    }),
    { numRuns: runsOf(2000) },
  );
});
