import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isMalformed } from '#shared/model/verdict';
import { readEhlo, readEhloName, readName } from '../../../worker/checks/smtp-check/facts/replies.ts';
import type { ReplyRead } from '../../../worker/probes/smtp/port.ts';
import { hasCode, offersStartTls, parseReplyLine } from '../../../worker/probes/smtp/reply-line.ts';
import { openReplyReader } from '../../../worker/probes/smtp/reply-reader.ts';

const never = new AbortController().signal;

/** Reads so many replies of what comes in these pieces; the connection then ends. */
async function readAll(pieces: readonly Buffer[], count: number): Promise<readonly ReplyRead[]> {
  const stream = new PassThrough();
  const reader = openReplyReader(stream);
  for (const piece of pieces) stream.write(piece);
  stream.end();
  const read: ReplyRead[] = [];
  for (let at = 0; at < count; at += 1) read.push(await reader.read(30_000, never));
  return read;
}

const bytes = (text: string) => Buffer.from(text, 'latin1');

describe('a line of a reply', () => {
  test.for([
    // RFC 5321 §4.2.1
    { line: '250-First line', code: 250, isLast: false, text: 'First line' },
    { line: '250-234 Text beginning with numbers', code: 250, isLast: false },
    { line: '250 The last line', code: 250, isLast: true },
    // §4.2: a code alone; some servers leave the space out.
    { line: '250', code: 250, isLast: true, text: '' },
    { line: '220 ', code: 220, isLast: true, text: '' },
  ])('$line', ({ line, ...parts }) => {
    expect(parseReplyLine(line)).toMatchObject(parts);
  });

  test.for(['', '25', '2500', '150 x', '650 x', '250x', ' 250 x', 'HTTP/1.1 400 Bad Request'])(
    '"%s" is none',
    (line) => {
      expect(isMalformed(parseReplyLine(line))).toBe(true);
    },
  );

  test('of any text it is a line or is not, and what is printed is read again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (line) => {
        const read = parseReplyLine(line);
        if (isMalformed(read)) return;
        expect(parseReplyLine(`${read.code}${read.isLast ? ' ' : '-'}${read.text}`)).toEqual(read);
      }),
    );
  });
});

const replies = fc.array(
  fc.record({
    code: fc.integer({ min: 200, max: 599 }),
    lines: fc.array(fc.stringMatching(/^[!-~]{0,40}$/), { minLength: 1, maxLength: 5 }),
  }),
  { minLength: 1, maxLength: 4 },
);
const print = ({ code, lines }: { readonly code: number; readonly lines: readonly string[] }) =>
  lines.map((line, at) => `${code}${at === lines.length - 1 ? ' ' : '-'}${line}\r\n`).join('');

describe('the reader of a connection', () => {
  test('reads the same replies wherever the network cuts them', async () => {
    await fc.assert(
      fc.asyncProperty(replies, fc.array(fc.nat(400), { maxLength: 12 }), async (sent, cuts) => {
        const whole = bytes(sent.map(print).join(''));
        const places = [0, ...cuts.filter((at) => at < whole.length), whole.length].toSorted((a, b) => a - b);
        const pieces = places.slice(1).map((end, at) => whole.subarray(places[at], end));
        const read = await readAll(pieces, sent.length + 1);
        expect(read).toEqual([
          ...sent.map(({ code, lines }) => ({ kind: 'reply', code, lines })),
          { kind: 'closed' },
        ]);
      }),
      { numRuns: 60 },
    );
  });

  test('of any bytes it gives an end, and text without control characters', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 6 }), async (pieces) => {
        const [read] = await readAll(
          pieces.map((piece) => Buffer.from(piece)),
          1,
        );
        // oxlint-disable-next-line no-control-regex
        expect(JSON.stringify(read)).not.toMatch(/\\u00[019]|[\u007f-\u009f]/);
      }),
      { numRuns: 100 },
    );
  });

  test('a bare line feed ends a line too: some servers send no carriage return', async () => {
    expect(await readAll([bytes('220-one\n220 two\n')], 1)).toEqual([
      { kind: 'reply', code: 220, lines: ['one', 'two'] },
    ]);
  });

  test('what comes behind a reply is dropped when that is wanted, and never read as the next', async () => {
    const stream = new PassThrough();
    const reader = openReplyReader(stream);
    stream.write(bytes('220 go\r\n250 injected\r\n250 more\r\n'));
    expect(await reader.read(30_000, never)).toMatchObject({ kind: 'reply', code: 220 });
    expect(reader.drop()).toBe('250 injected\r\n250 more\r\n'.length);
    stream.write(bytes('221 bye\r\n'));
    expect(await reader.read(30_000, never)).toMatchObject({ code: 221 });
  });
});

describe('what a reply says', () => {
  const said = (code: number, ...lines: string[]): ReplyRead => ({ kind: 'reply', code, lines });

  test.for([
    // RFC 5321 appendix D.1
    { read: said(220, 'foo.com Simple Mail Transfer Service Ready'), name: 'foo.com' },
    { read: said(220, '[192.0.2.1] ready'), name: '[192.0.2.1]' },
    { read: said(220, '[IPv6:2001:db8::1] ready'), name: '[IPv6:2001:db8::1]' },
    { read: said(220, '************'), name: null },
    { read: said(220, 'localhost ESMTP'), name: null },
    { read: said(220, ''), name: null },
    { read: { kind: 'closed' } as const, name: null },
  ])('$read.lines greets as $name', ({ read, name }) => {
    expect(readName(read)).toBe(name);
  });

  test('the name in an answer to EHLO is that of its first line, and what follows are extensions', () => {
    const ehlo = said(250, 'mx.example', 'SIZE 1000', 'starttls', '');
    expect(readEhloName(ehlo)).toBe('mx.example');
    expect(readEhlo(ehlo)).toEqual({ extensions: ['SIZE 1000', 'starttls'], offersStartTls: true });
    expect(offersStartTls(said(250, 'STARTTLS.example', 'XSTARTTLS', 'STARTTLSX'))).toBe(false);
    expect(hasCode(said(250, 'x'), 220)).toBe(false);
  });

  test('of any reply they give a name or none', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' }), { maxLength: 5 }), (lines) => {
        const read = said(250, ...lines);
        for (const name of [readName(read), readEhloName(read)])
          expect(name === null || lines.some((line) => line.startsWith(name))).toBe(true);
        expect(readEhlo(read).extensions.length).toBeLessThanOrEqual(lines.length);
      }),
    );
  });
});
